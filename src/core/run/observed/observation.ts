import { count, type Decoder, finite, flag, list, oneOf, optional, record, text } from '../../ledger/decoder.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';

const columnTypes = ['date', 'timestamp', 'timestamptz', 'text', 'integer'] as const;

/** The times that the written rows hold in one column. */
export interface ObservedColumn {
  readonly name: string;
  readonly type: (typeof columnTypes)[number];
  /** Rows that hold one: of texts `YYYY-MM-DD`, of integers `yyyymmdd`. */
  readonly rows: number;
  /** ISO; wall times as they stand there. Set where `rows` is not 0. */
  readonly first: string | undefined;
  readonly last: string | undefined;
}

/** A table that was written to while a task ran, by whomever. */
export interface ObservedTable {
  /** `schema.name`. */
  readonly table: string;
  /** By the counters of the server, which count what was rolled back too; `undefined` where there was no counting. */
  readonly counted: { readonly inserted: number; readonly updated: number; readonly deleted: number } | undefined;
  /** Rows there that were written meanwhile; `undefined`: not looked at to the end. */
  readonly rows: number | undefined;
  /** They are all rows that the table has. */
  readonly all: boolean;
  /** How many transactions wrote them. */
  readonly transactions: number;
  /** One of those had begun before the task. */
  readonly older: boolean;
  readonly columns: readonly ObservedColumn[];
  /** Why its rows are not known, in words. */
  readonly givenUp: string | undefined;
}

/** What the database showed while one task ran for one interval. */
export interface Observation {
  readonly run: string;
  readonly unit: string;
  readonly task: string;
  readonly interval: DataInterval;
  readonly at: Instant;
  readonly how: 'watched' | 'commit times';
  readonly tables: readonly ObservedTable[];
  /** Who was connected and did something meanwhile: users with their program and address. */
  readonly clients: readonly string[];
  /** Sessions that came and went without being seen; `undefined`: the server does not count them. */
  readonly unseen: number | undefined;
  /** Other work at the same time that may have written: tasks of the scheduler, units of runs. */
  readonly beside: readonly string[];
}

const at: Decoder<Instant> = (value, path) => instant(finite(value, path));

const decode: Decoder<Observation> = record<Observation>({
  run: text,
  unit: text,
  task: text,
  interval: record<DataInterval>({ start: at, end: at }),
  at,
  how: oneOf('watched', 'commit times'),
  tables: list(
    record<ObservedTable>({
      table: text,
      counted: optional(record({ inserted: count, updated: count, deleted: count })),
      rows: optional(count),
      all: flag,
      transactions: count,
      older: flag,
      columns: list(
        record<ObservedColumn>({
          name: text,
          type: oneOf(...columnTypes),
          rows: count,
          first: optional(text),
          last: optional(text),
        }),
      ),
      givenUp: optional(text),
    }),
  ),
  clients: list(text),
  unseen: optional(count),
  beside: list(text),
});

/** Throws `DecodeError` where the text is none that this program wrote. */
export const readObservation = (stored: string): Observation => decode(JSON.parse(stored), '');
