import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** A Python as it is named in a folder's settings: a bare name is looked for on the path, anything else from the folder. */
export function pythonPath(named: string, folder: string): string {
  if (/^~[\\/]/.test(named)) return join(homedir(), named.slice(2));
  return isAbsolute(named) || !/[\\/]|^\./.test(named) ? named : join(folder, named);
}
