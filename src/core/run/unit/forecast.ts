import { toBeWritten } from '../../sql/model/name-parts.ts';
import { plural } from '../../text/plural.ts';

/** What a preview or a run is going to do to its database, as far as that can be said without doing it. */
export interface Forecast {
  /**
   * `query`: a query is compared with the live rows, nothing is written. `transaction`: everything in one transaction
   * that is rolled back. `units`: each unit in a transaction of its own. `stage`: results are written beside their tables,
   * compared, and deleted.
   */
  readonly way: 'query' | 'transaction' | 'units' | 'stage';
  /** The planner's estimates over all units, most rows first. `whole`: it scans all of the table each time. */
  readonly reads: readonly { readonly table: string; readonly rows: number; readonly whole: boolean }[];
  readonly writes: readonly TableWrites[];
  readonly locks: readonly TableLock[];
  /** How long locks are held at most, in milliseconds; `undefined`: as long as each unit takes. */
  readonly heldAtMostMs: number | undefined;
  /** Statements without an estimate, e.g. because they use a table that the task makes first. */
  readonly unplanned: number;
  /** Why there is no estimate at all. */
  readonly problem: string | undefined;
}

export interface TableWrites {
  readonly table: string;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

export interface TableLock {
  readonly table: string;
  /**
   * Who waits: those who change the same rows or the table itself (`rows`), all who write it (`writers`), or readers
   * too (`everyone`).
   */
  readonly against: 'rows' | 'writers' | 'everyone';
}

/** One line a subject: what it is about, and what is said of it. */
export interface ForecastLine {
  readonly about: 'reads' | 'writes' | 'locks' | 'leaves';
  readonly text: string;
}

export function forecastInWords(forecast: Forecast): readonly ForecastLine[] {
  const { reads, writes, unplanned, problem, way } = forecast;
  const lines: ForecastLine[] = [];
  if (problem !== undefined) lines.push({ about: 'reads', text: `not estimated: ${problem}` });
  if (reads.length > 0) {
    const tables = reads.map(({ table, rows, whole }) => `${roughly(rows)} of ${table}${whole ? ' (scans it)' : ''}`);
    lines.push({ about: 'reads', text: `about ${few(tables)}` });
  }
  const changes = writes.map((write) => `${write.table}: ${changesOf(write)}`);
  if (way === 'query') {
    const ofRun = changes.length === 0 ? '' : `; a run about ${few(changes, '; ')}`;
    lines.push({ about: 'writes', text: `nothing${ofRun}` });
  } else if (way === 'stage')
    lines.push({ about: 'writes', text: 'a stage beside each table, which is deleted again' });
  else if (changes.length > 0) lines.push({ about: 'writes', text: `about ${few(changes, '; ')}` });
  if (unplanned > 0) {
    const more = reads.length + changes.length > 0 ? ' more' : '';
    lines.push({ about: 'writes', text: `not estimated: ${plural(unplanned, 'statement')}${more}` });
  }
  lines.push(...lockLines(forecast));
  const dead = writes.filter(({ inserted, updated }) => inserted + updated > 0);
  if (way === 'transaction' && dead.length > 0) {
    const tables = dead.map((write) => `${roughly(write.inserted + write.updated, 'dead row')} in ${write.table}`);
    lines.push({ about: 'leaves', text: `about ${few(tables)}, although rolled back: VACUUM frees them` });
  }
  return lines;
}

function lockLines({ way, locks, heldAtMostMs }: Forecast): readonly ForecastLine[] {
  const atMost = heldAtMostMs === undefined ? '' : `, at most ${Math.round(heldAtMostMs / 60_000)} min`;
  if (way === 'query') {
    return [{ about: 'locks', text: `none that reads or changes of rows wait for; ALTER and TRUNCATE wait${atMost}` }];
  }
  const held = way === 'units' ? 'while each unit runs' : `until it ends${atMost}`;
  const waits: Record<TableLock['against'], string> = {
    rows: 'others wait to change the same rows, and TRUNCATE, ALTER and CREATE INDEX wait; readers do not',
    writers: 'all who write wait, also units of its own (lockTable under run:); readers do not',
    everyone: 'all who read or write wait',
  };
  return (['everyone', 'writers', 'rows'] as const).flatMap((against) => {
    const tables = locks.filter((lock) => lock.against === against).map(({ table }) => table);
    return tables.length === 0
      ? []
      : [{ about: 'locks' as const, text: `${few(tables.map(toBeWritten))} ${held}: ${waits[against]}` }];
  });
}

function changesOf({ inserted, updated, deleted }: TableWrites): string {
  const parts = [
    ...(deleted > 0 ? [`${roughly(deleted)} deleted`] : []),
    ...(updated > 0 ? [`${roughly(updated)} updated`] : []),
    ...(inserted > 0 ? [`${roughly(inserted)} inserted`] : []),
  ];
  return parts.length === 0 ? 'no rows' : parts.join(', ');
}

/** An estimate has no more than two digits to it. */
function roughly(rows: number, noun = 'row'): string {
  const whole = Math.round(rows);
  const scale = 10 ** Math.max(0, String(whole).length - 2);
  const rounded = String(Math.round(whole / scale) * scale).replace(/\B(?=(\d{3})+$)/g, ',');
  return rounded === '1' ? `1 ${noun}` : `${rounded} ${noun}s`;
}

const most = 5;

const few = (items: readonly string[], between = ', '): string =>
  items.length <= most
    ? items.join(between)
    : `${items.slice(0, most - 1).join(between)} and ${items.length - most + 1} tables more`;
