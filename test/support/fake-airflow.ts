import type { DagRun, TaskInstance } from '../../src/core/scheduler/port/scheduler.ts';
import { SchedulerError } from '../../src/core/scheduler/port/scheduler-error.ts';
import type { Instant } from '../../src/core/time/zones/instant.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import { toIso } from '../../src/core/time/zones/iso.ts';
import { type FakeAnswer, type FakeApi, type FakeRequest, fakeApi } from './fake-api.ts';
import type { FakeScheduler } from './fake-scheduler.ts';

/** The API of an Airflow 3 on this machine whose tasks are those of a scheduler in memory; one user may use it. */
export async function fakeAirflow(scheduler: FakeScheduler, user: string, password: string): Promise<FakeApi> {
  return fakeApi(async (request) => {
    const url = new URL(request.url, 'http://localhost');
    const path = url.pathname
      .replace(/^\/api\/v2/, '')
      .split('/')
      .slice(1)
      .map(decodeURIComponent);
    if (url.pathname === '/api/v2/version') return ok({ version: '3.0.0' });
    if (url.pathname === '/auth/token') {
      const login = request.body as { username?: string; password?: string };
      const isRight = login.username === user && login.password === password;
      return isRight ? { status: 201, body: { access_token: 'let-in' } } : { status: 401, body: { detail: 'no' } };
    }
    if (request.headers.authorization !== 'Bearer let-in') return { status: 401, body: { detail: 'no' } };
    try {
      return await answer(scheduler, request, path, url.searchParams);
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      return { status: error.kind === 'conflict' ? 409 : 404, body: { detail: error.message } };
    }
  });
}

const ok = (body: unknown): FakeAnswer => ({ status: 200, body });
const notFound: FakeAnswer = { status: 404, body: { detail: 'not there' } };
const at = (text: string | null): Instant => instant(Date.parse(text ?? ''));

async function answer(
  scheduler: FakeScheduler,
  { method, body }: FakeRequest,
  path: readonly string[],
  query: URLSearchParams,
): Promise<FakeAnswer> {
  const [top, dag = '', part, run = '', below, task = ''] = path;
  const sent = (body ?? {}) as Readonly<Record<string, string>> & { readonly task_ids?: readonly string[] };
  if (top === 'monitor') return ok({ metadatabase: { status: 'healthy' }, scheduler: { status: 'healthy' } });
  if (top === 'pools') {
    const pool = await scheduler.pool(dag);
    return pool === undefined ? notFound : ok({ name: pool.name, slots: pool.slots, open_slots: pool.open });
  }
  if (top === 'backfills') return backfills(scheduler, dag, sent);
  if (top !== 'dags') return notFound;
  if (dag === '~') return ok({ task_instances: [], total_entries: 0 });
  const known = await scheduler.dag(dag);
  if (known === undefined) return notFound;
  const { paused, schedule, maxActiveRuns, tasks } = known;
  if (part === undefined)
    return ok({ dag_id: dag, is_paused: paused, timetable_summary: schedule, max_active_runs: maxActiveRuns });
  if (part === 'tasks')
    return ok({
      tasks: tasks.map(
        ({ id, operator, pool, triggerRule = 'all_success', dependsOnPast = false, downstream = [] }) => ({
          task_id: id,
          operator_name: operator,
          pool,
          trigger_rule: triggerRule,
          depends_on_past: dependsOnPast,
          downstream_task_ids: downstream,
        }),
      ),
    });
  if (part === 'clearTaskInstances') {
    for (const name of sent.task_ids ?? []) await scheduler.clear(dag, sent.dag_run_id ?? '', name);
    return ok({ task_instances: [] });
  }
  if (run === '' && method === 'POST') {
    const { dag_run_id: id = '', logical_date = '', note = '' } = sent;
    const interval = { start: at(sent.data_interval_start ?? ''), end: at(sent.data_interval_end ?? '') };
    return ok(runBody(await scheduler.createRun(dag, { id, logicalDate: at(logical_date), interval, note })));
  }
  if (run === '') {
    const [first, last] = ['logical_date_gte', 'logical_date_lte'].map((name) => query.get(name));
    const found =
      first === null ? await scheduler.activeRuns(dag) : await scheduler.runs(dag, at(first ?? null), at(last ?? null));
    return ok({ dag_runs: found.map(runBody), total_entries: found.length });
  }
  const found = await scheduler.run(dag, run);
  if (found === undefined) return notFound;
  if (below === 'taskInstances' && path[6] === 'logs') {
    const [instance] = await scheduler.instances(dag, run, task);
    const lines = instance === undefined ? [] : await scheduler.logTail(dag, run, instance, 1000);
    return ok({ content: lines.map((event) => ({ event })) });
  }
  if (below === 'taskInstances' && method === 'PATCH') {
    if (sent.new_state === 'failed') await scheduler.stop(dag, run, task);
    const [instance] = sent.new_state === 'success' ? await scheduler.instances(dag, run, task) : [];
    if (instance !== undefined) await scheduler.setDone(dag, run, instance);
    return ok({});
  }
  if (below === 'taskInstances') {
    // Who looks at one of them sees it go on.
    const every = await Promise.all(tasks.map(({ id }) => scheduler.instances(dag, run, id)));
    return ok({ task_instances: every.flat().map(instanceBody), total_entries: every.flat().length });
  }
  if (method === 'PATCH' && sent.note !== undefined) await scheduler.note(dag, run, sent.note, found.note);
  else if (method === 'PATCH') await scheduler.endRun(dag, run, sent.state === 'failed' ? 'failed' : 'success');
  return ok(runBody((await scheduler.run(dag, run)) ?? found));
}

async function backfills(
  scheduler: FakeScheduler,
  last: string,
  sent: Readonly<Record<string, unknown>>,
): Promise<FakeAnswer> {
  const [dag, from, to] = ['dag_id', 'from_date', 'to_date'].map((name) => String(sent[name] ?? ''));
  if (dag === undefined || dag === '') return ok({ backfills: [], total_entries: 0 });
  const range = { first: at(from ?? null), last: at(to ?? null) };
  if (last === 'dry_run') {
    const dates = (await scheduler.backfillDates(dag, range)) ?? [];
    return ok({ backfills: dates.map((date) => ({ logical_date: toIso(date) })), total_entries: dates.length });
  }
  await scheduler.backfill(dag, range, Number(sent.max_active_runs));
  return ok({ id: 1 });
}

const runBody = ({ id, state, logicalDate, interval, note }: DagRun) => ({
  dag_run_id: id,
  state,
  logical_date: logicalDate === undefined ? null : toIso(logicalDate),
  data_interval_start: interval === undefined ? null : toIso(interval.start),
  data_interval_end: interval === undefined ? null : toIso(interval.end),
  note: note ?? null,
});

const instanceBody = ({ task, mapIndex, state, tryNumber, maxTries, startedAt, endedAt }: TaskInstance) => ({
  task_id: task,
  map_index: mapIndex,
  state: state ?? null,
  try_number: tryNumber,
  max_tries: maxTries,
  start_date: startedAt === undefined ? null : toIso(startedAt),
  end_date: endedAt === undefined ? null : toIso(endedAt),
});
