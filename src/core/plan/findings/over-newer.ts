import { saysChange } from '../../lineage/columns/column-type.ts';
import type { WriteFact } from '../../lineage/facts/facts.ts';
import { columnsOfCut } from '../../lineage/facts/slice-cut.ts';
import { plural } from '../../text/plural.ts';
import { lastFinished } from '../../time/intervals/last-finished.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { PlanFinding } from '../model/plan.ts';
import type { Planned } from './planned.ts';
import { tasksOf } from './planned-tasks.ts';

/**
 * Where rows of a table are those of several intervals and the last run of them counts: finished intervals behind the planned
 * ones that are not run again, so that older values may come to stand over theirs.
 */
export function overNewer({
  request,
  graph,
  expansion,
  units,
}: Pick<Planned, 'request' | 'graph' | 'expansion' | 'units'>): readonly PlanFinding[] {
  return tasksOf(units).flatMap((id): readonly PlanFinding[] => {
    const task = graph.tasks.get(id);
    const last = expansion.kept.get(id)?.at(-1)?.interval;
    if (task?.grid === undefined || last === undefined || task.fullRefresh || task.lastRunWins) return [];
    const horizon = lastFinished(task.grid, request.now)?.next;
    if (horizon === undefined || last.next >= horizon) return [];
    const behind = task.grid.overlapping(last.next, horizon).length;
    const shared = task.writes.flatMap((write) => sharesRows(write) ?? []);
    if (behind === 0 || shared.length === 0) return [];
    return shared.map(({ table, why }): PlanFinding => {
      const message = `${id} ${why}: ${plural(behind, 'finished interval')} from ${toIso(last.next)} on ${behind === 1 ? 'is' : 'are'} not in the plan, and where ${behind === 1 ? 'it has' : 'they have'} written the same rows of ${table}, older values come to stand over theirs. Plan up to ${toIso(horizon)}, not included, to have the newest come last.`;
      return { code: 'over-newer', severity: 'warning', message, task: id };
    });
  });
}

/** Why rows of one interval may be another's as well; `undefined` where each has its own, or newer ones are kept. */
function sharesRows({
  table,
  mode,
  slice,
  key,
  journal,
  leavesOut,
  overNewer: over,
}: WriteFact): { readonly table: string; readonly why: string } | undefined {
  if (journal === true) return undefined;
  const changes =
    mode === 'update' || mode === 'merge' || (mode === 'append' && leavesOut !== undefined && over === true);
  if (slice.kind === 'whole-table' && changes)
    return { table, why: `changes rows of ${table} whatever interval they are of` };
  if (over !== true || mode === 'append' || (mode === 'merge' && key.length === 0 && slice.kind !== 'unknown'))
    return undefined;
  const by = key.length === 0 ? 'the keys that its source names' : key.join(', ');
  const why = `writes rows of ${table} by ${by}, whichever interval they are of`;
  // It moves rows from one slice to another; or the same row comes in each interval in which it changed.
  if (slice.kind === 'unknown') return { table, why };
  const isShared =
    mode === 'merge' && slice.kind === 'range' && !columnsOfCut(slice).every((column) => key.includes(column));
  return isShared && saysChange(slice.column) ? { table, why } : undefined;
}
