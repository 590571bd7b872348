import type { Problem, SourceSpan } from '../../../../text/span.ts';
import { type Instant, instant } from '../../../../time/zones/instant.ts';
import { toIso } from '../../../../time/zones/iso.ts';
import { fromWall } from '../../../../time/zones/zone.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';
import type { Task } from '../../../model/model.ts';
import { parseDate } from '../../../python/library/parse-date.ts';
import { clocksOf } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Keyword, Value } from '../../../python/values/value.ts';
import { isNone } from '../program/arguments.ts';
import { type DagBuilder, dagArgument, defaultArguments, type TaskBuilder, taskArgument } from '../program/program.ts';
import type { AirflowSettings } from './airflow-settings.ts';

export interface DagDates {
  readonly startDate: Instant | undefined;
  readonly endDate: Instant | undefined;
  readonly startDateAt: SourceSpan | undefined;
  readonly zone: ZoneName;
  readonly problems: readonly Problem[];
  /** Why the zone cannot be told, so that no tick can be computed. */
  readonly noZone: string | undefined;
}

/**
 * Start, end and zone of a DAG. The zone is the start date's, as Airflow takes it; a naive date is in the default one.
 * Tasks with dates of their own move the ends: the runs begin with the first task of a DAG that has no start itself, and
 * end with the last one where every task ends.
 */
export function datesOf(dag: DagBuilder, tasks: readonly TaskBuilder[], settings: AirflowSettings): DagDates {
  const start = dateArgument(dag, 'start_date', 5);
  const end = dateArgument(dag, 'end_date', 6);
  const problems: Problem[] = [];
  const startDate = start && dateOf(start.value);
  const endDate = end && dateOf(end.value);
  const zone = startDate?.zone ?? (start === undefined ? endDate?.zone : undefined) ?? settings.defaultZone;
  if (start !== undefined && startDate === undefined && clocksOf(start.value).length === 0 && !isNone(start.value))
    problems.push({
      message: `The start date is not a constant${reasonOf(start.value)}, so the first interval of this DAG is not known. Write a fixed date.`,
      at: start.valueAt,
      severity: 'warning',
    });
  const noZone =
    start !== undefined &&
    startDate === undefined &&
    start.value.kind === 'unknown' &&
    /^the time zone /.test(start.value.reason)
      ? start.value.reason
      : undefined;
  const instantOf = (value: Value): Instant | undefined => {
    const date = dateOf(value);
    return date && fromWall(date.zone ?? settings.defaultZone, date.wall);
  };
  const begin = start && instantOf(start.value);
  problems.push(...laterTasks(begin, tasks, instantOf));
  const starts = start === undefined ? tasks.map((task) => taskArgument(task, 'start_date')) : [];
  const firstStart = starts.flatMap((keyword) => keyword ?? [])[0];
  return {
    noZone,
    startDate: start === undefined ? earliest(starts, instantOf) : begin,
    endDate: lastEnd(end && instantOf(end.value), tasks, instantOf),
    startDateAt: (start ?? firstStart)?.valueAt,
    zone,
    problems,
  };
}

/** From which logical date to which a task has runs, by dates of its own, of its groups and of `default_args`. */
export function taskDates(task: TaskBuilder, { defaultZone }: AirflowSettings, problems: Problem[]): Task['dates'] {
  const [first, last] = ['start_date', 'end_date'].map((name) => {
    const given = taskArgument(task, name);
    if (given === undefined || isNone(given.value)) return undefined;
    const date = dateOf(given.value);
    if (date !== undefined) return fromWall(date.zone ?? defaultZone, date.wall);
    // What is the DAG's as well is said there.
    if (task.made.keywords.has(name))
      problems.push({
        message: `The ${name} of task ${task.name} is not a constant${reasonOf(given.value)}, so the intervals that it leaves out are not known. Write a fixed date.`,
        at: given.valueAt,
        severity: 'info',
      });
    return undefined;
  });
  return first === undefined && last === undefined ? undefined : { first, last };
}

type DateReading = (value: Value) => Instant | undefined;

/** The first of the tasks' start dates; one that is not known could be earlier than all others. */
function earliest(starts: readonly (Keyword | undefined)[], instantOf: DateReading): Instant | undefined {
  const given = starts.filter((start) => start !== undefined && !isNone(start.value)).map((start) => start?.value);
  const known = given.map((value) => value && instantOf(value));
  return known.length > 0 && known.every((one) => one !== undefined) ? instant(Math.min(...known)) : undefined;
}

/** A task that starts after its DAG has no run before that, which the intervals of the DAG do not show. */
function laterTasks(begin: Instant | undefined, tasks: readonly TaskBuilder[], instantOf: DateReading): Problem[] {
  if (begin === undefined) return [];
  return tasks.flatMap((task): Problem[] => {
    const own = task.made.keywords.get('start_date');
    const at = own && instantOf(own.value);
    return at === undefined || at <= begin
      ? []
      : [
          {
            message: `Task ${task.name} starts on ${toIso(at).slice(0, 10)}, later than its DAG: Airflow does not run it for earlier intervals.`,
            at: own?.at,
            severity: 'info',
          },
        ];
  });
}

/** A DAG that ends ends for all its tasks, at the latest; without that, it ends when all of them do. */
function lastEnd(end: Instant | undefined, tasks: readonly TaskBuilder[], instantOf: DateReading): Instant | undefined {
  if (end !== undefined || tasks.length === 0) return end;
  const ends = tasks.map((task) => {
    const given = taskArgument(task, 'end_date');
    return given && instantOf(given.value);
  });
  return ends.every((one) => one !== undefined) ? instant(Math.max(...ends)) : undefined;
}

function dateArgument(dag: DagBuilder, name: string, position: number): Keyword | undefined {
  const own = dagArgument(dag, name, position);
  if (own !== undefined) return own;
  const entry = defaultArguments(dag.made)?.entries.get(name);
  return entry && { name, ...entry };
}

function dateOf(value: Value) {
  if (value.kind === 'datetime') return value;
  const text = plainText(value);
  return text === undefined ? undefined : parseDate(text, undefined, 'airflow.utils.timezone.parse');
}

const reasonOf = (value: Value): string => (value.kind === 'unknown' ? ` (${value.reason})` : '');
