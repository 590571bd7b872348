import { stripVTControlCharacters } from 'node:util';
import { type ExitCode, exitCodes, type Shell } from './shell.ts';

/** A shell that knows whether a document was written, and writes one that says what failed where none was. */
export interface WatchedShell {
  readonly shell: Shell;
  /** To be called at the end of a command. */
  finish(): void;
}

/**
 * With `--format json`, standard output holds one JSON document however the command ends: its result, or
 * `{ version, error: { exitCode, messages } }` with what standard error says, one line each.
 */
export function jsonOnFailure(words: readonly string[], shell: Shell): WatchedShell {
  if (!wantsJson(words)) return { shell, finish: () => {} };
  let written = false;
  let said = '';
  let exitCode: ExitCode = exitCodes.done;
  const watched: Shell = {
    ...shell,
    out(text) {
      written = true;
      shell.out(text);
    },
    err(text) {
      said += text;
      shell.err(text);
    },
    exit(code) {
      exitCode = Math.max(exitCode, code) as ExitCode;
      shell.exit(code);
    },
  };
  const finish = (): void => {
    if (written || exitCode === exitCodes.done) return;
    const lines = stripVTControlCharacters(said).split('\n');
    const messages = lines.map((line) => line.trim()).filter((line) => line !== '');
    shell.out(`${JSON.stringify({ version: 1, error: { exitCode, messages } })}\n`);
  };
  return { shell: watched, finish };
}

const wantsJson = (words: readonly string[]): boolean =>
  words.some((word, index) => word === '--format=json' || (word === '--format' && words[index + 1] === 'json'));
