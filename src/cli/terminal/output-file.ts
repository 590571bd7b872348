import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Shell, UsageError } from './shell.ts';

/** A file that a command will write at its end; what stands against it is found before anything is run. */
export interface OutputFile {
  /** False: it could not be written after all, which was said. */
  write(text: string): boolean;
}

/** `what`: the noun for messages. Throws {@link UsageError} where the file cannot be written. */
export function outputFile(name: string, what: string, shell: Shell): OutputFile {
  const file = resolve(shell.cwd, name);
  const folder = dirname(file);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`there is no folder ${dirname(name)} for the ${what}`, 'make it first');
  }
  if (!canWrite(file)) throw new UsageError(`the ${what} cannot be written to ${name}`, 'name another file');
  return {
    write: (text) => {
      try {
        writeFileSync(file, text);
        return true;
      } catch (error) {
        shell.err(`the ${what} could not be written to ${name}: ${error instanceof Error ? error.message : error}\n`);
        return false;
      }
    },
  };
}

/** Tried, because rights, locks and full or read-only disks are told by nothing else. */
function canWrite(file: string): boolean {
  const isThere = existsSync(file);
  try {
    closeSync(openSync(file, 'a'));
    if (!isThere) rmSync(file);
    return true;
  } catch {
    return false;
  }
}
