import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** How a time is written as text; decides how SQL compares it and how it is rendered. */
export type TimeForm =
  /** A datetime object (`logical_date`), not yet text. */
  | 'datetime'
  /** `2026-11-28` (`ds`). */
  | 'date'
  /** `20261128` (`ds_nodash`). */
  | 'basic-date'
  /** ISO 8601 with offset (`ts`). */
  | 'timestamp'
  /** ISO 8601 without offset (`ts_nodash_with_tz` excluded), wall time of UTC. */
  | 'naive-timestamp'
  /** `20261128T000000` (`ts_nodash`). */
  | 'basic-timestamp'
  /** Seconds since the epoch. */
  | 'epoch-seconds'
  /** Any other strftime pattern; the pattern is kept. */
  | { readonly strftime: string };

/**
 * What an expression of a template or of a pipeline file stands for, known without running anything. Everything
 * that cannot be read is a named unknown, never a guess.
 */
export type SymbolicValue =
  | {
      readonly kind: 'time';
      readonly time: TimeExpression;
      readonly form: TimeForm;
      /** Whose clock the text shows (`.in_timezone('Europe/Berlin') | ds`); UTC, as all of Airflow's names, when absent. */
      readonly zone?: ZoneName;
    }
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** The clock of the machine: `datetime.now()`, `macros.datetime.utcnow()`, `days_ago(1)`. */
  | {
      readonly kind: 'clock';
      readonly name: string;
      /** Written to the second or finer, as only a name is that no other run is to have. */
      readonly unique?: true;
    }
  /** A DAG parameter or Variable, an argument of a job: fixed for a run, not a function of the interval. */
  | {
      readonly kind: 'parameter';
      readonly source: 'params' | 'var' | 'conn' | 'conf' | 'env' | 'argument';
      readonly name: string;
      /** What is put in is made of it and not the value itself: `params.area ~ '_x'`. */
      readonly made?: true;
      /** Of an environment variable: what the file takes where nobody sets it. */
      readonly fallback?: string;
    }
  /** State of other runs: XCom, `prev_start_date_success`. */
  | { readonly kind: 'state'; readonly name: string }
  | { readonly kind: 'unknown'; readonly reason: string };

export const unknownValue = (reason: string): SymbolicValue => ({ kind: 'unknown', reason });
