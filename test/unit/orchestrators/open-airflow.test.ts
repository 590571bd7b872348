import { afterEach, expect, test } from 'vitest';
import type { SchedulerLogin } from '../../../src/core/scheduler/port/scheduler-config.ts';
import { SchedulerError } from '../../../src/core/scheduler/port/scheduler-error.ts';
import type { Instant } from '../../../src/core/time/zones/instant.ts';
import { parseInstant } from '../../../src/core/time/zones/iso.ts';
import { openScheduler } from '../../../src/orchestrators/open.ts';
import { type FakeAnswer, type FakeApi, type FakeRequest, fakeApi } from '../../support/fake-api.ts';

let api: FakeApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const secret = 'Zuckerwatte 9';
const login: SchedulerLogin = { kind: 'password', user: 'anna', password: secret };
const open = async (answer: (request: FakeRequest) => FakeAnswer, how: SchedulerLogin = login) => {
  api = await fakeApi(answer);
  return openScheduler({ name: 'prod', url: api.url, login: how });
};
const failure = async (work: Promise<unknown>): Promise<SchedulerError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SchedulerError)) throw new Error(`no error of a scheduler: ${String(error)}`);
  return error;
};
const none: FakeAnswer = { status: 404, body: { detail: 'Not Found' } };
const three = (more: (request: FakeRequest) => FakeAnswer) => (request: FakeRequest) => {
  if (request.url === '/api/v2/version') return { status: 200, body: { version: '3.3.2' } };
  if (request.url === '/auth/token') return { status: 201, body: { access_token: 'first' } };
  return more(request);
};
const two = (more: (request: FakeRequest) => FakeAnswer) => (request: FakeRequest) =>
  request.url === '/api/v1/version'
    ? { status: 200, body: { version: '2.11.2' } }
    : request.url.startsWith('/api/v2')
      ? none
      : more(request);

test('Airflow 3 gives a token for user and password, and another one when that ran out', async () => {
  let tokens = 0;
  const scheduler = await open((request) => {
    if (request.url === '/auth/token') return { status: 201, body: { access_token: `token${++tokens}` } };
    return three(({ headers }) =>
      headers.authorization === 'Bearer token2'
        ? { status: 200, body: { scheduler: { status: 'healthy' } } }
        : { status: 401 },
    )(request);
  });
  expect(scheduler.description).toMatchObject({ version: '3.3.2', major: 3 });
  expect(await scheduler.health()).toEqual({ starts: true, troubles: [] });
  expect(api?.requests.find(({ url }) => url === '/auth/token')?.body).toEqual({ username: 'anna', password: secret });
});

