import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** Everything that a template may ask for when it is rendered for one interval. Nothing else is ever made up. */
export interface TemplateContext {
  readonly interval: DataInterval;
  /** Zone of the pipeline; `logical_date` and `data_interval_*` are datetimes in UTC as Airflow gives them. */
  readonly zone: ZoneName;
  readonly dagId: string;
  readonly taskId: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Airflow Variables, from `backfill.yaml`; a missing one is refused by name. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** Set where no schedule starts the run: its `dag_run.conf` is then what somebody handed to it, and empty otherwise. */
  readonly conf?: 'unknown' | undefined;
  /** `prev_data_interval_*` and friends are refused: they depend on other runs. */
  readonly airflowVersion: 2 | 3;
  /** The tick before the logical date, where the schedule has one: `prev_ds` and kin of Airflow 2. */
  readonly previousTick?: () => Instant | undefined;
}

/** A Variable that the context has no value for, and the default of the template that was taken in its place, as printed. */
export interface AssumedVariable {
  readonly name: string;
  readonly value: string;
}

/** The text for one interval, or the first expression that cannot be rendered exactly, by name and place. */
export type Rendered =
  /** `assumed`: absent where every Variable has its value. */
  | { readonly ok: true; readonly text: string; readonly assumed?: readonly AssumedVariable[] }
  | {
      readonly ok: false;
      readonly expression: string;
      readonly reason: string;
      readonly start: number;
      readonly end: number;
    };
