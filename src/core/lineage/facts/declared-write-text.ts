import type { TaskId } from '../../pipeline/model/model.ts';
import { toBeWritten } from '../../sql/model/name-parts.ts';

/** What is said of a written table in `backfill.yaml`, beside its name. */
export type WriteEntry = Readonly<Record<string, string | true | readonly string[]>>;

/** The entry of `backfill.yaml` that says something of tables that a task writes, on one line, as it is written there. */
export const declaredWriteText = (
  task: TaskId,
  tables: readonly string[],
  entry: WriteEntry | ((table: string) => WriteEntry),
): string =>
  `tasks: { ${plain(task)}: { writes: [${tables
    .map((table) => {
      const said = typeof entry === 'function' ? entry(table) : entry;
      return `{ table: ${plain(toBeWritten(table))}, ${Object.entries(said).map(pairText).join(', ')} }`;
    })
    .join(', ')}] } }`;

const pairText = ([name, value]: readonly [string, WriteEntry[string]]): string =>
  `${name}: ${typeof value === 'object' ? `[${value.map(plain).join(', ')}]` : value === true ? 'true' : plain(value)}`;

/** Quoted where YAML would read something else. */
const plain = (text: string): string =>
  /^[A-Za-z_][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text);
