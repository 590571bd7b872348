import { afterEach, expect, test } from 'vitest';
import { collectedLineage } from '../../../src/orchestrators/open.ts';
import { type FakeAnswer, type FakeApi, type FakeRequest, fakeApi } from '../../support/fake-api.ts';

const open: FakeApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});
const serve = async (answer: (request: FakeRequest) => FakeAnswer): Promise<FakeApi> => {
  const api = await fakeApi(answer);
  open.push(api);
  return api;
};

const event = (run: number, job = 'shop.load', outputs = ['dw.mart.sales']) => ({
  eventType: 'COMPLETE',
  eventTime: '2026-11-29T12:00:00.000Z',
  producer: 'https://github.com/apache/airflow',
  run: { runId: `00000000-0000-0000-0000-${String(run).padStart(12, '0')}`, facets: {} },
  job: { namespace: 'default', name: job },
  inputs: [{ namespace: 'postgres://h:5432', name: 'dw.raw.orders' }],
  outputs: outputs.map((name) => ({ namespace: 'postgres://h:5432', name })),
});

/** A collector as Marquez is one: the newest events first, in pages. */
const marquez =
  (events: readonly unknown[], token?: string) =>
  ({ url, method, headers }: FakeRequest): FakeAnswer => {
    const asked = new URL(url, 'http://localhost');
    if (method !== 'GET' || asked.pathname !== '/api/v1/events/lineage') return { status: 404, body: { code: 404 } };
    if (token !== undefined && headers.authorization !== `Bearer ${token}`) return { status: 401, body: { code: 401 } };
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(asked.searchParams.get(name)));
    const page = events.slice(offset, (offset ?? 0) + (limit ?? 0));
    return { status: 200, body: { events: page, totalCount: events.length } };
  };
const ask = (url: string, token?: string) => collectedLineage({ url, token }, 'shop', 'load');

test('all pages are read, and the events of the task are told as those of files are', async () => {
  const others = Array.from({ length: 700 }, (_, run) => event(run, 'shop.other'));
  // What is said of a table without a run is an event too.
  const table = { eventTime: '2026-11-29T12:00:00.000Z', dataset: { namespace: 'x', name: 'y' }, producer: 'p' };
  const api = await serve(marquez([...others, table, event(1), event(2), event(3, 'shop.load', [])], 'pst'));
  expect(await ask(api.url, 'pst')).toEqual({
    runs: 3,
    reads: [{ table: 'raw.orders', where: 'postgres://h:5432/dw', runs: 3 }],
    writes: [{ table: 'mart.sales', where: 'postgres://h:5432/dw', runs: 2 }],
    unread: 0,
  });
  expect(api.requests.map(({ url }) => url)).toEqual([
    '/api/v1/events/lineage?limit=500&offset=0&sortDirection=desc',
    '/api/v1/events/lineage?limit=500&offset=500&sortDirection=desc',
  ]);
});

test('of a collector of years the newest events are read, and that there are older ones is known', async () => {
  const many = Array.from({ length: 20_001 }, (_, run) => event(run, run < 20_000 ? 'shop.other' : 'shop.load'));
  const api = await serve(marquez(many));
  expect(await ask(api.url)).toEqual({ runs: 0, reads: [], writes: [], unread: 0, older: 1 });
});

test('what does not answer as one is said in words, without its token', async () => {
  const locked = await serve(marquez([], 'another'));
  const refused = ask(locked.url, 'pst-1234');
  await expect(refused).rejects.toThrow('it answers GET /api/v1/events/lineage with 401: it wants another eventsToken');
  await expect(refused).rejects.not.toThrow('pst-1234');
  const page = await serve(() => ({ status: 200, body: '<html>' }));
  await expect(ask(page.url)).rejects.toThrow('no list of events');
  await expect(ask('http://127.0.0.1:9')).rejects.toThrow('it cannot be reached');
});

test('a redirect is not followed: the token is for its own address', async () => {
  const elsewhere = await serve(marquez([event(1)]));
  const moved = await serve(() => ({ status: 302, headers: { location: `${elsewhere.url}/api/v1/events/lineage` } }));
  await expect(ask(moved.url, 'pst')).rejects.toThrow('with 302');
  expect(elsewhere.requests).toEqual([]);
});
