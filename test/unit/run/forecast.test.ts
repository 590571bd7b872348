import { expect, test } from 'vitest';
import { type Forecast, forecastInWords } from '../../../src/core/run/unit/forecast.ts';
import { explainedRows } from '../../../src/core/warehouse/dialects/postgres/explained-rows.ts';

const forecast = (parts: Partial<Forecast>): Forecast => ({
  way: 'units',
  reads: [{ table: 'raw.orders', rows: 123_456, whole: true }],
  writes: [{ table: 'mart.daily', deleted: 310, inserted: 1, updated: 0 }],
  locks: [{ table: 'mart.daily', against: 'rows' }],
  heldAtMostMs: undefined,
  unplanned: 0,
  problem: undefined,
  ...parts,
});
const words = (parts: Partial<Forecast>) =>
  forecastInWords(forecast(parts)).map(({ about, text }) => `${about} ${text}`);

test('a run says what it reads, writes and locks', () => {
  expect(words({})).toEqual([
    'reads about 120,000 rows of raw.orders (scans it)',
    'writes about mart.daily: 310 rows deleted, 1 row inserted',
    'locks mart.daily while each unit runs: others wait to change the same rows, and TRUNCATE, ALTER and CREATE INDEX wait; readers do not',
  ]);
});

test('a preview says how long others wait, whom it keeps from reading, and what it leaves', () => {
  const locks = [
    { table: 'mart.daily', against: 'rows' as const },
    { table: 'mart.whole', against: 'everyone' as const },
  ];
  expect(words({ way: 'transaction', locks, heldAtMostMs: 600_000 }).slice(2)).toEqual([
    'locks mart.whole until it ends, at most 10 min: all who read or write wait',
    'locks mart.daily until it ends, at most 10 min: others wait to change the same rows, and TRUNCATE, ALTER and CREATE INDEX wait; readers do not',
    'leaves about 1 dead row in mart.daily, although rolled back: VACUUM frees them',
  ]);
});

test('a preview by the query alone writes nothing', () => {
  expect(words({ way: 'query', locks: [], heldAtMostMs: 600_000 }).slice(1)).toEqual([
    'writes nothing; a run about mart.daily: 310 rows deleted, 1 row inserted',
    'locks none that reads or changes of rows wait for; ALTER and TRUNCATE wait, at most 10 min',
  ]);
});

test('what is not estimated is said', () => {
  expect(words({ reads: [], writes: [], locks: [], unplanned: 2, problem: 'no server' })).toEqual([
    'reads not estimated: no server',
    'writes not estimated: 2 statements',
  ]);
  expect(words({ unplanned: 1 })).toContain('writes not estimated: 1 statement more');
});

test('rows of a plan: what a loop reads again counts each time, what is only looked up to be deleted once', () => {
  const scan = (name: string, rows: number, more: object = {}) => ({
    'Node Type': 'Index Scan',
    'Relation Name': name,
    Schema: 's',
    'Plan Rows': rows,
    ...more,
  });
  const insert = {
    'Node Type': 'ModifyTable',
    Operation: 'Insert',
    'Relation Name': 'target',
    Schema: 's',
    'Plan Rows': 0,
    Plans: [
      {
        'Node Type': 'Nested Loop',
        'Plan Rows': 50,
        Plans: [
          scan('outer', 10, { 'Parent Relationship': 'Outer', 'Node Type': 'Seq Scan' }),
          scan('inner', 5, { 'Parent Relationship': 'Inner' }),
        ],
      },
    ],
  };
  const removal = { ...insert, Operation: 'Delete', Plans: [scan('target', 7)] };
  expect(explainedRows(JSON.stringify([{ Plan: insert }, { Plan: removal }]))).toEqual({
    reads: [
      { table: 's.outer', rows: 10, whole: true },
      { table: 's.inner', rows: 50, whole: false },
    ],
    writes: [
      { table: 's.target', operation: 'insert', rows: 50 },
      { table: 's.target', operation: 'delete', rows: 7 },
    ],
  });
});
