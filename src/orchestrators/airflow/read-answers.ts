import type { DagRun, DeployedTask, PoolState, TaskAtWork, TaskInstance } from '../../core/scheduler/port/scheduler.ts';
import type { Instant } from '../../core/time/zones/instant.ts';
import { parseInstant } from '../../core/time/zones/iso.ts';

/** The answers of both APIs as data. What is missing is `undefined`, never made up; ids that are missing drop the entry. */
type Json = Readonly<Record<string, unknown>>;

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const listAt = (value: unknown, name: string): readonly Json[] => {
  const found = objectOf(value)[name];
  return Array.isArray(found) ? found.map(objectOf) : [];
};

const textsAt = (value: Json, name: string): readonly string[] | undefined => {
  const found = value[name];
  return Array.isArray(found) ? found.filter((text) => typeof text === 'string') : undefined;
};

export const textAt = (value: Json, name: string): string | undefined => {
  const found = value[name];
  return typeof found === 'string' ? found : undefined;
};

export const numberAt = (value: Json, name: string): number | undefined => {
  const found = value[name];
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
};

export const instantAt = (value: Json, name: string): Instant | undefined => {
  const found = textAt(value, name);
  return found === undefined ? undefined : parseInstant(found, 'UTC');
};

const runStates = ['queued', 'running', 'success', 'failed'] as const;

export function readRun(value: Json): readonly DagRun[] {
  const id = textAt(value, 'dag_run_id');
  if (id === undefined) return [];
  const start = instantAt(value, 'data_interval_start');
  const end = instantAt(value, 'data_interval_end');
  return [
    {
      id,
      state: runStates.find((state) => state === value.state) ?? 'other',
      logicalDate: instantAt(value, 'logical_date') ?? instantAt(value, 'execution_date'),
      interval: start === undefined || end === undefined ? undefined : { start, end },
      note: textAt(value, 'note'),
    },
  ];
}

export function readInstance(value: Json): readonly TaskInstance[] {
  const task = textAt(value, 'task_id');
  if (task === undefined) return [];
  return [
    {
      task,
      mapIndex: numberAt(value, 'map_index') ?? -1,
      state: textAt(value, 'state'),
      tryNumber: numberAt(value, 'try_number') ?? 0,
      maxTries: numberAt(value, 'max_tries') ?? 0,
      startedAt: instantAt(value, 'start_date'),
      endedAt: instantAt(value, 'end_date'),
    },
  ];
}

export function readTaskAtWork(value: Json): readonly TaskAtWork[] {
  const [dag, run, task] = ['dag_id', 'dag_run_id', 'task_id'].map((name) => textAt(value, name));
  return dag === undefined || run === undefined || task === undefined ? [] : [{ dag, run, task }];
}

export function readTask(value: Json): readonly DeployedTask[] {
  const id = textAt(value, 'task_id');
  if (id === undefined) return [];
  return [
    {
      id,
      operator: textAt(value, 'operator_name') ?? textAt(objectOf(value.class_ref), 'class_name') ?? 'unknown',
      pool: textAt(value, 'pool') ?? 'default_pool',
      poolSlots: numberAt(value, 'pool_slots') ?? 1,
      downstream: textsAt(value, 'downstream_task_ids'),
      triggerRule: textAt(value, 'trigger_rule'),
      dependsOnPast: value.depends_on_past === true || value.wait_for_downstream === true,
    },
  ];
}

export function readPool(value: Json): PoolState | undefined {
  const name = textAt(value, 'name');
  const slots = numberAt(value, 'slots');
  const open = numberAt(value, 'open_slots');
  return name === undefined || slots === undefined || open === undefined ? undefined : { name, slots, open };
}

/** Airflow 2 gives an object or a text, Airflow 3 a summary; what is started by hand has none in either. */
export function readSchedule(dag: Json): string | undefined {
  const summary = textAt(dag, 'timetable_summary');
  if (summary !== undefined) return summary === 'None' ? undefined : summary;
  const interval = dag.schedule_interval;
  if (typeof interval === 'string') return interval;
  const { __type: type, value, ...delta } = objectOf(interval);
  if (typeof value === 'string') return value;
  return type === undefined
    ? undefined
    : Object.entries(delta)
        .flatMap(([unit, count]) => (count ? [`${count} ${unit}`] : []))
        .join(' ');
}

/** Lines of a log, whichever way it came: a text, or a list of events. */
export function readLog(body: unknown): readonly string[] {
  if (typeof body === 'string')
    return linesOf(body.replace(/^[^\n]*\n INFO - ::group::[^\n]*\n[\s\S]*?::endgroup::\n/, ''));
  const content = objectOf(body).content;
  if (typeof content === 'string') return linesOf(content);
  return listAt(body, 'content').flatMap((event) => {
    const said = textAt(event, 'event');
    const errors = listAt(event, 'error_detail').map(
      (error) => `${textAt(error, 'exc_type')}: ${textAt(error, 'exc_value')}`,
    );
    return [...(said === undefined ? [] : linesOf(said)), ...errors.flatMap(linesOf)];
  });
}

const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.includes('::group::') && !line.includes('::endgroup::'));
