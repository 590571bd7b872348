import { Document, isMap, parseDocument } from 'yaml';
import { keepLines } from './keep-lines.ts';

/** A connection to write down; never a password. */
export type NewConnection =
  | { readonly engine: 'pglite'; readonly directory: string }
  | {
      readonly engine: 'postgres';
      readonly host: string;
      readonly port: number;
      readonly database: string;
      readonly user: string;
    };

/**
 * The text of `backfill.yaml` with one more connection; comments and everything else stay as they are. `source` is
 * `undefined` where there is no file yet. A file that is not valid YAML is refused in words.
 */
export function addConnection(
  source: string | undefined,
  name: string,
  connection: NewConnection,
): { readonly text: string } | { readonly wrong: string } {
  const document = source === undefined || source.trim() === '' ? new Document({ version: 1 }) : parseDocument(source);
  if (document.errors.length > 0 || !isMap(document.contents)) {
    return { wrong: 'backfill.yaml is not valid; mend it first, its problems are shown in the file' };
  }
  if (document.hasIn(['connections', name])) return { wrong: `there is a connection ${name} already` };
  document.setIn(['connections', name], document.createNode(connection));
  return { text: keepLines(source ?? '', document.toString({ lineWidth: 120 })) };
}
