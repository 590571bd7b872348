import type { planErrorCodes } from '../../../src/core/plan/model/plan.ts';
import type { JobRefusal } from '../../../src/core/run/unit/job-refusal.ts';
import type { RunRefusal } from '../../../src/core/run/unit/run-result.ts';
import type { HeldCode } from '../../../src/core/run/unit/unit-outcome.ts';

/** Whatever keeps a unit, a plan or a run from being carried out. */
export type StoppingCode = JobRefusal['code'] | RunRefusal['code'] | HeldCode | (typeof planErrorCodes)[number];

/** A task of the DAG: its SQL, or where it runs as well; `python` is one that is not run from here. */
export type CureTask =
  | string
  | { readonly sql: string; readonly connection?: string; readonly database?: string; readonly spark?: true }
  | 'python';

/** How an advice is followed. */
export type Cure =
  /** The lines that it names are added to `backfill.yaml`, and the same is asked again. */
  | 'yaml'
  /** The command that it names is given. */
  | 'command'
  /** The option that it names is added to what was asked. */
  | 'option'
  /** Done as it says, by hand, and the same is asked again. */
  | {
      readonly tasks?: Readonly<Record<string, CureTask>>;
      readonly yaml?: string;
      readonly sql?: readonly string[];
      readonly ask?: readonly string[];
      readonly airflow?: 2 | 3;
      readonly apart?: boolean;
    };

/** A refusal, a hold or a failure; then its own advice is followed, as often as there is some. */
export interface CureCase {
  /** What of it there is a code for. */
  readonly codes?: readonly StoppingCode[];
  readonly ddl?: readonly string[];
  readonly tasks: Readonly<Record<string, CureTask>>;
  /** Of `backfill.yaml`, beside the connection. */
  readonly yaml?: string;
  /** Airflow connection ids that mean the connection. */
  readonly airflowIds?: readonly string[];
  /** The schedule of the DAG, and what else it is given. */
  readonly schedule?: string;
  /** Nothing says in which order its tasks run. */
  readonly apart?: boolean;
  /** The version that `backfill.yaml` says runs it. */
  readonly airflow?: 2 | 3;
  /** The whole DAG is run before `change`, and all goes well or not. */
  readonly before?: boolean | 'fails';
  /** Commands after that run, which go well. */
  readonly between?: readonly (readonly string[])[];
  /** The process of that run seems to be at work still. */
  readonly alive?: boolean;
  readonly change?: readonly string[];
  /** The task’s SQL after that run. */
  readonly mended?: Readonly<Record<string, CureTask>>;
  /** What is asked for in the end; a run of the whole DAG where it is left out. `RUN` is the run before. */
  readonly command?: readonly string[];
  /** What each answer names, and what is done about it, in order. */
  readonly steps: readonly (readonly [named: RegExp, cure: Cure])[];
  /** What the last answer says. */
  readonly finally?: RegExp;
}

export const now = ['--now', '2026-11-11T12:00'];
export const day = ['--from', '2026-11-10', '--to', '2026-11-11', ...now];

/** A task that replaces its day in `table`. */
export const replace = (table: string, more = ''): string =>
  `DELETE FROM ${table} WHERE day = '{{ ds }}'; INSERT INTO ${table} SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'${more};`;

/** What each case begins with. */
export const cureTables = [
  'create schema raw',
  'create schema mart',
  'create table raw.ev (day date, id int, v int)',
  "insert into raw.ev select date '2026-11-10' + g % 3, g, g from generate_series(1, 30) g",
  'create table mart.f (day date, id int primary key, v int)',
];
