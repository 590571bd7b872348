import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlanFinding } from '../../plan/model/plan.ts';
import { targetKindsSql } from '../../warehouse/dialects/postgres/altered-writes-sql.ts';
import { quoteTableName } from '../../warehouse/dialects/postgres/quote.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { JobSlice, UnitJob } from '../unit/unit-job.ts';

/**
 * What tasks write that is no table: views whose rows are one table's are said with it; others, those that a rule or trigger takes
 * elsewhere, and foreign tables are errors, because no rows of them can be claimed, compared and put back. Throws {@link WarehouseError}.
 */
export async function writtenTables(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const asked = new Map<string, { readonly task: TaskId; readonly slice: JobSlice }>();
  for (const { task, slices, carried } of jobs) {
    if (carried !== undefined) continue;
    for (const slice of slices) asked.set(JSON.stringify([task, slice.table, slice.through]), { task, slice });
  }
  const names = [...new Set([...asked.values()].map(({ slice }) => slice.through ?? slice.table))];
  if (names.length === 0) return [];
  const list = names.map((name) => JSON.stringify(quoteTableName(name)));
  const { rows } = await session.query(targetKindsSql, [`{${list.join(',')}}`]);
  const kinds = new Map(names.map((name, index) => [name, rows[index]?.map((value) => value ?? undefined) ?? []]));
  return [...asked.values()].flatMap(({ task, slice }): PlanFinding[] => {
    const [kind, name = '', redirected, server] = kinds.get(slice.through ?? slice.table) ?? [];
    if (kind === 'f') {
      const message = `${task} writes ${name}, a foreign table of the server ${server}: its rows are of another database, where they cannot be claimed, compared or put back from here. Let the task run on a connection to that one, or with its scheduler (--without ${task} leaves it out).`;
      return [{ code: 'no-table', severity: 'error', message, task }];
    }
    if (kind !== 'v') return [];
    if (redirected !== undefined) {
      const message = `${task} writes ${name}, a view of which ${redirected} puts the rows elsewhere, so that nobody can tell which rows of which table are its interval’s. Let its statements name that table, or run it with its scheduler (--without ${task} leaves it out).`;
      return [{ code: 'no-table', severity: 'error', message, task }];
    }
    if (slice.through === undefined) {
      const message = `${task} writes ${name}, a view that does not show the columns of one table as they are, and only rows of tables can be claimed, compared and put back. Let its statements name the table behind it (--without ${task} leaves it out).`;
      return [{ code: 'no-table', severity: 'error', message, task }];
    }
    const message = `${task} writes ${slice.through}, a view: the rows are those of ${slice.table}, which is claimed, compared and undone.`;
    return [{ code: 'written-view', severity: 'info', message, task }];
  });
}
