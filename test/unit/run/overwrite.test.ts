import { expect, test } from 'vitest';
import { readOverwrite } from '../../../src/core/run/partitioned/target/overwrite.ts';
import { job } from '../../support/warehouse-fixture.ts';

const insert = "INSERT OVERWRITE TABLE `mart`.daily PARTITION (day = '2026-11-01') SELECT page FROM raw.visits";
const slice = {
  table: 'mart.daily',
  column: 'day',
  from: '2026-11-01T00:00:00Z',
  to: '2026-11-02T00:00:00Z',
  predicate: undefined,
  mode: 'insert_overwrite',
  key: [],
  volatile: [],
} as const;
const read = (statements: readonly string[], more: Partial<typeof slice> | Record<string, unknown> = {}) =>
  readOverwrite(job({ statements, slices: [{ ...slice, ...more }] }));
const why = (...asked: Parameters<typeof read>) => {
  const found = read(...asked);
  return found.kind === 'refused' ? found.reason : 'ready';
};

test('the target alone is replaced by the stage', () => {
  const found = read([
    "SET spark.sql.session.timeZone = 'UTC'",
    'create or replace temporary view v as select 1',
    insert,
  ]);
  if (found.kind === 'refused') throw new Error(found.reason);
  expect(found.before).toHaveLength(2);
  expect(found.target).toEqual(['mart', 'daily']);
  expect(found.into('`s`.`x`')).toBe(
    "INSERT OVERWRITE TABLE `s`.`x` PARTITION (day = '2026-11-01') SELECT page FROM raw.visits",
  );
});

test('constants of other partition columns say whose partitions are the unit’s', () => {
  const found = read([
    "INSERT OVERWRITE mart.daily PARTITION (day = DATE '2026-11-01', country = 'DE', hour = 5, shop) SELECT 1, 'a'",
  ]);
  expect(found).toMatchObject({ kind: 'ready', fixed: { country: 'DE', hour: '5' } });
});

test.each([
  ['a second insert', [insert, insert], 'more than one table'],
  ['rows that are added', [insert.replace('OVERWRITE TABLE', 'INTO')], 'adds its rows'],
  ['a statement behind it', [insert, 'SET a.b = 1'], 'comes after the INSERT OVERWRITE'],
  ['a table that is made', ['create table x as select 1', insert], 'neither a setting nor a temporary view'],
  ['another schema', ['use mart', insert], 'neither a setting nor a temporary view'],
  ['rows that are kept', [insert.replace(') SELECT', ') IF NOT EXISTS SELECT')], 'IF NOT EXISTS keeps the rows'],
  ['several targets', ['FROM raw.visits INSERT OVERWRITE a SELECT 1 INSERT OVERWRITE b SELECT 2'], 'several'],
  ['rows changed in place', ['DELETE FROM mart.daily WHERE true'], 'changes rows in place'],
  ['nothing', [], 'no INSERT OVERWRITE'],
  ['a value that a query gives', [insert.replace("'2026-11-01'", "'2026-11-01', c = current_date()")], 'no constant'],
])('is refused by name: %s', (_, statements, reason) => {
  expect(why(statements)).toContain(reason);
});

test.each([
  ['rows of others', { shared: 'shop.other writes mart.daily too' }, 'may hold rows of others'],
  ['its own rows', { byOwn: 'it reads what it wrote' }, 'goes by the rows that it finds there'],
  ['a condition', { predicate: 'day > 1' }, 'told by a condition'],
  [
    'an expression',
    { cut: { kind: 'expression', sql: 'to_date(at)', columns: ['at'], calls: [] } },
    'was declared as an expression',
  ],
])('is refused by name, by its slice: %s', (_, more, reason) => {
  expect(why([insert], more)).toContain(reason);
});

const unknown = { column: undefined, from: undefined, to: undefined };

/** What is not known of a partition is said as it is written, with the cure for that. */
test.each([
  [
    'SELECT 1, d',
    'without PARTITION (…) a static overwrite empties the whole table',
    'where it has none, let its scheduler',
  ],
  [
    "PARTITION (day) SELECT 1, day FROM v WHERE day <= '2026-11-01'",
    'PARTITION (day) takes whatever its query gives',
    'bound day',
  ],
  [
    "PARTITION (y = '2026', m = '11', d = '01') SELECT 1",
    "names y, m, d, and what of them is the interval's is not read",
    'columns: [y, m, d]',
  ],
  ["PARTITION (country = 'DE', day) SELECT 1, day FROM v", 'PARTITION (day) takes', 'bound'],
])('unknown partitions: %s', (rest, reason, remedy) => {
  expect(read([`INSERT OVERWRITE mart.daily ${rest}`], unknown)).toMatchObject({
    reason: expect.stringContaining(reason),
    remedy: expect.stringContaining(remedy),
  });
});

test('parts of a date are those of the slice, and no constants beside it', () => {
  const cut = { kind: 'parts', columns: ['y', 'm', 'd'] };
  const text = "INSERT OVERWRITE mart.daily PARTITION (y = '2026', m = '11', d = '01', shop = 'x') SELECT 1";
  expect(read([text], { column: 'y', cut })).toMatchObject({ kind: 'ready', fixed: { shop: 'x' }, wipes: false });
});

test.each([
  ['', false, true],
  ["PARTITION (day = '2026-11-01')", false, false],
  ['PARTITION (day)', false, true],
  ['PARTITION (day)', true, false],
])('run by its scheduler it replaces more: %s, dynamic %s', (partition, dynamic, wipes) => {
  const set = dynamic ? ['SET spark.sql.sources.partitionOverwriteMode = dynamic'] : [];
  expect(read([...set, `INSERT OVERWRITE mart.daily ${partition} SELECT 1`])).toMatchObject({ wipes });
});
