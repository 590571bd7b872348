import { type Command, Option } from 'commander';
import type { PlanRequest, Selection } from '../../core/plan/model/plan-request.ts';
import { taskOfUnit } from '../../core/plan/model/unit-id.ts';
import { type Instant, instant } from '../../core/time/zones/instant.ts';
import { parseInstant } from '../../core/time/zones/iso.ts';
import { shift } from '../../core/time/zones/shift.ts';
import type { ZoneName } from '../../core/time/zones/zone-name.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';
import { type Findable, findTasks } from './find-tasks.ts';

export interface SelectionOptions {
  readonly from?: string;
  readonly to?: string;
  readonly logicalDates?: string;
  readonly unit: readonly string[];
  readonly downstream?: boolean;
  readonly without: readonly string[];
  readonly expandUnbounded?: boolean;
  readonly allowAppend?: boolean;
  readonly allowExpired?: boolean;
  readonly now?: string;
  readonly order?: 'oldest' | 'newest';
}

/** The options by which `plan` and `run` pick their intervals. */
export function addSelectionOptions(command: Command): Command {
  return command
    .option('--from <time>', 'first instant of the data, e.g. 2026-11-01 (midnight in the zone of the pipeline)')
    .option('--to <time>', 'end of the data, not included, e.g. 2026-12-01')
    .option('--logical-dates <A..B>', 'pick by logical date instead, both days included, e.g. 2026-11-01..2026-11-30')
    .addOption(
      new Option('--unit <id>', 'of these only the slice dag.task@2026-11-01T00:00:00Z; may be repeated')
        .default([] as string[], 'all of them')
        .argParser((unit: string, before: readonly string[]) => [...before, unit]),
    )
    .option('--downstream', 'with everything that reads what is rewritten')
    .addOption(
      new Option('--without <task>', 'leave a downstream task out; may be repeated')
        .default([] as string[], 'none')
        .argParser((task: string, before: readonly string[]) => [...before, task]),
    )
    .option('--expand-unbounded', 'also redo tasks that read a whole table, for all later intervals')
    .option('--allow-append', 'let tasks run that add rows or values, although a second run adds them again')
    .option('--allow-expired', 'let intervals run although their sources no longer keep their rows')
    .option('--now <time>', 'plan as though it were this time (UTC unless it has an offset)');
}

/** In which order the intervals of a plan come, for the commands that run it or show it. */
export const addOrderOption = (command: Command): Command =>
  command.addOption(
    new Option(
      '--order <which>',
      'which intervals come first; tasks whose runs build on earlier ones stay oldest first, and the plan says which',
    )
      .choices(['oldest', 'newest'])
      .default('oldest'),
  );

/** What the options ask for. Throws {@link UsageError} for what cannot be meant. */
export function planRequest(
  words: readonly string[],
  options: SelectionOptions,
  workspace: Findable,
  shell: Shell,
): PlanRequest {
  const selected = findTasks(words, workspace);
  const others = options.unit.filter((unit) => !selected.some(({ id }) => id === taskOfUnit(unit)));
  if (others[0] !== undefined) {
    throw new UsageError(
      `--unit ${others[0]} is of none of the tasks that are named`,
      'write it as `backfill plan` lists it',
    );
  }
  return {
    tasks: selected.map(({ id }) => id),
    selection: selectionOf(options, [...new Set(selected.map(({ zone }) => zone))]),
    ...(options.unit.length > 0 && { only: options.unit }),
    downstream: options.downstream ?? false,
    without: findTasks(options.without, workspace).map(({ id }) => id),
    expandUnbounded: options.expandUnbounded ?? false,
    allowAppend: options.allowAppend ?? false,
    allowExpired: options.allowExpired ?? false,
    ...(options.order !== undefined && { order: options.order }),
    now: options.now === undefined ? shell.clock.now() : readTime('--now', options.now, 'UTC'),
  };
}

function selectionOf({ from, to, logicalDates }: SelectionOptions, zones: readonly ZoneName[]): Selection {
  if (logicalDates !== undefined) {
    if (from !== undefined || to !== undefined)
      throw new UsageError('--logical-dates and --from/--to exclude each other');
    const [first, last, more] = logicalDates.split('..');
    if (first === undefined || last === undefined || more !== undefined) {
      throw new UsageError(`--logical-dates ${logicalDates} is not a range`, 'write it like 2026-11-01..2026-11-30');
    }
    const range = {
      first: inZones('--logical-dates', first, zones),
      last: inZones('--logical-dates', last, zones, lastOfDay),
    };
    if (range.first > range.last) throw new UsageError('--logical-dates: the first one is after the last one');
    return { kind: 'logical-dates', ...range };
  }
  if (from === undefined || to === undefined) {
    throw new UsageError('say which intervals', 'give --from and --to (end not included), or --logical-dates A..B');
  }
  const range = { from: inZones('--from', from, zones), to: inZones('--to', to, zones) };
  if (range.from >= range.to) {
    throw new UsageError(
      `--to ${to} is not after --from ${from}`,
      '--to is the end of the data and not included: for one day give the next day',
    );
  }
  return { kind: 'data-range', ...range };
}

/** A bare date that is included is its whole day. */
const lastOfDay = (at: Instant, text: string, zone: ZoneName): Instant =>
  /^\s*\d{4}-\d{2}-\d{2}\s*$/.test(text) ? instant(shift(at, oneDay, zone) - 1) : at;

const oneDay = { months: 0, days: 1, ms: 0 };

function inZones(
  option: string,
  text: string,
  zones: readonly ZoneName[],
  meant: (at: Instant, text: string, zone: ZoneName) => Instant = (at) => at,
): Instant {
  const times = new Set(zones.map((zone) => meant(readTime(option, text, zone), text, zone)));
  if (times.size > 1) {
    throw new UsageError(
      `${option} ${text} is not the same time for all selected tasks: they are in ${zones.join(', ')}`,
      'give it with an offset, e.g. 2026-11-01T00:00+01:00',
    );
  }
  const [time] = times;
  return time ?? meant(readTime(option, text, 'UTC'), text, 'UTC');
}

export function readTime(option: string, text: string, zone: ZoneName): Instant {
  const time = parseInstant(text, zone);
  if (time === undefined) {
    throw new UsageError(
      `${option} ${text} is not a date or time`,
      'write it like 2026-11-01, 2026-11-01T05:00 or 2026-11-01T05:00:00Z',
    );
  }
  return time;
}
