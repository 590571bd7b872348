import { createHash } from 'node:crypto';

/** SHA-256 as lower-case hex: the hash of code and schemas. */
export const digest = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
