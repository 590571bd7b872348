import { describe, expect, it } from 'vitest';
import type { DeclaredFacts } from '../../../src/core/lineage/facts/declared-facts.ts';
import type { TaskAccess } from './task-access.ts';
import { accessOf } from './task-access.ts';
import { readsOf, type TaskText, workspace, writesOf } from './workspace.ts';

const s = "'{{ data_interval_start }}'";
const e = "'{{ data_interval_end }}'";
const ofDay = '[day of start (UTC), day of start (UTC) + 1 day)';
const load = (table: string, column = 'day') =>
  `delete from ${table} where ${column} = '{{ ds }}'; insert into ${table} select * from raw`;

/** Facts of a task `t` beside tasks that cut `src` by `day`, and a table `daily` with one column of days. */
const factsOf = (t: string | TaskText, declared?: DeclaredFacts) =>
  workspace(
    {
      other: { tasks: { src: load('mart.src'), ddl: 'create table mart.daily (day date, n int)' } },
      d: { tasks: { t } },
    },
    declared,
  );
const unknownsOf = (t: string | TaskText, declared?: DeclaredFacts) =>
  (factsOf(t, declared).facts.get('d.t')?.unknowns ?? []).map(
    ({ about, table, message }) => `${about} ${table ?? '—'}: ${message}`,
  );

describe('tables that are written without SQL', () => {
  const writes = (...accesses: TaskAccess[]) => writesOf(factsOf({ accesses: accesses.map(accessOf) }), 'd.t');

  it.each([
    [{ mode: 'append' }, 'append x.t unknown: nothing says which rows to_sql writes'],
    [{ mode: 'full_replace' }, 'full_replace x.t the whole table'],
    [{ mode: 'create' }, 'create x.t the whole table'],
    [{ mode: 'merge' }, 'merge x.t unknown: nothing says which rows to_sql writes'],
    [
      { mode: 'insert_overwrite' },
      'insert_overwrite x.t unknown: to_sql overwrites the partitions that its rows fall into',
    ],
    [{ mode: 'full_replace', partition: 'ds_nodash', table: 'mart.src' }, `insert_overwrite mart.src day ${ofDay}`],
    [{ mode: 'append', partition: 'ds_nodash', table: 'mart.daily' }, `append mart.daily day ${ofDay}`],
    [
      { mode: 'full_replace', partition: 'ds_nodash' },
      'insert_overwrite x.t unknown: the column of its partitions is not known',
    ],
  ] as const)('%j', (access, write) => {
    expect(writes({ direction: 'write', ...access })).toEqual([write]);
  });

  it('of several writes the one that replaces stands', () => {
    expect(writes({ direction: 'write', mode: 'append' }, { direction: 'write', mode: 'full_replace' })).toEqual([
      'full_replace x.t the whole table',
    ]);
  });

  it('rows that are appended after a DELETE replace a slice', () => {
    const task = {
      sql: "delete from x.t where day = '{{ ds }}'",
      accesses: [accessOf({ direction: 'write', mode: 'append' })],
    };
    expect(writesOf(factsOf(task), 'd.t')).toEqual([`delete+insert x.t day ${ofDay}`]);
  });

  it('join tasks like those in SQL', () => {
    const facts = workspace({
      d: {
        tasks: {
          put: { accesses: [accessOf({ direction: 'write', mode: 'append', table: 'mart.orders' })] },
          read: { accesses: [accessOf({ direction: 'read', table: 'orders' })] },
        },
      },
    });
    expect(facts.tables.get('mart.orders')).toMatchObject({ writers: ['d.put'], readers: ['d.read'] });
    expect(facts.facts.get('d.read')?.reads[0]?.provenance).toBe('argument');
  });
});

