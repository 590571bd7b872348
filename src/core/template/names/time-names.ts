import type { TimeForm } from './symbolic-value.ts';

const others: ReadonlySet<string> = new Set([
  ...['params', 'var', 'conn', 'macros', 'dag', 'task', 'ti', 'task_instance', 'task_instance_key_str', 'dag_run'],
  ...['conf', 'test_mode', 'inlets', 'outlets', 'expanded_ti_count', 'map_index_template', 'templates_dict'],
]);

/** Whether some Airflow puts a name into the template context, where it beats what a DAG calls so. */
export const isContextName = (name: string): boolean =>
  others.has(name) || Object.hasOwn(timeNames, name) || stateNames.has(name) || Object.hasOwn(previousTickNames, name);

/**
 * A name of Airflow's template context that is a function of the data interval. `ds`, `ts` and kin are the UTC date
 * and time of the logical date, whatever the DAG's zone.
 */
export interface TimeName {
  readonly anchor: 'start' | 'end';
  /** Days added in UTC before formatting (`yesterday_ds`). */
  readonly days: number;
  /** `object`: a pendulum datetime; `plain`: a standard datetime without pendulum's methods; else a text. */
  readonly type: 'object' | 'plain' | 'text';
  readonly form: TimeForm;
  /** Names that Airflow 3 removed. */
  readonly removedInAirflow3: boolean;
  /** Only the same as the interval's end for a run of the schedule whose interval is not empty. */
  readonly needsNextTick: boolean;
}

type Options = Partial<Omit<TimeName, 'form' | 'type'>>;

const name = (type: TimeName['type'], form: TimeForm, options: Options = {}): TimeName => ({
  anchor: 'start',
  days: 0,
  removedInAirflow3: false,
  needsNextTick: false,
  ...options,
  type,
  form,
});
const removed = { removedInAirflow3: true };
const next = { anchor: 'end', removedInAirflow3: true, needsNextTick: true } as const;

/** `ts_nodash_with_tz`, which is always in UTC. */
const basicTimestampWithZone: TimeForm = { strftime: '%Y%m%dT%H%M%S+0000' };

/** The one table of these names; the symbolic evaluation and the rendering both read it. Dotted names are attributes. */
export const timeNames: Readonly<Record<string, TimeName>> = {
  logical_date: name('object', 'datetime'),
  execution_date: name('object', 'datetime', removed),
  data_interval_start: name('object', 'datetime'),
  data_interval_end: name('object', 'datetime', { anchor: 'end' }),
  next_execution_date: name('object', 'datetime', next),
  ds: name('text', 'date'),
  ds_nodash: name('text', 'basic-date'),
  ts: name('text', 'timestamp'),
  ts_nodash: name('text', 'basic-timestamp'),
  ts_nodash_with_tz: name('text', basicTimestampWithZone),
  next_ds: name('text', 'date', next),
  next_ds_nodash: name('text', 'basic-date', next),
  yesterday_ds: name('text', 'date', { days: -1, ...removed }),
  yesterday_ds_nodash: name('text', 'basic-date', { days: -1, ...removed }),
  tomorrow_ds: name('text', 'date', { days: 1, ...removed }),
  tomorrow_ds_nodash: name('text', 'basic-date', { days: 1, ...removed }),
  'dag_run.logical_date': name('plain', 'datetime'),
  'dag_run.execution_date': name('plain', 'datetime', removed),
  'dag_run.data_interval_start': name('plain', 'datetime'),
  'dag_run.data_interval_end': name('plain', 'datetime', { anchor: 'end' }),
};

/** Names that stand for what other runs did; a rerun of one interval cannot know them. */
export const stateNames: ReadonlySet<string> = new Set([
  'prev_data_interval_start_success',
  'prev_data_interval_end_success',
  'prev_start_date_success',
  'prev_end_date_success',
  'prev_execution_date_success',
  'run_id',
  'dag_run.run_id',
  'dag_run.run_type',
  'dag_run.start_date',
  'dag_run.queued_at',
  'ti.run_id',
  'ti.try_number',
  'ti.start_date',
  'ti.xcom_pull',
  'task_instance.run_id',
  'task_instance.try_number',
  'task_instance.start_date',
  'task_instance.xcom_pull',
  'outlet_events',
  'inlet_events',
  'triggering_dataset_events',
  'triggering_asset_events',
]);

/** Names of {@link stateNames} that are readings of the clock: a run that is cleared begins anew. */
export const clockNames: ReadonlySet<string> = new Set([
  'dag_run.start_date',
  'dag_run.end_date',
  'dag_run.queued_at',
  'ti.start_date',
  'ti.end_date',
  'ti.queued_dttm',
  'task_instance.start_date',
  'task_instance.end_date',
  'task_instance.queued_dttm',
]);

/** The tick before the logical date: the schedule knows it, the interval alone does not. Airflow 3 removed them. */
export const previousTickNames: Readonly<Record<string, TimeName>> = {
  prev_execution_date: name('object', 'datetime', removed),
  prev_ds: name('text', 'date', removed),
  prev_ds_nodash: name('text', 'basic-date', removed),
};

/** Calls that read the clock of the machine. */
export const clockCalls: ReadonlySet<string> = new Set([
  'macros.datetime.now',
  'macros.datetime.utcnow',
  'macros.datetime.today',
  'macros.time.time',
  'macros.datetime_diff_for_humans',
]);

/** Calls whose result is another at every call. */
export const randomCalls: ReadonlySet<string> = new Set(['macros.random', 'macros.uuid.uuid1', 'macros.uuid.uuid4']);

/** Names of an interval, its neighbours and its task that Airflow 3 has no more. */
export const removedNames: ReadonlySet<string> = new Set([
  ...[...Object.entries(timeNames), ...Object.entries(previousTickNames)].flatMap(([known, { removedInAirflow3 }]) =>
    removedInAirflow3 ? [known] : [],
  ),
  'prev_execution_date_success',
  'ti.execution_date',
  'task_instance.execution_date',
]);
