import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineageReader } from '../../../src/core/run/observed/lineage-events.ts';

const postgres = 'postgres://wh.example:5432';
const table = (name: string, namespace = postgres) => ({ namespace, name });
const event = (eventType: string, run: string, job: string, parts: object = {}) =>
  JSON.stringify({
    eventType,
    eventTime: '2026-11-29T12:00:00Z',
    run: { runId: run, facets: {} },
    job: { namespace: 'default', name: job },
    inputs: [],
    outputs: [],
    ...parts,
  });
const read = (...lines: readonly string[]) => {
  const reader = lineageReader('shop', 'load');
  for (const line of lines) reader.line(line);
  return reader.end();
};

test('tables of a task’s runs that ended well, whichever event of a run names them', () => {
  const found = read(
    event('START', 'a', 'shop.load', { inputs: [table('dw.raw.orders')] }),
    event('COMPLETE', 'a', 'shop.load', { outputs: [table('dw.mart.sales')] }),
    event('START', 'b', 'shop.load', { inputs: [table('dw.raw.orders')] }),
    event('COMPLETE', 'b', 'shop.load', { inputs: [table('raw/orders', 's3://lake')] }),
    event('FAIL', 'c', 'shop.load', { outputs: [table('dw.mart.half')] }),
    event('COMPLETE', 'd', 'shop.load_all', { outputs: [table('dw.mart.other')] }),
    'not json',
    '',
    '{"eventType":1}',
  );
  expect(found).toEqual({
    runs: 2,
    reads: [
      { table: 'raw.orders', where: `${postgres}/dw`, runs: 2 },
      { table: 'raw/orders', where: 's3://lake', runs: 1 },
    ],
    writes: [{ table: 'mart.sales', where: `${postgres}/dw`, runs: 1 }],
    unread: 2,
  });
});

test('what a job names that the task has started is its own, and ends with it', () => {
  const facets = { parent: { run: { runId: 'a' }, job: { namespace: 'default', name: 'shop.load' } } };
  const child = event('COMPLETE', 'spark', 'load_sales.insert', {
    run: { runId: 'spark', facets },
    outputs: [table('dw.mart.sales')],
  });
  expect(read(child).runs).toBe(0);
  expect(read(child, event('COMPLETE', 'a', 'shop.load'))).toMatchObject({
    runs: 1,
    writes: [{ table: 'mart.sales' }],
  });
});

test('no line makes it throw, and none of another task counts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.json(), fc.string(), fc.constant(event('COMPLETE', 'x', 'other.load')))),
      (lines) => {
        expect(read(...lines)).toMatchObject({ runs: 0, reads: [], writes: [] });
      },
    ),
  );
});
