import type { TaskId } from '../../../pipeline/model/model.ts';
import { rangeOfRun } from '../../../plan/intervals/picked-runs.ts';
import type { UnitId } from '../../../plan/model/plan.ts';
import type { PlannableTask } from '../../../plan/model/plan-request.ts';
import { taskOfUnit } from '../../../plan/model/unit-id.ts';
import { instant } from '../../../time/zones/instant.ts';
import { typedTime } from '../../words/typed-time.ts';

/** A range that holds units which were picked one by one, as it would be typed on the page of a task. */
export interface PickedRange {
  /** Whose page it is. */
  readonly task: TaskId;
  readonly from: string;
  readonly to: string;
  readonly only: readonly UnitId[];
  /** Units that the workspace does not have any more. */
  readonly gone: readonly UnitId[];
}

/** From the first data of the units to the last; the page is that of the task that comes first in the workspace. */
export function pickedRange(tasks: readonly PlannableTask[], units: readonly UnitId[]): PickedRange | undefined {
  const named = new Map(tasks.map((task, order) => [task.id, { task, order }]));
  const found = units.flatMap((unit) => {
    const known = named.get(taskOfUnit(unit));
    const start = Date.parse(unit.slice(unit.lastIndexOf('@') + 1));
    const run = Number.isNaN(start) ? undefined : known?.task.grid?.containing(instant(start));
    return known === undefined || run === undefined || run.start !== start
      ? []
      : [{ ...known, unit, range: rangeOfRun(known.task, run) }];
  });
  const first = found.reduce<(typeof found)[number] | undefined>(
    (least, one) => (least === undefined || one.order < least.order ? one : least),
    undefined,
  );
  if (first === undefined) return undefined;
  const { id, zone } = first.task;
  const there = new Set(found.map(({ unit }) => unit));
  return {
    task: id,
    from: typedTime(
      instant(found.reduce<number>((least, { range }) => Math.min(least, range.from), first.range.from)),
      zone,
    ),
    to: typedTime(instant(found.reduce<number>((most, { range }) => Math.max(most, range.to), first.range.to)), zone),
    only: [...there],
    gone: units.filter((unit) => !there.has(unit)),
  };
}
