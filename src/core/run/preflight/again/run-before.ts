import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PlanFinding } from '../../../plan/model/plan.ts';
import { plural } from '../../../text/plural.ts';
import { toIso } from '../../../time/zones/iso.ts';
import { describeReadable } from '../../../warehouse/catalog/describe-tables.ts';
import { readableLedgerSql } from '../../../warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import { ranBeforeSql } from '../../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { JobSlice, UnitJob } from '../../unit/unit-job.ts';
import { mayDo } from './may-do.ts';

/**
 * A warning for each task that adds rows which are of all intervals, and changes those that it finds (versions that are closed
 * and opened), of which several planned intervals were run before: the state that the first of them meets is that of the last,
 * so rows may come again. What one interval does on top of itself does not show it. Throws {@link WarehouseError}.
 */
export async function runBefore(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const byTask = new Map<TaskId, UnitJob[]>();
  for (const job of jobs) {
    if (!job.slices.some((slice) => isOpenedAndClosed(job, slice))) continue;
    byTask.set(job.task, [...(byTask.get(job.task) ?? []), job]);
  }
  const several = [...byTask].filter(([, own]) => own.length > 1);
  if (several.length === 0 || (await session.query(readableLedgerSql('versions'))).rows[0]?.[0] !== 't') return [];
  const found: PlanFinding[] = [];
  for (const [task, own] of several) {
    const names = own.flatMap((job) =>
      job.slices.flatMap((slice) => (isOpenedAndClosed(job, slice) ? slice.table : [])),
    );
    const tables = (await describeReadable(session, [...new Set(names)], new Map())).flatMap((table) => table ?? []);
    const units = own.map(({ unit }) => unit);
    for (const { qualified } of tables) {
      const { rows } = await session.query(ranBeforeSql, [qualified, JSON.stringify(units)]);
      const ran = new Set(rows.map(([unit]) => unit));
      const again = own.flatMap(({ unit, interval }) => (ran.has(unit) ? interval : []));
      again.sort((a, b) => a.start - b.start);
      const [first, last] = [again[0], again.at(-1)];
      if (first === undefined || last === undefined || first === last) continue;
      const [from, to] = [toIso(first.start), toIso(last.end)];
      const message = `${task} adds rows to ${qualified} and changes those that it finds there, whatever interval they are of, and ${plural(again.length, 'planned interval')} were run before, ${from} to ${to}: the first of them finds what the last one left, so rows may come again. To see whether they do: backfill prove ${task} --from ${from} --to ${to}`;
      found.push({ code: 'run-before', severity: 'warning', message, task });
    }
  }
  return found;
}

function isOpenedAndClosed(job: UnitJob, { column, journal, mode, byOwn, again }: JobSlice): boolean {
  if (column !== undefined || journal === true || again?.sure === true || job.carried !== undefined) return false;
  if (mode === 'append') return mayDo(job, 'update') || mayDo(job, 'delete');
  return mode === 'merge' && byOwn !== undefined;
}
