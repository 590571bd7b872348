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

/** An Airflow to write down; never a password or a token. */
export interface NewScheduler {
  readonly url: string;
  readonly user?: string;
}

/** What of `backfill.yaml` is named and added one by one. */
export type Addition =
  | { readonly section: 'connections'; readonly name: string; readonly value: NewConnection }
  | { readonly section: 'schedulers'; readonly name: string; readonly value: NewScheduler };

const what = { connections: 'connection', schedulers: 'scheduler' } as const;

/**
 * The text of `backfill.yaml` with one more connection or scheduler; comments and everything else stay as they are. `source` is
 * `undefined` where there is no file yet. A file that is not valid YAML is refused in words.
 */
export function addConnection(
  source: string | undefined,
  { section, name, value }: Addition,
): { readonly text: string } | { readonly wrong: string } {
  const document = source === undefined || source.trim() === '' ? new Document({ version: 1 }) : parseDocument(source);
  if (document.errors.length > 0 || !isMap(document.contents)) {
    return { wrong: 'backfill.yaml is not valid; mend it first, its problems are shown in the file' };
  }
  if (document.hasIn([section, name])) return { wrong: `there is a ${what[section]} ${name} already` };
  document.setIn([section, name], document.createNode(value));
  return { text: keepLines(source ?? '', document.toString({ lineWidth: 120 })) };
}
