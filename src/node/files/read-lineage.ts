import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { lineageReader, type TaskLineage } from '../../core/run/observed/lineage-events.ts';

/**
 * What OpenLineage events say of a task: a file of them, a folder, or the path of Airflow's file transport, which without
 * `append` adds a time to the name of each file. `undefined`: there is none. Throws where a file cannot be read.
 */
export async function readLineage(path: string, dag: string, task: string): Promise<TaskLineage | undefined> {
  const files = filesOf(path);
  if (files.length === 0) return undefined;
  const reader = lineageReader(dag, task);
  for (const file of files)
    for await (const line of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity }))
      reader.line(line);
  return reader.end();
}

function filesOf(path: string): readonly string[] {
  const isThere = existsSync(path);
  if (isThere && !statSync(path).isDirectory()) return [path];
  const folder = isThere ? path : dirname(path);
  const start = isThere ? '' : `${basename(path)}-`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.startsWith(start))
    .map(({ name }) => join(folder, name))
    .sort();
}
