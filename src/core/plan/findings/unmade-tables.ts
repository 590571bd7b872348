import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlanFinding } from '../model/plan.ts';
import type { Planned } from './planned.ts';

/** Names that are spelled out; of the others it is said how many there are. */
const most = 3;

/**
 * Tasks outside of the plan that may read what it rewrites through something that only the database has: a view or a
 * function that nobody was asked about, or a materialized view that no task refreshes.
 */
export function unmadeTables({ tasks, request, units }: Pick<Planned, 'tasks' | 'request' | 'units'>): PlanFinding[] {
  if (!request.downstream || units.length === 0) return [];
  const planned = new Set(units.map(({ task }) => task));
  const written = new Set(units.flatMap(({ slices }) => slices.map(({ table }) => table)));
  const found = {
    unasked: new Map<string, TaskId[]>(),
    unread: new Map<string, TaskId[]>(),
    unrefreshed: new Map<string, TaskId[]>(),
  };
  for (const { id, unmade = [] } of tasks) {
    for (const { name, why, over } of unmade) {
      if (why === 'unrefreshed' ? !over.some((table) => written.has(table)) : planned.has(id)) continue;
      found[why].set(name, [...(found[why].get(name) ?? []), id]);
    }
  }
  const finding = (severity: 'warning' | 'info', message: string): PlanFinding => ({
    code: 'unmade-table',
    severity,
    message,
    task: undefined,
  });
  const refreshed = [...found.unrefreshed].map(([name, readers]) => {
    const message = `${name} is a materialized view over what this plan rewrites, and no task of the workspace refreshes it: ${list(readers)} will read it as of its last refresh.`;
    return finding('warning', message);
  });
  const unread = [...found.unread].map(([name, callers]) => {
    const message = `What ${name} of the database reads is not known, because it runs text that it makes as SQL or is not written in SQL: its callers (${list(callers)}) may be stale after this plan.`;
    return finding('info', message);
  });
  if (found.unasked.size === 0) return [...refreshed, ...unread];
  const names = [...found.unasked.keys()].sort();
  const readers = [...new Set([...found.unasked.values()].flat())];
  const [are, their] = names.length === 1 ? ['is', 'its'] : ['are', 'their'];
  const message = `${list(names)} ${are} made by nothing in this workspace; ${their} readers (${list(readers)}) may be stale after this plan, where a view or function of the database stands behind the name.`;
  return [...refreshed, ...unread, finding('info', message)];
}

/** The plan rests on the files alone. */
export const unaskedFinding = (reason: string): PlanFinding => ({
  code: 'unmade-table',
  severity: 'info',
  message: `The database was not asked which views and functions it has, so what is read through them is not in this plan: ${reason.replace(/\.$/, '')}.`,
  task: undefined,
});

function list(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, most), names.length - most];
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
