import { describe, expect, test } from 'vitest';
import type { ReadFact, ReadWindow, SliceFact, WriteFact } from '../../../src/core/lineage/facts/facts.ts';
import type { Task } from '../../../src/core/pipeline/model/model.ts';
import type { PlanUnit } from '../../../src/core/plan/model/plan.ts';
import type { RowsOfTask } from '../../../src/core/run/jobs/slices/part-of-table.ts';
import { sharedSlice } from '../../../src/core/run/jobs/slices/shared-slice.ts';
import { readSql } from '../../../src/core/sql/read-sql.ts';
import { plainText } from '../../../src/core/template/mask/plain-text.ts';
import type { TimeExpression } from '../../../src/core/time/expressions/time-expression.ts';

const at = (anchor: 'start' | 'end', floor?: 'day' | 'month', days = 0): TimeExpression => ({
  anchor,
  steps: [
    ...(floor === undefined ? [] : [{ kind: 'floor' as const, unit: floor, zone: 'UTC' as never }]),
    ...(days === 0 ? [] : [{ kind: 'shift' as const, offset: { months: 0, days, ms: 0 }, zone: 'UTC' as never }]),
  ],
});
const range = (lo: TimeExpression, hi: TimeExpression): SliceFact => ({
  kind: 'range',
  column: 'day',
  lo,
  hi,
  predicate: undefined,
});
const own = range(at('start'), at('end'));
const unit = (start: string, end: string, next = end): PlanUnit =>
  ({
    start: Date.parse(start),
    next: Date.parse(next),
    data: { start: Date.parse(start), end: Date.parse(end) },
  }) as never;
const day = unit('2026-11-28T00:00:00Z', '2026-11-29T00:00:00Z');
const hour = unit('2026-11-28T05:00:00Z', '2026-11-28T06:00:00Z');
const month = unit('2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z');
const moment = unit('2026-11-28T00:00:00Z', '2026-11-28T00:00:00Z', '2026-11-29T00:00:00Z');
const text = (sql: string, holes: readonly unknown[] = []): Task =>
  ({
    sql: [{ masked: { ...plainText(sql), holes }, reading: readSql(plainText(sql), 'postgres') }],
    accesses: [],
    unread: [],
  }) as never;
const upsert = 'insert into mart.t select * from src on conflict (id) do update set n = excluded.n';
const dated = text(upsert, [{ value: { kind: 'time' } }]);
const given = text(upsert, [{ value: { kind: 'parameter', source: 'conf' } }]);
const lately: ReadWindow = { kind: 'unknown', reason: 'now()', at: undefined };
const within = (column: string): ReadWindow => ({ kind: 'range', column, lo: [at('start')], hi: [at('end')] });
const whole: SliceFact = { kind: 'whole-table' };
const read = (table: string, window: ReadWindow = { kind: 'unbounded' }): ReadFact => ({
  table,
  window,
  provenance: 'sql',
  at: undefined,
});
const rows = (parts: Partial<RowsOfTask> = {}): RowsOfTask => ({
  task: text(upsert),
  facts: { reads: [read('src')], writes: [] },
  refilledBy: () => [],
  same: (a, b) => a === b,
  ...parts,
});
const write = (slice: SliceFact, mode: WriteFact['mode'] = 'merge'): WriteFact => ({
  table: 'mart.t',
  slice,
  mode,
  key: [],
  provenance: 'sql',
  at: undefined,
});

