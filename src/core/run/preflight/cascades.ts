import { declaredWriteText } from '../../lineage/facts/declared-write-text.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlanFinding } from '../../plan/model/plan.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import { reachedByDeletesSql } from '../../warehouse/dialects/postgres/altered-writes-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { mayDo } from './again/may-do.ts';

/**
 * A warning for each task that deletes rows which others go with by foreign keys, in tables that it is not known to write: such
 * a unit is held, with the rows of those tables as they were. Throws {@link WarehouseError}.
 */
export async function cascades(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const byTask = new Map<TaskId, UnitJob>();
  for (const job of jobs) if (mayDo(job, 'delete') && !byTask.has(job.task)) byTask.set(job.task, job);
  const names = [...new Set([...byTask.values()].flatMap(({ slices }) => slices.map(({ table }) => table)))];
  if (names.length === 0) return [];
  const described = await describeReadable(session, names, new Map());
  const tables = new Map(names.map((name, index) => [name, described[index]]));
  const found: PlanFinding[] = [];
  for (const [task, { slices }] of byTask) {
    const written = slices.flatMap((slice) => tables.get(slice.table) ?? []);
    const oids = written.flatMap(({ oid, storage }) => [oid, ...storage]);
    const { rows } = await session.query(reachedByDeletesSql, [`{${oids.join(',')}}`]);
    for (const [table = '', key = '', action = '', columns = ''] of rows.map((row) => row.map(String))) {
      const what = action === 'c' ? `rows of ${table} with them` : `${columns} of rows of ${table}`;
      const entry = declaredWriteText(task, [table], { slice: 'all' });
      const message = `${task} deletes rows of ${written.map(({ qualified }) => qualified).join(', ')}, and the foreign key ${key} takes ${what}: a unit that does is held. Where that is meant, say in backfill.yaml that the task writes them, so that they are compared and undone with the rest: ${entry}.`;
      found.push({ code: 'cascade', severity: 'warning', message, task });
    }
  }
  return found;
}
