import type {
  BackfillRange,
  DagRun,
  NewRun,
  Scheduler,
  SchedulerDescription,
  SchedulerHealth,
  TaskInstance,
} from '../../core/scheduler/port/scheduler.ts';
import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import { SchedulerError } from '../../core/scheduler/port/scheduler-error.ts';
import { isActive } from '../../core/scheduler/port/task-state.ts';
import { instant } from '../../core/time/zones/instant.ts';
import { toIso } from '../../core/time/zones/iso.ts';
import { type AirflowHttp, airflowHttp, exchange } from './http.ts';
import {
  instantAt,
  listAt,
  numberAt,
  objectOf,
  readInstance,
  readLog,
  readPool,
  readRun,
  readSchedule,
  readTask,
  readTaskAtWork,
  textAt,
} from './read-answers.ts';

/**
 * An Airflow 2.9 or newer by its REST API: `/api/v2` of Airflow 3, else `/api/v1`. What the two do was tried on 2.11 and 3.3.
 * Throws {@link SchedulerError} where it does not answer, or is none.
 */
export async function openAirflow(config: SchedulerConfig): Promise<Scheduler> {
  const { version, major } = await versionOf(config);
  const http = airflowHttp(config, `${config.url}/api/${major === 3 ? 'v2' : 'v1'}`, major);
  const description = { name: config.name, kind: 'airflow', version, major, target: config.url } as const;
  return schedulerOf(http, description);
}

/** The version is told to anybody. */
async function versionOf(config: SchedulerConfig): Promise<{ readonly version: string; readonly major: 2 | 3 }> {
  for (const [api, major] of [
    ['v2', 3],
    ['v1', 2],
  ] as const) {
    const answer = await exchange(config, `${config.url}/api/${api}/version`, { method: 'GET' }, loginOf(config));
    const version = textAt(objectOf(answer.body), 'version');
    if (answer.status === 200 && version !== undefined) {
      const [, minor = 0] = version.split('.').map(Number);
      if (major === 3 || minor >= 9) return { version, major };
      const message = `The Airflow ${config.name} is ${version}; 2.9 is the oldest whose API is used.`;
      throw new SchedulerError('refused', message, false, 'Run its tasks yourself: backfill plan … --commands.');
    }
    if (answer.status >= 500)
      throw new SchedulerError('connection', `The Airflow ${config.name} answers with ${answer.status}.`, true);
    if (answer.status === 401 || answer.status === 403)
      throw new SchedulerError('login', `The Airflow ${config.name} refuses the login (${answer.status}).`, false);
  }
  const message = `At ${config.url} no Airflow answers: neither /api/v2/version nor /api/v1/version is there.`;
  throw new SchedulerError('missing', message, false, 'Look at the url: the address of its pages, without /home.');
}

/** Some services let nobody ask without a login; a token of our own making comes later. */
function loginOf({ login }: SchedulerConfig): string | undefined {
  return login.kind === 'token' ? `Bearer ${login.token}` : undefined;
}

const part = (text: string): string => encodeURIComponent(text);
const pageSize = 100;
/** A run that is made does not start before its tasks can be set aside; Airflow 3 only, Airflow 2 starts it at once. */
const headStartMs = 5000;