describe('assets', () => {
  it.each([
    'postgres://host:5432/db/mart/daily',
    'bigquery://project/mart/daily',
    'mart.daily',
    'postgresql://host/mart/daily',
  ])('%s names a table of the workspace', (asset) => {
    const facts = factsOf({ outlets: [asset] });
    expect(writesOf(facts, 'd.t')).toEqual(['unknown mart.daily unknown: an outlet says no rows']);
    expect(facts.facts.get('d.t')?.writes[0]?.provenance).toBe('outlet');
    expect(readsOf(factsOf({ inlets: [asset] }), 'd.t')).toEqual(['mart.daily unknown: an inlet says no range']);
  });

  it.each(['s3://bucket/mart/daily/part=1', 'postgres://host/db/other/daily', 'daily_done', 'postgres://host/daily'])(
    '%s only gives order',
    (asset) => {
      expect(writesOf(factsOf({ outlets: [asset] }), 'd.t')).toEqual([]);
    },
  );

  it('add nothing to what SQL says', () => {
    const task = { sql: load('mart.daily'), outlets: ['mart.daily'], inlets: ['raw'] };
    expect(writesOf(factsOf(task), 'd.t')).toEqual([`delete+insert mart.daily day ${ofDay}`]);
    expect(readsOf(factsOf(task), 'd.t')).toEqual(['raw the whole table']);
  });
});

describe('a statement that breaks off', () => {
  const broken = 'Not all that it reads and writes is known: a statement breaks off.';

  it.each([
    ['behind an operator', 'insert into m select * from a where b = 1 and', [broken]],
    ['in a query that goes on', 'insert into m select * from a join', [broken]],
    ['not at all', 'insert into m select * from a', []],
  ])('may name more tables: %s', (_, sql, expected) => {
    expect(
      factsOf(sql)
        .facts.get('d.t')
        ?.unknowns.flatMap(({ about, message }) => (about === 'tables' ? [message] : [])),
    ).toEqual(expected);
  });
});

describe('names with parameters', () => {
  const sql = "insert into {{ params.schema }}.m select * from `{{ params.schema }}`.src where day = '{{ ds }}'";
  it('are those of the task, where it gives them', () => {
    const facts = factsOf({ sql, params: { schema: 'Mart' } });
    expect(writesOf(facts, 'd.t')).toEqual([`append mart.m day ${ofDay}`]);
    expect(facts.facts.get('d.t')?.unknowns).toEqual([]);
  });

  it('are no table otherwise, not even by their last part', () => {
    expect(writesOf(factsOf(sql), 'd.t')).toEqual([]);
    expect(unknownsOf(sql)).toEqual([
      'table-name —: The table {{ params.schema }}.m is only known when the task runs.',
      'table-name —: The table `{{ params.schema }}`.src is only known when the task runs.',
    ]);
  });
});

