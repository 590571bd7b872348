// Loaded before a program (`node --import`): at its end the most memory that it held goes to the file descriptor 3.
import { writeSync } from 'node:fs';

process.on('exit', () => void writeSync(3, String(process.resourceUsage().maxRSS)));
