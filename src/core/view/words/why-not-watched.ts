import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { TaskId } from '../../pipeline/model/model.ts';

/** Why no run of a task is watched for the tables that it writes, in words; `undefined`: it would be. */
export function whyNotWatched(
  id: TaskId,
  { tasks, facts }: Pick<WorkspaceFacts, 'tasks' | 'facts'>,
): string | undefined {
  const [owner, own] = [tasks.get(id), facts.get(id)];
  if (owner === undefined || own === undefined) return undefined;
  const tables = own.writes.map(({ table }) => table).join(', ');
  const said = tables === '' ? '' : ` (${tables})`;
  if (owner.task.executor.kind === 'warehouse')
    return `it is run from here, and its SQL says what it writes${said}; watched is what a scheduler carries out (backfill run with --on airflow gives it to one)`;
  if (owner.pipeline.format !== 'airflow')
    return 'no DAG that was read runs it, and watched is what a scheduler carries out; say what it writes under tasks in backfill.yaml';
  const isKnown = own.unknowns.every(({ about }) => about !== 'tables' && about !== 'table-name');
  return isKnown && tables !== '' ? `the files say what it writes${said}; watched is what no file says of` : undefined;
}
