import { accessSync, constants, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits } from '../../core/text/apply-edits.ts';
import type { TextEdit } from '../../core/text/span.ts';
import { reasonOf } from '../../node/files/discover-files.ts';
import { UsageError } from './shell.ts';

/**
 * Applies edits that were made of `text`, each file in one write, with the byte order mark that it had. Nothing is
 * written where one of the files cannot be or has changed since, because what belongs together may stand in several. A
 * file that has two names is written once.
 */
export function writeEdits(
  root: string,
  files: ReadonlyMap<string, readonly TextEdit[]>,
  text: (file: string) => string | undefined,
): void {
  const written = new Map<string, string>();
  for (const [file, edits] of files) {
    const { path, now } = writable(root, file);
    const mark = now.startsWith('\ufeff') ? '\ufeff' : '';
    const own = now.slice(mark.length);
    if (own !== text(file)) throw refused(file, 'it was changed meanwhile', 'run the command again');
    written.set(path, mark + applyEdits(own, edits));
  }
  for (const [path, now] of written) writeFileSync(path, now);
}

function writable(root: string, file: string): { readonly path: string; readonly now: string } {
  try {
    const path = realpathSync(join(root, file));
    accessSync(path, constants.W_OK);
    return { path, now: readFileSync(path, 'utf8') };
  } catch (error) {
    throw refused(file, reasonOf(error), 'it has to be a file that may be written');
  }
}

const refused = (file: string, reason: string, remedy: string): UsageError =>
  new UsageError(`${file} is not changed: ${reason}`, `${remedy}; no file was changed`);
