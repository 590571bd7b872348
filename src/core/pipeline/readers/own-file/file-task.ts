import type { Task } from '../../model/model.ts';
import { baseName } from '../../python/library/paths.ts';

/** The one task of a file that no DAG runs: its id is the file's path, and it is marked by its first line. */
export const fileTask = (
  file: string,
  text: string,
  parts: Pick<Task, 'operator' | 'sql' | 'executor'> & Partial<Pick<Task, 'accesses' | 'unread' | 'place'>>,
): Task => ({
  id: file,
  name: baseName(file),
  at: { file, start: 0, end: text.length },
  nameAt: { file, start: 0, end: /^[^\r\n]*/.exec(text)?.[0].length ?? 0 },
  retries: undefined,
  triggerRule: undefined,
  autocommit: undefined,
  splitStatements: undefined,
  params: {},
  arguments: [],
  accesses: [],
  outlets: [],
  inlets: [],
  unread: [],
  dependsOnPast: false,
  ...parts,
});
