import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, UnitId } from '../../plan/model/plan.ts';
import type { JoiningExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** Which units of a task go together, as positions of their plan. */
export interface JoinedPositions {
  /** The unit and those next to it that may go with it, oldest first. */
  from(position: number, isFree: (position: number) => boolean): readonly number[];
  /** They were tried together, and each is to run alone; `always`: so are all of their task. */
  keepApart(positions: readonly number[], always: boolean): void;
}

export function joinedPositions(
  plan: Plan,
  jobs: ReadonlyMap<UnitId, UnitJob>,
  together: JoiningExecutor | undefined,
): JoinedPositions {
  const alone = new Set<number>();
  const tasksAlone = new Set<TaskId>();
  const places = new Map<number, number>();
  for (const positions of plan.byTask.values()) for (const [place, at] of positions.entries()) places.set(at, place);
  const unitAt = (position: number) => plan.units[position];
  const jobAt = (position: number | undefined): UnitJob | undefined => {
    const unit = position === undefined ? undefined : unitAt(position);
    return unit && jobs.get(unit.id);
  };

  return {
    from(position, isFree) {
      const unit = unitAt(position);
      const own = jobAt(position);
      if (together === undefined || unit === undefined || own === undefined) return [position];
      if (alone.has(position) || tasksAlone.has(unit.task)) return [position];
      const lane = plan.byTask.get(unit.task) ?? [];
      const place = places.get(position) ?? 0;
      const found = [position];
      let [first, last] = [own, own];
      const candidate = (at: number): UnitJob | undefined => {
        const other = lane[at];
        return other === undefined || alone.has(other) || !isFree(other) ? undefined : jobAt(other);
      };
      for (let at = place + 1; ; at++) {
        const next = candidate(at);
        if (next === undefined || !together.mayJoin(first, last, next)) break;
        found.push(lane[at] as number);
        last = next;
      }
      for (let at = place - 1; ; at--) {
        const before = candidate(at);
        // Next to the first one, and with the last one not too long.
        if (before === undefined || !together.mayJoin(before, before, first)) break;
        if (found.length > 1 && !together.mayJoin(before, jobAt(found.at(-2)) ?? first, last)) break;
        found.unshift(lane[at] as number);
        first = before;
      }
      return found;
    },
    keepApart(positions, always) {
      for (const position of positions) {
        alone.add(position);
        const unit = unitAt(position);
        if (always && unit !== undefined) tasksAlone.add(unit.task);
      }
    },
  };
}
