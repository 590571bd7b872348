// Loaded before a program (`node --import`): at its end what it used goes to the file descriptor 3.
import { writeSync } from 'node:fs';
import { cpuMs } from './cpu-ms.ts';
import type { ProcessUsage } from './measured-process.ts';

process.on('exit', () => {
  const usage: ProcessUsage = { kilobytes: process.resourceUsage().maxRSS, cpuMs: cpuMs() };
  writeSync(3, JSON.stringify(usage));
});
