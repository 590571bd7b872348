import type { Grain, Interval, Zone } from './civil.ts';
import type { Extra } from './extras.ts';

/** How the time column of a table is stored. Its values are kept as milliseconds: an instant, a UTC wall time, a day. */
export type TimeType = 'timestamptz' | 'timestamp' | 'date' | 'text' | 'int';

export const isDay = (type: TimeType): boolean => type === 'date' || type === 'text' || type === 'int';
export const columnOf = (type: TimeType): 'day' | 'ts' => (isDay(type) ? 'day' : 'ts');

/** Every table has the same columns: a time, a key, a count and a value. */
export interface Row {
  readonly t: number;
  readonly k: number;
  readonly n: number;
  readonly v: number;
}

export interface Dag {
  readonly id: string;
  readonly grain: Grain;
  readonly zone: Zone;
  readonly start: number;
  /** Python of the schedule argument. */
  readonly schedule: string;
}

/** A range of the source's time column: as the user writes it, and as it is meant. */
export interface Window {
  readonly name: string;
  readonly sql: string;
  readonly range: (interval: Interval) => readonly [from: number, to: number];
}

export interface Read {
  readonly table: string;
  readonly type: TimeType;
  /** `undefined`: the whole table. */
  readonly window: Window | undefined;
}

export type WriteKind = 'delete+insert' | 'upsert-key' | 'upsert-latest' | 'replace';

export interface Write {
  readonly name: string;
  readonly kind: WriteKind;
  readonly type: TimeType;
  /** Statements before the INSERT, `{table}` for the target. */
  readonly before: readonly string[];
  /** The rows that they remove; `undefined`: all. */
  readonly removes: ((interval: Interval) => readonly [from: number, to: number]) | undefined;
  /** SQL and value of the time that all rows of an interval get; `undefined`: each row keeps its own. */
  readonly stamp: { readonly sql: string; readonly value: (interval: Interval) => number } | undefined;
}

/** A value added where the UTC day of the interval's start lies in `[from, to)`: the corrected code. */
export interface Fix {
  readonly from: number;
  readonly to: number;
  readonly add: number;
}

export interface TaskModel {
  readonly id: string;
  readonly dag: Dag;
  readonly name: string;
  readonly table: string;
  readonly reads: readonly Read[];
  /** A whole table whose value is added to each row's, by key. */
  readonly dimension: string | undefined;
  /** The source is emptied and filled anew by the same run of the DAG. */
  readonly staged: boolean;
  readonly write: Write;
  readonly factor: number;
  readonly addend: number;
  readonly fix: Fix | undefined;
  /** How the SQL is laid out; any number. */
  readonly layout: number;
  /** What it does beside, or what the database does to it. */
  readonly extra?: Extra;
}

export interface WorkspaceModel {
  readonly schema: string;
  readonly rawType: TimeType;
  readonly dags: readonly Dag[];
  /** In an order in which every table is written before it is read. */
  readonly tasks: readonly TaskModel[];
  readonly sessionZone: Zone;
  readonly now: number;
  readonly ddl: boolean;
}

export const modulus = 1_000_003;
