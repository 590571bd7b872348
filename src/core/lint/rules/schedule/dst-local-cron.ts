import type { Pipeline } from '../../../pipeline/model/model.ts';
import { oncePer } from '../../../pipeline/workspace/memo.ts';
import { parseCron } from '../../../time/schedules/cron.ts';
import { cronTicks } from '../../../time/schedules/cron-ticks.ts';
import { type CivilDate, civilOf, dayMs } from '../../../time/zones/civil.ts';
import { instant } from '../../../time/zones/instant.ts';
import { type WallTime, wallTime } from '../../../time/zones/wall-time.ts';
import { lastChange, offsetMs } from '../../../time/zones/zone.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';

/** On two nights of the year the run comes at another hour, and the intervals beside it are longer or shorter. */
function* check({ pipeline }: LintContext): Generator<RuleFinding> {
  const { value, at } = pipeline.schedule;
  if (value.kind !== 'cron' || at === undefined) return;
  const { removed, repeated } = nightsOf(pipeline);
  if (removed === undefined && repeated === undefined) return;
  const said = [
    removed &&
      `${removed.clock} does not exist on ${removed.day}, so the run comes later and the interval that begins there is shorter`,
    repeated &&
      `${repeated.clock} comes twice on ${repeated.day}, of which the second counts, so the interval that ends there is longer`,
  ].filter((one) => one !== undefined);
  yield {
    at,
    message: `In ${value.zone} ${said.join('; ')}.`,
    subject: `${pipeline.id} local cron`,
  };
}

/** A wall time on the night of a clock change. */
interface Night {
  /** `02:30`. */
  readonly clock: string;
  /** `2024-03-10`. */
  readonly day: string;
}

interface Nights {
  readonly removed?: Night | undefined;
  readonly repeated?: Night | undefined;
}

/** The first ticks of the DAG's first two years (of 2025 and 2026 where no start is known) that a clock change removes or repeats. */
const nightsOf = oncePer(({ schedule: { value }, anchor: { startDate } }: Pipeline): Nights => {
  if (value.kind !== 'cron' || value.zone === 'UTC') return {};
  const from = startDate ?? instant(Date.UTC(2025, 0, 1));
  const nights: { removed?: Night; repeated?: Night } = {};
  // From the last change to the first, so that the first of each kind stays.
  for (let at = lastChange(value.zone, instant(from + 730 * dayMs)); at > from; ) {
    const before = offsetMs(value.zone, instant(at - 1));
    const after = offsetMs(value.zone, at);
    const first = wallTime(at + Math.min(before, after));
    const tick = firstTick([value.expression, ...(value.others ?? [])], first, wallTime(at + Math.max(before, after)));
    if (tick !== undefined) nights[after > before ? 'removed' : 'repeated'] = nightOf(tick);
    at = lastChange(value.zone, instant(at - 1));
  }
  return nights;
});

/** The first tick at or after a wall time and before another; a cron that ticks in every hour goes by elapsed time. */
function firstTick(expressions: readonly string[], from: WallTime, to: WallTime): WallTime | undefined {
  for (const expression of expressions) {
    const { cron } = parseCron(expression);
    const ticks = cron && cronTicks(cron);
    if (ticks === undefined || ticks.everyHour) continue;
    const tick = ticks.next(wallTime(from - 1));
    if (tick < to) return tick;
  }
  return undefined;
}

function nightOf(wall: WallTime): Night {
  const day = Math.floor(wall / dayMs);
  const minutes = Math.floor((wall - day * dayMs) / 60_000);
  const { year, month, day: date }: CivilDate = civilOf(day);
  const two = (value: number): string => String(value).padStart(2, '0');
  return { clock: `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`, day: `${year}-${two(month)}-${two(date)}` };
}

export default {
  id: 'dst-local-cron',
  severity: 'info',
  summary: 'A local cron on an hour that a change of the clocks removes or repeats',
  help: 'Tick at an hour that every day has once, such as 04:30, or in UTC; the plan shows the intervals of these nights as they are.',
  supersedes: [],
  check,
} satisfies Rule;