function schedulerOf(http: AirflowHttp, description: SchedulerDescription): Scheduler {
  const { major, target } = description;
  const runPath = (dag: string, run: string): string => `/dags/${part(dag)}/dagRuns/${part(run)}`;
  const dateField = major === 3 ? 'logical_date' : 'execution_date';

  const all = async <T>(path: string, name: string, read: (value: ReturnType<typeof objectOf>) => readonly T[]) => {
    const found: T[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const between = path.includes('?') ? '&' : '?';
      const answer = await http.ask({ method: 'GET', path: `${path}${between}limit=${pageSize}&offset=${offset}` });
      const entries = listAt(answer, name);
      found.push(...entries.flatMap(read));
      if (entries.length < pageSize || offset + pageSize >= (numberAt(objectOf(answer), 'total_entries') ?? 0))
        return found;
    }
  };
  const one = async (path: string): Promise<ReturnType<typeof objectOf> | undefined> => {
    const { status, body } = await http.send({ method: 'GET', path });
    if (status === 404) return undefined;
    return status < 400 ? objectOf(body) : objectOf(await http.ask({ method: 'GET', path }));
  };
  const run = async (dag: string, id: string): Promise<DagRun | undefined> => {
    const found = await one(runPath(dag, id));
    return found && readRun(found)[0];
  };
  const runs: Scheduler['runs'] = async (dag, first, last) => {
    const range = `${dateField}_gte=${part(toIso(first))}&${dateField}_lte=${part(toIso(last))}`;
    const found = await all(`/dags/${part(dag)}/dagRuns?${range}`, 'dag_runs', readRun);
    return found.sort((a, b) => Number(a.logicalDate) - Number(b.logicalDate));
  };
  const instancesOf = (dag: string, id: string): Promise<readonly TaskInstance[]> =>
    all(`${runPath(dag, id)}/taskInstances`, 'task_instances', readInstance);
  const setState = async (dag: string, id: string, instance: TaskInstance, state: string): Promise<void> => {
    const { task, mapIndex } = instance;
    const path = `${runPath(dag, id)}/taskInstances/${part(task)}${mapIndex < 0 ? '' : `/${mapIndex}`}`;
    const body = major === 3 ? { new_state: state } : { new_state: state, dry_run: false };
    const { status } = await http.send({ method: 'PATCH', path, body });
    // It has that state already.
    if (status >= 400 && status !== 409) await http.ask({ method: 'PATCH', path, body });
  };
  return {
    description,
    health: () => healthOf(http, major),
    dag: async (id) => {
      const found = await one(`/dags/${part(id)}`);
      if (found === undefined) return undefined;
      const tasks = await http.ask({ method: 'GET', path: `/dags/${part(id)}/tasks` });
      return {
        id,
        paused: found.is_paused === true,
        active: major === 3 ? found.is_stale !== true : found.is_active !== false,
        importErrors: found.has_import_errors === true,
        schedule: readSchedule(found),
        maxActiveRuns: numberAt(found, 'max_active_runs'),
        tasks: listAt(tasks, 'tasks').flatMap(readTask),
      };
    },
    pool: async (name) => {
      const found = await one(`/pools/${part(name)}`);
      return found && readPool(found);
    },
    runs,
    run,
    activeRuns: (dag) => all(`/dags/${part(dag)}/dagRuns?state=queued&state=running`, 'dag_runs', readRun),
    createRun: async (dag, { id, logicalDate, interval, note }: NewRun) => {
      const body = {
        dag_run_id: id,
        logical_date: toIso(logicalDate),
        data_interval_start: toIso(interval.start),
        data_interval_end: toIso(interval.end),
        note,
      };
      const { date = Date.now() } = await http.send({ method: 'GET', path: '/version' });
      const later = major === 3 ? { run_after: toIso(instant(date + headStartMs)) } : {};
      const path = `/dags/${part(dag)}/dagRuns`;
      const made = await http.send({ method: 'POST', path, body: { ...body, ...later } });
      if (made.status === 409) {
        // One with this logical date is there: who made it is told by its id.
        const [there] = await runs(dag, logicalDate, logicalDate);
        if (there !== undefined) return there;
      }
      const [fresh] = readRun(
        objectOf(made.status < 400 ? made.body : await http.ask({ method: 'POST', path, body: { ...body, ...later } })),
      );
      if (fresh === undefined)
        throw new SchedulerError(
          'other',
          `The run ${id} of ${dag} was made, and the answer does not say which it is.`,
          false,
        );
      return fresh;
    },
    backfillDates: async (dag, range) => {
      if (major === 2) return undefined;
      const body = { ...backfillBody(dag, range), max_active_runs: 1 };
      try {
        const answer = await http.ask({ method: 'POST', path: '/backfills/dry_run', body });
        return listAt(answer, 'backfills').flatMap((entry) => instantAt(entry, 'logical_date') ?? []);
      } catch (error) {
        // Its schedule is none that a backfill goes by, or this user may have runs made and no backfills.
        if (error instanceof SchedulerError && !error.retryable && error.kind !== 'login') return undefined;
        throw error;
      }
    },
    backfill: async (dag, range, maxActiveRuns) => {
      const body = { ...backfillBody(dag, range), max_active_runs: maxActiveRuns };
      await http.ask({ method: 'POST', path: '/backfills', body });
    },
    isBackfilling: async (dag, { first, last }) => {
      const found = await all(`/backfills?dag_id=${part(dag)}&order_by=-id`, 'backfills', (entry) => [entry]);
      return found.some(
        (entry) =>
          textAt(entry, 'completed_at') === undefined &&
          instantAt(entry, 'from_date') === first &&
          instantAt(entry, 'to_date') === last,
      );
    },
    endRun: async (dag, id, state) => {
      await http.ask({ method: 'PATCH', path: runPath(dag, id), body: { state } });
    },
    instances: async (dag, id, task) => {
      const every = await instancesOf(dag, id);
      return task === undefined ? every : every.filter((instance) => instance.task === task);
    },
    setDone: (dag, id, instance) => setState(dag, id, instance, 'success'),
    durations: async (dag) => {
      // The newest first; Airflow 2 says nothing of an order here.
      const order = major === 3 ? '&order_by=-start_date' : '';
      const path = `/dags/${part(dag)}/dagRuns/~/taskInstances?state=success&limit=${pageSize}${order}`;
      const found = new Map<string, number[]>();
      for (const { task, startedAt, endedAt } of listAt(
        await http.ask({ method: 'GET', path }),
        'task_instances',
      ).flatMap(readInstance)) {
        // What only counts as done has never begun.
        if (startedAt === undefined || endedAt === undefined || endedAt <= startedAt) continue;
        found.set(task, [...(found.get(task) ?? []), endedAt - startedAt]);
      }
      return found;
    },
    atWork: async (from, to) => {
      const every = '/dags/~/dagRuns/~/taskInstances';
      const ended = `start_date_lte=${part(toIso(to))}&end_date_gte=${part(toIso(from))}`;
      const running = `start_date_lte=${part(toIso(to))}&state=running`;
      return [
        ...(await all(`${every}?${ended}`, 'task_instances', readTaskAtWork)),
        ...(await all(`${every}?${running}`, 'task_instances', readTaskAtWork)),
      ];
    },
    clear: async (dag, id, task) => {
      const body = {
        dry_run: false,
        only_failed: false,
        only_running: false,
        reset_dag_runs: true,
        task_ids: [task],
        dag_run_id: id,
        include_upstream: false,
        include_downstream: false,
        include_future: false,
        include_past: false,
        ...(major === 3 ? { prevent_running_task: true } : {}),
      };
      await http.ask({ method: 'POST', path: `/dags/${part(dag)}/clearTaskInstances`, body });
    },
    stop: async (dag, id, task) => {
      for (const instance of await instancesOf(dag, id)) {
        if (instance.task !== task) continue;
        if (isActive(instance) || instance.state === undefined) await setState(dag, id, instance, 'failed');
      }
    },
    note: async (dag, id, text, instead) => {
      const before = (await run(dag, id))?.note ?? '';
      const replaces = instead !== undefined && before.includes(instead);
      if (before.includes(text) && !replaces) return;
      // Airflow keeps a thousand characters.
      const said = replaces ? before.replace(instead, () => text) : before === '' ? text : `${before}\n${text}`;
      const note = said.slice(-1000);
      const path = major === 3 ? `${runPath(dag, id)}?update_mask=note` : `${runPath(dag, id)}/setNote`;
      await http.ask({ method: 'PATCH', path, body: { note } });
    },
    logTail: async (dag, id, { task, mapIndex, tryNumber }, lines) => {
      const of = `${runPath(dag, id)}/taskInstances/${part(task)}/logs/${tryNumber}`;
      const path = `${of}?full_content=true&map_index=${mapIndex}`;
      const accept = major === 3 ? {} : ({ accept: 'text/plain' } as const);
      const { status, body } = await http.send({ method: 'GET', path, ...accept });
      return status >= 400 ? [] : readLog(body).slice(-lines);
    },
    link: (dag, id, { task, mapIndex, tryNumber }) =>
      major === 3
        ? `${target}/dags/${part(dag)}/runs/${part(id)}/tasks/${part(task)}${mapIndex < 0 ? '' : `/mapped/${mapIndex}`}?try_number=${tryNumber}`
        : `${target}/dags/${part(dag)}/grid?dag_run_id=${part(id)}&task_id=${part(task)}&map_index=${mapIndex}&tab=logs`,
  };
}

const backfillBody = (dag: string, { first, last }: BackfillRange) => ({
  dag_id: dag,
  from_date: toIso(first),
  to_date: toIso(last),
  reprocess_behavior: 'none',
});

async function healthOf(http: AirflowHttp, major: 2 | 3): Promise<SchedulerHealth> {
  const answer = objectOf(await http.ask({ method: 'GET', path: major === 3 ? '/monitor/health' : '/health' }));
  const parts = ['metadatabase', 'scheduler', 'dag_processor', 'triggerer'];
  const troubles = parts.flatMap((name) => {
    const { status } = objectOf(answer[name]);
    // No status: it is not run apart, or has never been.
    return status === 'healthy' || status === null || status === undefined
      ? []
      : [`its ${name.replace('_', ' ')} is ${String(status)}`];
  });
  return { starts: objectOf(answer.scheduler).status === 'healthy', troubles };
}
