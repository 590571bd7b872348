import { expect, test } from 'vitest';
import { tableNames } from '../../../src/core/lineage/workspace/find-table.ts';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { workspace } from './workspace.ts';

const load = (table: string, source: string): string =>
  `DELETE FROM ${table} WHERE day = '{{ ds }}'; INSERT INTO ${table} SELECT * FROM ${source} WHERE day = '{{ ds }}'`;

/** Each table with who writes and who reads it, of tasks that hand rows on. */
function joined(tasks: Readonly<Record<string, string>>, dialect: DialectName = 'postgres'): unknown {
  const { tables } = workspace({ d: { tasks, dialect } });
  return Object.fromEntries([...tables].map(([table, { writers, readers }]) => [table, [...writers, '>', ...readers]]));
}

test.each([
  ['mart."Orders"', 'mart.orders', 'mart.Orders', 'mart.orders'],
  ['"Orders"', 'orders', 'Orders', 'orders'],
  ['mart."Orders"', 'MART.ORDERS', 'mart.Orders', 'mart.orders'],
  ['mart."Orders"', 'mart."orders"', 'mart.Orders', 'mart.orders'],
  ['"Mart".orders', 'mart.orders', 'Mart.orders', 'mart.orders'],
  ['mart."ORDERS"', 'mart."Orders"', 'mart.ORDERS', 'mart.Orders'],
])('%s and %s are two tables of PostgreSQL', (raw, clean, first, second) =>
  expect(joined({ pull: load(raw, 'r'), clean: load(clean, raw), daily: load('mart.daily', clean) })).toMatchObject({
    [first]: ['d.pull', '>', 'd.clean'],
    [second]: ['d.clean', '>', 'd.daily'],
  }),
);

test('a name without its schema means the table in its own letters', () =>
  expect(
    joined({ pull: load('mart."Orders"', 'r'), clean: load('mart.orders', '"Orders"'), daily: load('x', 'orders') }),
  ).toMatchObject({ 'mart.Orders': ['d.pull', '>', 'd.clean'], 'mart.orders': ['d.clean', '>', 'd.daily'] }));

test.each([
  ['mart."orders"', 'mart.orders'],
  ['mart."orders"', 'Mart.Orders'],
])('%s and %s are one table', (raw, other) =>
  expect(joined({ pull: load(raw, 'r'), daily: load('mart.daily', other) })).toMatchObject({
    'mart.orders': ['d.pull', '>', 'd.daily'],
  }),
);

test.each<[DialectName, string]>([
  ['ansi', 'mart.[Orders]'],
  ['snowflake', 'mart."ORDERS"'],
  ['spark', 'mart.`Orders`'],
  ['bigquery', '`mart.Orders`'],
  ['redshift', 'mart."Orders"'],
  ['mysql', 'mart.`Orders`'],
])('%s takes %s for the table that is named without quotes', (dialect, raw) =>
  expect(joined({ pull: load(raw, 'r'), daily: load('mart.daily', 'mart.orders') }, dialect)).toMatchObject({
    'mart.orders': ['d.pull', '>', 'd.daily'],
  }),
);

test('a table by its capitals alone is found in any letters, by its own ones where there are two', () => {
  expect(['mart.Orders', 'MART.ORDERS', 'orders'].map(tableNames(['mart.orders']))).toEqual(
    Array(3).fill('mart.orders'),
  );
  const both = tableNames(['mart.Orders', 'mart.orders']);
  expect(['mart.Orders', 'Orders', 'mart.ORDERS', 'orders'].map(both)).toEqual([
    'mart.Orders',
    'mart.Orders',
    'mart.orders',
    'mart.orders',
  ]);
});