describe('what is not known', () => {
  const read = (where: string) =>
    `delete from m where day = '{{ ds }}'; insert into m select * from mart.src where ${where}`;

  it.each([
    [
      'the whole of a table that is cut',
      read('1 = 1'),
      ['window mart.src: It reads all of mart.src, which is written in slices of day: no condition says which.'],
    ],
    ['the whole of a cut table, where all is made anew', 'truncate m; insert into m select count(*) from mart.src', []],
    [
      'a bound that varies',
      read('day >= current_date'),
      [expect.stringMatching(/^window mart\.src: .* is not known: .*current_date/)],
    ],
    [
      'a slice',
      'insert into m select * from dim',
      [expect.stringMatching(/^slice m: The rows of m that one interval owns are not known/)],
    ],
    [
      'tables of a branch that is not read',
      "{% if ds < '2024-02-01' %}insert into m select * from dim where day = '{{ ds }}'{% else %}insert into n select * from old where day = '{{ ds }}'{% endif %}",
      ['tables —: Not all that it reads and writes is known: another branch of its template names old, n.'],
    ],
    [
      'a branch that names no other tables',
      "insert into m select * from dim where day = '{{ ds }}' {% if ds < '2024-02-01' %}and a{% else %}and b{% endif %}",
      [],
    ],
    [
      'a routine that is elsewhere',
      'call load_m()',
      ['tables —: What load_m reads and writes is not known: the task only calls it.'],
    ],
    [
      'a function that is selected for what it does',
      "select mart.refresh_day('{{ ds }}')",
      ['tables —: What mart.refresh_day reads and writes is not known: the task only calls it.'],
    ],
    ['nothing of a function of the engine', 'select pg_catalog.pg_sleep(1); select count(1)', []],
    ['nothing of a function over rows', 'select mart.label(name) from dim', []],
    ['nothing', read("day = '{{ ds }}'"), []],
    ['nothing of tables that nobody cuts', "delete from m where day = '{{ ds }}'; insert into m select * from dim", []],
    [
      'nothing of a table of its own',
      "create temp table s_{{ ds_nodash }} as select * from dim; delete from m where day = '{{ ds }}'; insert into m select * from s_{{ ds_nodash }}",
      [],
    ],
  ])('%s', (_, sql, unknowns) => {
    expect(unknownsOf(sql)).toEqual(unknowns);
  });

  it('is said of what could not be read, once', () => {
    const at = { file: 'dags/d.py', start: 3, end: 9 };
    const task: TaskText = {
      accesses: [accessOf({ direction: 'read', unknown: 'it is made at run time', at })],
      unread: [
        { hides: 'table', reason: 'the table that to_sql reads is not known: it is made at run time', at },
        { hides: 'code', reason: 'it runs a shell command', at: { ...at, start: 20, end: 30 } },
      ],
    };
    expect(unknownsOf(task)).toEqual([
      'table-name —: The table that to_sql reads is not known: it is made at run time.',
      'tables —: Not all that it reads and writes is known: it runs a shell command.',
    ]);
  });

  it('is settled by a declaration, and not said of scripts', () => {
    const declared: DeclaredFacts = new Map([
      ['d.t', { reads: [{ table: 'src', column: undefined, window: 'all' }], writes: [] }],
    ]);
    expect(unknownsOf(read('1 = 1'), declared)).toEqual([]);
    const script = workspace({
      d: { format: 'sql-file', schedule: { kind: 'none' }, tasks: { t: 'insert into m select 1' } },
    });
    expect(script.facts.get('d.t')?.unknowns).toEqual([]);
  });

  it('is said of the tables of a script', () => {
    const script = workspace({
      d: {
        format: 'sql-file',
        schedule: { kind: 'none' },
        tasks: { t: 'insert into m select * from {{ params.schema }}.src where n > 1' },
      },
    });
    expect(script.facts.get('d.t')?.unknowns.map(({ message }) => message)).toEqual([
      'The table {{ params.schema }}.src is only known when the task runs.',
    ]);
  });

  it.each([
    ["copy from 's3://raw' iam_role 'x'", 'COPY'],
    ['insert into  values (1)', 'INSERT'],
    ['merge into using mart.src s on true when matched then delete', 'MERGE'],
    ['create table as select 1', 'CREATE TABLE AS'],
    ['insert overwrite table select 1', 'INSERT OVERWRITE'],
  ])('a name that is put in by nothing is none: %s', (sql, kind) => {
    expect(unknownsOf(sql)).toContain(`table-name —: Which table this ${kind} writes is not known: it names none.`);
  });

  it.each(['select 1 from dual', 'insert into dual2 select * from dual', 'select (select 1 from dual) from DUAL'])(
    'the row that stands for no table is not read: %s',
    (sql) => expect(factsOf(sql).facts.get('d.t')?.reads).toEqual([]),
  );
});

it('a window says which condition gives it', () => {
  const where = `o.day >= ${s}::date and o.day < ${e}`;
  const sql = `insert into m select * from mart.src o where o.v > 1 and ${where}`;
  const at = factsOf(sql).facts.get('d.t')?.reads[0];
  expect(at?.windowAt && sql.slice(at.windowAt.start, at.windowAt.end)).toBe(where);
  expect(at?.at && sql.slice(at.at.start, at.at.end)).toBe('mart.src');
});
