import type { Problem, SourceSpan } from '../../../text/span.ts';
import type { Instant } from '../../../time/instant.ts';
import { fromWall } from '../../../time/zone.ts';
import type { ZoneName } from '../../../time/zone-name.ts';
import type { Keyword } from '../../python/call.ts';
import { parseDate } from '../../python/parse-date.ts';
import { plainText } from '../../python/text-value.ts';
import { clocksOf, type Value } from '../../python/value.ts';
import type { AirflowSettings } from './airflow-settings.ts';
import { type DagBuilder, dagArgument, defaultArguments } from './program.ts';

export interface DagDates {
  readonly startDate: Instant | undefined;
  readonly endDate: Instant | undefined;
  readonly startDateAt: SourceSpan | undefined;
  readonly zone: ZoneName;
  readonly problems: readonly Problem[];
  /** Why the zone cannot be told, so that no tick can be computed. */
  readonly noZone: string | undefined;
}

/** Start, end and zone of a DAG. The zone is the start date's, as Airflow takes it; a naive date is in the default one. */
export function datesOf(dag: DagBuilder, settings: AirflowSettings): DagDates {
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
  return {
    noZone,
    startDate: startDate && fromWall(startDate.zone ?? settings.defaultZone, startDate.wall),
    endDate: endDate && fromWall(endDate.zone ?? settings.defaultZone, endDate.wall),
    startDateAt: start?.valueAt,
    zone,
    problems,
  };
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

const isNone = (value: Value): boolean => value.kind === 'scalar' && value.value === null;

const reasonOf = (value: Value): string => (value.kind === 'unknown' ? ` (${value.reason})` : '');