test('Airflow 2 is asked with the login itself, and a token goes as it is to either', async () => {
  const health = { status: 200, body: { scheduler: { status: 'unhealthy' }, metadatabase: { status: 'healthy' } } };
  const scheduler = await open(two(() => health));
  expect(scheduler.description).toMatchObject({ version: '2.11.2', major: 2 });
  expect(await scheduler.health()).toEqual({ starts: false, troubles: ['its scheduler is unhealthy'] });
  expect(api?.requests.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from(`anna:${secret}`).toString('base64')}`);
  await api?.close();
  const other = await open(
    two(() => health),
    { kind: 'token', token: 'given' },
  );
  await other.health();
  expect(api?.requests.at(-1)?.headers.authorization).toBe('Bearer given');
});

test('an Airflow that is too old, none at all, and one that does not answer are told apart', async () => {
  const old = (request: FakeRequest) =>
    request.url === '/api/v1/version' ? { status: 200, body: { version: '2.7.3' } } : none;
  expect((await failure(open(old))).message).toBe('The Airflow prod is 2.7.3; 2.9 is the oldest whose API is used.');
  await api?.close();
  expect((await failure(open(() => none))).message).toContain('neither /api/v2/version nor /api/v1/version is there');
  await api?.close();
  const gone = await failure(openScheduler({ name: 'prod', url: api?.url ?? '', login }));
  expect(gone).toMatchObject({ kind: 'connection', retryable: true });
  expect(gone.message).toMatch(/cannot be reached: [A-Z_]+\.$/);
});

test('no error of it holds a secret', async () => {
  const answers: readonly FakeAnswer[] = [
    { status: 401 },
    { status: 403, body: { detail: 'no' } },
    { status: 409, body: { detail: { reason: 'Unique constraint violation' } } },
    { status: 500, body: 'oops' },
  ];
  for (const answer of answers) {
    const scheduler = await open(three(() => answer));
    const error = await failure(scheduler.clear('d', 'r', 't'));
    expect(JSON.stringify([error.message, error.hint, error.stack])).not.toMatch(/Zuckerwatte|first/);
    expect(error.retryable).toBe(answer.status === 500);
    await api?.close();
  }
  const refused = await failure(
    (await open((request) => (request.url === '/auth/token' ? { status: 401 } : three(() => none)(request)))).health(),
  );
  expect(refused.message).toBe('prod gives no token to anna (401).');
});

test('one task of one run is cleared and no other, and a list is read to its end', async () => {
  const instances = Array.from({ length: 130 }, (_, index) => ({
    task_id: index === 120 ? 'b' : 'a',
    map_index: index,
    state: index === 0 ? null : 'success',
    try_number: 1,
    max_tries: 2,
    start_date: '2026-11-30T15:39:44.368703+00:00',
    end_date: null,
  }));
  const scheduler = await open(
    three(({ url, method }) => {
      if (method === 'POST') return { status: 200, body: { task_instances: [] } };
      const offset = Number(new URL(url, 'http://x').searchParams.get('offset'));
      return { status: 200, body: { task_instances: instances.slice(offset, offset + 100), total_entries: 130 } };
    }),
  );
  await scheduler.clear('shop/daily', 'manual__2026-11-01T00:00:00+00:00', 'a');
  const { url, body } = api?.requests.at(-1) ?? {};
  expect(url).toBe('/api/v2/dags/shop%2Fdaily/clearTaskInstances');
  expect(body).toMatchObject({
    dry_run: false,
    only_failed: false,
    task_ids: ['a'],
    dag_run_id: 'manual__2026-11-01T00:00:00+00:00',
    include_downstream: false,
    prevent_running_task: true,
  });
  expect(await scheduler.instances('d', 'r', 'b')).toEqual([
    {
      task: 'b',
      mapIndex: 120,
      state: 'success',
      tryNumber: 1,
      maxTries: 2,
      startedAt: Date.parse('2026-11-30T15:39:44.368Z'),
      endedAt: undefined,
    },
  ]);
});

test('tasks at work in a time are those that ended in it or later and those that still run, of any DAG', async () => {
  const from = parseInstant('2026-11-02T01:00:00Z', 'UTC') as Instant;
  const to = parseInstant('2026-11-02T02:00:00Z', 'UTC') as Instant;
  const scheduler = await open(
    three(({ url }) => {
      const task = url.includes('state=running') ? 'running' : 'ended';
      const entry = { dag_id: 'd', dag_run_id: 'r', task_id: task };
      return { status: 200, body: { task_instances: [entry, { task_id: 'no dag' }], total_entries: 2 } };
    }),
  );
  expect(await scheduler.atWork(from, to)).toEqual([
    { dag: 'd', run: 'r', task: 'ended' },
    { dag: 'd', run: 'r', task: 'running' },
  ]);
  const asked = api?.requests.map(({ url }) => url).filter((url) => url.includes('/dags/~/dagRuns/~/taskInstances'));
  expect(asked).toEqual([
    expect.stringContaining('start_date_lte=2026-11-02T02%3A00%3A00Z&end_date_gte=2026-11-02T01%3A00%3A00Z'),
    expect.stringContaining('start_date_lte=2026-11-02T02%3A00%3A00Z&state=running'),
  ]);
});

test('what tasks took is of executions, not of what counts as done', async () => {
  const instance = (task: string, start: string | null, end: string | null) => ({
    task_id: task,
    map_index: -1,
    state: 'success',
    try_number: 1,
    max_tries: 1,
    start_date: start,
    end_date: end,
  });
  const [noon, later] = ['2026-11-02T12:00:00Z', '2026-11-02T12:01:30Z'];
  const found = [instance('a', noon, later), instance('a', null, noon), instance('b', noon, noon)];
  const scheduler = await open(three(() => ({ status: 200, body: { task_instances: found, total_entries: 3 } })));
  expect([...(await scheduler.durations('shop'))]).toEqual([['a', [90_000]]]);
  expect(api?.requests.at(-1)?.url).toContain('/dags/shop/dagRuns/~/taskInstances?state=success');
});

const date = (day: string): Instant => parseInstant(`${day}T00:00:00Z`, 'UTC') as Instant;

test('a backfill of Airflow 3 is asked about first; where it is refused, or there is none, no dates are known', async () => {
  const range = { first: date('2026-11-01'), last: date('2026-11-03') };
  const asked = { dag_id: 'shop', from_date: '2026-11-01T00:00:00Z', to_date: '2026-11-03T00:00:00Z' };
  const found = await open(
    three(({ url, method }) => {
      if (method === 'GET') {
        const own = { from_date: asked.from_date, to_date: asked.to_date, completed_at: null };
        const over = { ...own, completed_at: '2026-11-09T00:00:00Z' };
        const entries = url.includes('dag_id=done') ? [over] : [over, own];
        return { status: 200, body: { backfills: entries, total_entries: entries.length } };
      }
      if (url !== '/api/v2/backfills/dry_run') return { status: 200, body: { id: 1 } };
      const dates = ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'];
      return { status: 200, body: { backfills: dates.map((logical_date) => ({ logical_date })), total_entries: 2 } };
    }),
  );
  expect(await found.backfillDates('shop', range)).toEqual([date('2026-11-01'), date('2026-11-02')]);
  await found.backfill('shop', range, 3);
  const sent = api?.requests.filter(({ method, url }) => method === 'POST' && url.startsWith('/api')) ?? [];
  expect(sent.map(({ url, body }) => [url, body])).toEqual([
    ['/api/v2/backfills/dry_run', { ...asked, reprocess_behavior: 'none', max_active_runs: 1 }],
    ['/api/v2/backfills', { ...asked, reprocess_behavior: 'none', max_active_runs: 3 }],
  ]);
  expect(await found.isBackfilling('shop', range)).toBe(true);
  expect(await found.isBackfilling('done', range)).toBe(false);
  for (const status of [403, 404, 422]) {
    await api?.close();
    const refusing = await open(three(() => ({ status, body: { detail: 'no' } })));
    expect(await refusing.backfillDates('shop', range)).toBeUndefined();
  }
  await api?.close();
  const away = await open(three(() => ({ status: 503 })));
  expect((await failure(away.backfillDates('shop', range))).retryable).toBe(true);
  await api?.close();
  const older = await open(two(() => none));
  expect(await older.backfillDates('shop', range)).toBeUndefined();
});