describe('whether the rows of a slice are the unit’s alone', () => {
  test.each<[string, WriteFact, PlanUnit, Partial<RowsOfTask>?]>([
    ['the interval itself', write(own), day],
    ['a month', write(own), month],
    ['the day of a run that is a moment', write(range(at('start', 'day'), at('start', 'day', 1))), moment],
    ['the day before', write(range(at('start', undefined, -1), at('start'))), day],
    ['a table that every interval rewrites', write({ kind: 'whole-table' }, 'full_replace'), day],
    ['rows that are added and guarded', write(own, 'append'), day],
    ['a table that every run gives whole', write(whole), day],
    ['a snapshot that empties it first', write(whole, 'full_replace'), day, { task: dated }],
    ['a slice of its own statements', write(own), day, { task: dated }],
    [
      'a slice that was declared, by the column that it reads by',
      { ...write(own), cutAsSaid: 'alone' },
      day,
      { task: dated, facts: { reads: [read('src', within('day'))], writes: [] } },
    ],
    [
      'a slice that was declared as its statements say, in other words',
      { ...write(own), cutAsSaid: { lo: at('start', 'day'), hi: at('start', 'day', 1) } },
      day,
    ],
    [
      'a stage of its own that is filled on the way',
      write(own),
      day,
      { facts: { reads: [read('stage')], writes: [{ ...write(whole, 'full_replace'), table: 'stage' }] } },
    ],
  ])('they are: %s', (_, fact, of, parts = {}) => {
    expect(sharedSlice(fact, of, () => [], rows(parts))).toBeUndefined();
  });

  test.each<[string, WriteFact, Partial<RowsOfTask>, RegExp]>([
    ['the interval decides what goes into the whole', write(whole), { task: dated }, /depends on the interval$/],
    ['so does what a run is given', write(whole), { task: given }, /depends on the interval$/],
    [
      'so does the clock',
      write(whole),
      { facts: { reads: [read('src', lately)], writes: [] } },
      /which rows of src it reads depends on when it runs$/,
    ],
    [
      'the source holds one interval at a time',
      write(whole),
      { refilledBy: (table) => (table === 'src' ? ['shop.fill'] : []) },
      /src, which it reads, is filled anew for each interval by shop\.fill$/,
    ],
    ['a LIMIT takes some', write(whole), { task: text(`insert into mart.t select * from src limit 9`) }, /LIMIT$/],
    [
      'a LIMIT in a query below',
      write(whole),
      { task: text('insert into mart.t with s as (select * from src limit 9) select * from s') },
      /LIMIT$/,
    ],
    ['a queue is used up', { ...write(own), takenFrom: 'queue' }, {}, /uses up what it reads \(queue\)/],
    ['rows behind a mark', { ...write(own), behindMark: 'marks' }, {}, /uses up what it reads \(marks\)/],
    ...(['delete', 'update'] as const).map((mode): [string, WriteFact, Partial<RowsOfTask>, RegExp] => [
      `the source is marked by ${mode}`,
      write(own),
      { facts: { reads: [read('src')], writes: [{ ...write(own, mode), table: 'src' }] } },
      /uses up what it reads \(src\)/,
    ]),
    [
      'the source is emptied behind it',
      write(own),
      { facts: { reads: [read('src')], writes: [{ ...write(whole, 'full_replace'), table: 'src', empties: true }] } },
      /uses up what it reads \(src\)/,
    ],
    ...(['append', 'merge'] as const).map((mode): [string, WriteFact, Partial<RowsOfTask>, RegExp] => [
      `a log of what is done, kept by ${mode}, is added to and not used up`,
      write(own),
      { facts: { reads: [read('log')], writes: [{ ...write(whole, mode), table: 'log' }] } },
      /^it adds rows to what it reads \(log\), so that a second run finds other rows there$/,
    ]),
    [
      'the slice was declared by another column than it reads by',
      { ...write(own), cutAsSaid: 'alone' },
      { task: dated, facts: { reads: [read('src', within('loaded_at'))], writes: [] } },
      /^nothing in its statements says that the rows of mart\.t with day in its interval/,
    ],
    [
      'the slice was declared wider than its statements say',
      { ...write(own), cutAsSaid: { lo: at('start'), hi: at('start', 'day', 2) } },
      { facts: { reads: [read('src', within('day'))], writes: [] } },
      /^other rows of mart\.t were declared/,
    ],
    [
      'nobody knows which, and the interval decides',
      write({ kind: 'unknown', reason: 'no column' }),
      { task: dated },
      /no column; declare column, from and to under its writes$/,
    ],
  ])('they are not, because %s', (_, fact, parts, why) => {
    expect(sharedSlice(fact, day, () => [], rows(parts))).toMatch(why);
  });

  const e = "select id, day, n from src where day = '2026-11-28'";

  test.each<[string, string, ReadFact?]>([
    ['NOT EXISTS', `insert into mart.t ${e} and not exists (select from mart.t t where t.id = src.id)`],
    ['NOT (… IN …)', `insert into mart.t ${e} and not (id in (select id from mart.t))`],
    ['EXCEPT', `insert into mart.t ${e} except select id, day, n from mart.t`],
    ['an anti-join', 'insert into mart.t select s.* from src s left join mart.t t on t.id = s.id where t.id is null'],
    [
      'an anti-join on a common table',
      'with old as (select id from mart.t) insert into mart.t select s.* from src s left join old on old.id = s.id where old.id is null',
    ],
    [
      'what is new or differs',
      `insert into mart.t select s.* from src s left join mart.t t on t.id = s.id where t.id is null or t.n <> s.n on conflict (id) do update set n = excluded.n`,
    ],
    [
      'a guard in front of the ten best',
      `insert into mart.t select * from (${e} order by n limit 10) s where not exists (select from mart.t t where t.id = s.id)`,
    ],
    [
      'a stage of what is not there',
      `create temp table s as ${e} and id not in (select id from mart.t); insert into mart.t select * from s`,
    ],
    [
      'a temporary table of its last name',
      `create temp table t as ${e}; insert into mart.t select * from t on conflict (id) do nothing`,
    ],
    [
      'an update and an insert',
      `update mart.t set n = s.n from (${e}) s where mart.t.id = s.id; insert into mart.t ${e} and not exists (select from mart.t t where t.id = src.id)`,
    ],
    [
      'a sum of what it has filled',
      `insert into mart.t ${e} on conflict (id) do update set n = excluded.n; insert into mart.t select 0, day, sum(n) from mart.t group by day`,
    ],
    [
      'a prune behind it',
      `insert into mart.t ${e} on conflict (id) do nothing; delete from mart.t a using mart.t b where a.id > b.id and a.n = b.n`,
    ],
    [
      'a count of it kept elsewhere',
      `insert into mart.log select count(*) from mart.t; insert into mart.t ${e} on conflict (id) do nothing`,
    ],
    [
      'rows of the day before',
      "insert into mart.t select id, '2026-11-28', n from mart.t where day = '2026-11-27' on conflict (id) do nothing",
      read('mart.t', { kind: 'range', column: 'day', lo: [at('start', undefined, -1)], hi: [at('start')] }),
    ],
  ])('a task that fills its slice from elsewhere owns it: %s', (_, statements, itself = read('mart.t')) => {
    expect(
      sharedSlice(
        write(own),
        day,
        () => [],
        rows({ task: text(statements), facts: { reads: [read('src'), itself], writes: [] } }),
      ),
    ).toBeUndefined();
  });

  test.each<[string, string, ReadFact?]>([
    ['a union', `insert into mart.t select * from mart.t union ${e} on conflict (id) do nothing`],
    [
      'a temporary table',
      `create temp table x as select * from mart.t union ${e}; insert into mart.t select * from x where not exists (select from mart.t t where t.id = x.id)`,
    ],
    [
      'a stage that stays',
      `truncate stage; insert into stage select * from mart.t union ${e}; insert into mart.t select * from stage on conflict (id) do nothing`,
    ],
    [
      'a common table',
      `with old as (select * from mart.t) insert into mart.t select * from old union ${e} on conflict (id) do nothing`,
    ],
    [
      'rows that it takes out',
      `with d as (delete from mart.t returning id, day, n) insert into mart.t select * from d union ${e}`,
    ],
    [
      'values of a join',
      'insert into mart.t select s.id, s.day, s.n + coalesce(t.n, 0) from src s left join mart.t t on t.id = s.id where t.id is null or t.n < 9',
    ],
    [
      'only those that are there',
      `insert into mart.t ${e} and id in (select id from mart.t) on conflict (id) do update set n = excluded.n`,
    ],
    ['a number of its rows', `insert into mart.t select (select count(*) from mart.t) + id, day, n from src`],
    [
      'the next ten that are not there',
      `insert into mart.t ${e} and not exists (select from mart.t t where t.id = src.id) order by id limit 10`,
    ],
    [
      'a value of a CASE',
      `insert into mart.t select id, day, case when exists (select from mart.t t where t.id = src.id) then 1 else 0 end from src on conflict (id) do nothing`,
    ],
    [
      'a merge from itself',
      'merge into mart.t t using (select s.id, s.n + o.n as n from src s join mart.t o on o.id = s.id) s on s.id = t.id when not matched then insert values (s.id, null, s.n)',
    ],
    [
      'a variable',
      'do $$ declare v int; begin select max(n) into v from mart.t; insert into mart.t select id, day, v from src on conflict (id) do nothing; end $$',
    ],
    ['a view', `insert into mart.t select * from v on conflict (id) do nothing`, { ...read('mart.t'), through: 'v' }],
  ])('a task that builds on its own rows has no clean run: %s', (_, statements, itself = read('mart.t')) => {
    expect(
      sharedSlice(
        write(own),
        day,
        () => [],
        rows({ task: text(statements), facts: { reads: [read('src'), itself], writes: [] } }),
      ),
    ).toBe('it makes rows of mart.t out of those that it finds there');
  });

  test.each<[string, WriteFact, RegExp]>([
    ['it only deletes', write(own, 'delete'), /^it only takes rows away from mart\.t$/],
    ['it only empties', { ...write(whole, 'full_replace'), empties: true }, /^it only takes rows away/],
    ['it makes the table once', write(whole, 'create'), /only where there is no such table yet$/],
  ])('a task that does not fill its slice has no clean run: %s', (_, fact, why) => {
    expect(sharedSlice(fact, day, () => [], rows())).toMatch(why);
  });

  test.each<[string, WriteFact, PlanUnit, readonly string[], RegExp]>([
    ['another task writes the table', write(own), day, ['shop.other'], /^shop.other writes mart.t too$/],
    [
      'the hours of a day write its slice',
      write(range(at('start', 'day'), at('start', 'day', 1))),
      hour,
      [],
      /^other intervals/,
    ],
    ['month to date', write(range(at('start', 'month'), at('end'))), day, [], /^other intervals/],
    ['the last seven days', write(range(at('end', undefined, -7), at('end'))), day, [], /^other intervals/],
    [
      'nobody knows which',
      write({ kind: 'unknown', reason: 'no column' }),
      day,
      [],
      /no column; declare slice: all under its writes$/,
    ],
    ['each interval adds to the whole', write({ kind: 'whole-table' }, 'append'), day, [], /adds its rows/],
    ['rows are only changed', write(own, 'update'), day, [], /only changes rows/],
    ['a declared table that no statement writes', write({ kind: 'whole-table' }, 'unknown'), day, [], /is not known$/],
  ])('they are not: %s', (_, fact, of, writers, why) => {
    expect(sharedSlice(fact, of, () => writers, rows())).toMatch(why);
  });
});

test('what was declared of parts of a date is what PARTITION names, and only where it names all of them', () => {
  const slice = { ...own, column: 'y', cut: { kind: 'parts', columns: ['y', 'm', 'd'] } } as SliceFact;
  const written = (partition: string): RowsOfTask => {
    const sql = `insert overwrite mart.t partition (${partition}) select 1`;
    return rows({
      task: {
        ...text(sql),
        sql: [{ masked: { ...plainText(sql), holes: [] }, reading: readSql(plainText(sql), 'spark') }],
      } as never,
    });
  };
  const why = (partition: string) =>
    sharedSlice({ ...write(slice), mode: 'insert_overwrite', cutAsSaid: 'alone' }, day, () => [], written(partition));
  expect(why("Y = '2026', m = '11', d = '28', shop = 'x'")).toBeUndefined();
  expect(why("y = '2026', m = '11', d")).toContain('nothing in its statements says');
});
