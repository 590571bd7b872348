import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, PlanFinding, UnitId } from '../../plan/model/plan.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { joinUnits } from './join-units.ts';
import { mayJoin } from './may-join.ts';
import { isApart } from './varying-text.ts';

/** Of tasks with `batch`: that intervals go together, or why none do, as far as their SQL says it. */
export function batchFindings(plan: Plan, jobs: ReadonlyMap<UnitId, UnitJob>): readonly PlanFinding[] {
  return [...plan.byTask].flatMap(([task, positions]): readonly PlanFinding[] => {
    const own = positions.flatMap((position) => jobs.get(plan.units[position]?.id ?? '') ?? []);
    const [first, ...more] = own;
    return first?.options.batchMs === undefined || more.length === 0 ? [] : [finding(task, whyAlone(own))];
  });
}

function whyAlone(jobs: readonly UnitJob[]): string | undefined {
  if (jobs.some(({ place }) => place?.kind === 'lake')) return 'partitions of files are published unit by unit';
  const neighbours = jobs.flatMap((job, index) => {
    const before = jobs[index - 1];
    return before !== undefined && mayJoin(before, before, job) ? [[before, job] as const] : [];
  });
  const [pair] = neighbours;
  if (pair === undefined) return 'no two of its intervals have slices side by side that are no longer than that';
  const joined = joinUnits(pair);
  return isApart(joined) ? joined.apart : undefined;
}

const finding = (task: TaskId, reason: string | undefined): PlanFinding => ({
  code: 'batch',
  severity: 'info',
  message:
    reason === undefined
      ? `${task} makes intervals side by side in one go, each with its own figures`
      : `${task} makes each interval by itself although batch is set, because ${reason}`,
  task,
});
