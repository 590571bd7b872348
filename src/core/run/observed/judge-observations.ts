import { plural } from '../../text/plural.ts';
import { floorTo } from '../../time/zones/floor.ts';
import { parseInstant } from '../../time/zones/iso.ts';
import type { TaskLineage } from './lineage-events.ts';
import type { Observation, ObservedColumn, ObservedTable } from './observation.ts';

/** Which rows of a table a task was seen to write for an interval. */
export type ObservedSlice =
  /** Those whose column lies in the interval, or on the UTC day of its start. */
  | { readonly kind: 'column'; readonly column: string; readonly of: 'interval' | 'day of start (UTC)' }
  /** All rows that the table then had. */
  | { readonly kind: 'all' };

export type TableVerdict = { readonly table: string } & (
  | {
      readonly kind: 'clear';
      readonly slice: ObservedSlice;
      /** Runs that count for it, each over another interval. */
      readonly runs: number;
      /** Rows that were written in all of them. */
      readonly rows: number;
      readonly mode: 'delete and insert' | 'insert and update' | 'update' | 'insert' | 'not counted';
      readonly who: string;
    }
  | { readonly kind: 'not clear'; readonly reason: string }
);

/** One table as one observation saw it, where nothing speaks against that the task wrote it. */
interface Sighting {
  readonly seen: ObservedTable & { readonly rows: number };
  readonly observation: Observation;
  readonly who: string;
}

/** A single look may be a coincidence; commit times do not tell who wrote, so that more of them are wanted. */
const enoughRuns = { watched: 2, 'commit times': 3 } as const;

/**
 * What a task writes, by what was seen while it ran. Clear only where one client alone can have written the table, in runs over
 * two intervals at least, and every written row was inside of each run's own: two writers at once, a transaction that had begun
 * before and columns that have nothing to do with it end in `not clear`, with the reason.
 */
export function judgeObservations(
  observations: readonly Observation[],
  lineage?: Pick<TaskLineage, 'writes'>,
): readonly TableVerdict[] {
  return judgedAlone(observations).map((one) => besideEvents(one, lineage?.writes ?? []));
}

/** What the events of its Airflow say that it writes is all of it: another table is somebody else's, or they are wrong. */
function besideEvents(verdict: TableVerdict, written: TaskLineage['writes']): TableVerdict {
  const { table } = verdict;
  if (verdict.kind !== 'clear' || written.length === 0 || written.some((one) => one.table === table)) return verdict;
  const named = written.map((one) => one.table).join(', ');
  return { table, kind: 'not clear', reason: `the OpenLineage events of the task name ${named} as what it writes` };
}

function judgedAlone(observations: readonly Observation[]): readonly TableVerdict[] {
  const names = [...new Set(observations.flatMap(({ tables }) => tables.map(({ table }) => table)))].sort();
  const verdicts = names.map((table) => judgeTable(table, observations));
  const clients = named(verdicts.flatMap((one) => (one.kind === 'clear' ? [one.who] : [])));
  if (clients.length < 2) return verdicts;
  const reason = `${clients.join(' and ')} wrote while it ran, and which of them is the task is not known`;
  return verdicts.map((one) => (one.kind === 'clear' ? { table: one.table, kind: 'not clear', reason } : one));
}

function judgeTable(table: string, observations: readonly Observation[]): TableVerdict {
  const sightings: Sighting[] = [];
  const doubts: string[] = [];
  for (const observation of observations) {
    const seen = observation.tables.find((one) => one.table === table);
    if (seen === undefined) continue;
    const judged = sighting(seen, observation);
    if (typeof judged === 'string') doubts.push(judged);
    // A run that only deleted, or found nothing to write, says nothing of where rows go.
    else if (judged.seen.rows > 0) sightings.push(judged);
  }
  const notClear = (reason: string): TableVerdict => ({ table, kind: 'not clear', reason });
  const runs = new Set(sightings.map(({ observation }) => observation.interval.start)).size;
  const clients = named(sightings.map(({ who }) => who));
  const isWatched = sightings.some(({ observation }) => observation.how === 'watched');
  if (runs < enoughRuns[isWatched ? 'watched' : 'commit times']) {
    const few =
      runs === 0 ? 'it was not seen to be written by the task alone' : `it was seen in ${plural(runs, 'run')} only`;
    return notClear([few, ...new Set(doubts)].join('; '));
  }
  if (clients.length > 1) return notClear(`${clients.join(' and ')} wrote it`);
  const slice = sliceOf(sightings);
  if (typeof slice === 'string') return notClear(slice);
  const rows = sightings.reduce((sum, { seen }) => sum + seen.rows, 0);
  return { table, kind: 'clear', slice, runs, rows, mode: modeOf(sightings), who: clients[0] ?? oneSession };
}

/** The sighting, or why it does not count, in words. */
function sighting(seen: ObservedTable, observation: Observation): Sighting | string {
  const { table, counted, rows, older } = seen;
  const { beside, unit } = observation;
  if (rows === undefined) return `${unit}: its rows are not known: ${seen.givenUp ?? 'they were not looked at'}`;
  if (beside.length > 0) return `${unit}: ${beside.slice(0, 3).join(', ')} ran at the same time`;
  if (older) return `${unit}: a transaction that began before it wrote ${table} too`;
  if (counted !== undefined) {
    const { inserted, updated, deleted } = counted;
    if (rows < inserted - deleted || rows > inserted + updated)
      return `${unit}: ${plural(rows, 'row')} of it ${rows === 1 ? 'was' : 'were'} seen, and ${inserted} inserted, ${updated} updated, ${deleted} deleted were counted`;
  }
  const who = onlyWriter(seen, observation);
  if (who === undefined) return `${unit}: somebody else may have written it meanwhile (${clientsInWords(observation)})`;
  return { seen: { ...seen, rows }, observation, who };
}

const oneSession = 'a session that was not seen';

/** Different clients; a lone session that was too short to be seen may be any of them. */
const named = (clients: readonly string[]): readonly string[] => [
  ...new Set(clients.filter((client) => client !== oneSession)),
];

/**
 * The one client that can have written the rows; `undefined` where there were several: which of them is the task is nowhere said,
 * not even where all rows of a table are one client's.
 */
function onlyWriter({ transactions }: ObservedTable, { clients, unseen, how }: Observation): string | undefined {
  const [first, ...more] = clients;
  if (how === 'commit times') return transactions === 1 ? oneSession : undefined;
  if (unseen === 0 && more.length === 0) return first;
  return unseen === 1 && first === undefined ? oneSession : undefined;
}

function clientsInWords({ clients, unseen, how }: Observation): string {
  if (how === 'commit times') return 'it was written in several transactions';
  const hidden = unseen === undefined ? 'sessions are not counted' : `${plural(unseen, 'session')} not seen`;
  return [...clients, ...(unseen === 0 ? [] : [hidden])].join(', ');
}

function sliceOf(sightings: readonly Sighting[]): ObservedSlice | string {
  const [first] = sightings;
  const columns = first?.seen.columns ?? [];
  const within = columns.flatMap(({ name }): ObservedSlice[] => {
    const seen = sightings.map(({ seen: { columns: own, rows }, observation }) => {
      const column = own.find((one) => one.name === name);
      return column === undefined || column.rows !== rows ? [] : fits(column, observation.interval);
    });
    const of = (['interval', 'day of start (UTC)'] as const).find((one) => seen.every((fit) => fit.includes(one)));
    return of === undefined ? [] : [{ kind: 'column', column: name, of }];
  });
  const [one, ...others] = within;
  if (one !== undefined && others.length === 0) return one;
  if (one !== undefined) {
    const named = within.flatMap((slice) => (slice.kind === 'column' ? [slice.column] : []));
    return `${named.join(' and ')} all lie inside of the interval: say in backfill.yaml which of them cuts it`;
  }
  if (sightings.every(({ seen }) => seen.all)) return { kind: 'all' };
  return 'no column of the rows that were written stays inside of the interval';
}

type Fit = Extract<ObservedSlice, { kind: 'column' }>['of'];

/** How the values of a column lie to an interval. Bounds are cut as a run cuts them: days and wall times are those of UTC. */
function fits({ type, first, last }: ObservedColumn, interval: Observation['interval']): readonly Fit[] {
  if (first === undefined || last === undefined) return [];
  const [from, to] = [first, last].map((text) => parseInstant(type === 'integer' ? dashed(text) : text, 'UTC'));
  if (from === undefined || to === undefined) return [];
  const { start, end } = interval;
  const day = floorTo(start, 'day', 'UTC');
  const isWhole = day === start && floorTo(end, 'day', 'UTC') === end;
  const isTime = type === 'timestamp' || type === 'timestamptz';
  const inside: Fit[] = (isTime || isWhole) && from >= start && to < end ? ['interval'] : [];
  return !isTime && from === day && to === day ? [...inside, 'day of start (UTC)'] : inside;
}

/** `20261101` as `2026-11-01`. */
const dashed = (text: string): string => `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;

function modeOf(sightings: readonly Sighting[]): Extract<TableVerdict, { kind: 'clear' }>['mode'] {
  const counts = sightings.map(({ seen }) => seen.counted);
  if (counts.includes(undefined)) return 'not counted';
  const some = (name: 'inserted' | 'updated' | 'deleted') => counts.some((counted) => (counted?.[name] ?? 0) > 0);
  if (some('deleted') && some('inserted')) return 'delete and insert';
  if (some('updated')) return some('inserted') ? 'insert and update' : 'update';
  return 'insert';
}

/** What a clear verdict rests on, in words. */
export function evidenceInWords({ slice, runs, rows, mode }: Extract<TableVerdict, { kind: 'clear' }>): string {
  const all = `in ${plural(runs, 'run')} all ${plural(rows, 'written row')}`;
  const how = mode === 'not counted' ? '' : ` (${mode})`;
  if (slice.kind === 'all') return `${all} were all rows of the table${how}`;
  return `${all} had ${slice.column} ${slice.of === 'interval' ? 'inside of the interval' : 'on the day of its start (UTC)'}${how}`;
}
