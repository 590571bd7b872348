import { describe, expect, test } from 'vitest';
import type { DeclaredSnapshots, DeclaredSource } from '../../../src/core/lineage/facts/declared-sources.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { type PreparedJobs, prepareJobs } from '../../../src/core/run/jobs/prepare-jobs.ts';
import { type PipelineText, readsOf, workspace } from '../lineage/workspace.ts';
import { range, request } from '../plan/planning.ts';

const source = (table: string, snapshots?: Partial<DeclaredSnapshots> & { table: string }): DeclaredSource => ({
  table,
  retention: undefined,
  mutable: true,
  snapshots: snapshots && { column: undefined, date: '{{ ds }}', columns: [], ...snapshots },
});

const perDay = source('raw.customers', { table: 'raw.customers_{{ ds_nodash }}' });
const inOne = source('raw.customers', { table: 'raw.history', column: 'taken_on', columns: ['id', 'Plan'] });

const daily = `DELETE FROM mart.daily WHERE day = '{{ ds }}';
INSERT INTO mart.daily SELECT o.day, customers.plan FROM raw.orders o
JOIN customers ON customers.id = o.customer WHERE o.day = '{{ ds }}'`;

function facts(tasks: PipelineText['tasks'], ...sources: readonly DeclaredSource[]) {
  return workspace({ shop: { tasks } }, new Map(), new Map(sources.map((one) => [one.table, one])));
}

/** Jobs of 2024-03-04 of all tasks. */
function jobs(tasks: PipelineText['tasks'], ...sources: readonly DeclaredSource[]): PreparedJobs {
  const found = facts(tasks, ...sources);
  const plan = makePlan(
    plannableTasks(found, (text) => text),
    request(
      Object.keys(tasks).map((name) => `shop.${name}`),
      range('2024-03-04', '2024-03-05'),
      { allowAppend: true },
    ),
  );
  const options = { compare: 'rows', settings: {} } as never;
  const setting = { run: 'r', variables: { zone: 'eu' }, params: {}, options };
  return prepareJobs(plan, found, new Map(), setting, () => undefined);
}

const sent = (prepared: PreparedJobs): readonly string[] => {
  expect([...prepared.refused.values()]).toEqual([]);
  return [...prepared.jobs.values()].flatMap(({ statements }) =>
    statements.map(({ text }) => text.replace(/\s+/g, ' ')),
  );
};

const refusals = ({ refused }: PreparedJobs): readonly string[] =>
  [...refused.values()].map(({ code, message, remedy }) => `${code}: ${message}; ${remedy}`);

describe('a run reads the snapshot of its interval', () => {
  test('a table for each interval', () => {
    const prepared = jobs({ daily }, perDay);
    expect(sent(prepared)[1]).toBe(
      "INSERT INTO mart.daily SELECT o.day, customers.plan FROM raw.orders o JOIN raw.customers_20240304 as customers ON customers.id = o.customer WHERE o.day = '2024-03-04'",
    );
    const [job] = prepared.jobs.values();
    expect(job?.inputs).toContainEqual({
      table: 'raw.customers_20240304',
      column: undefined,
      from: undefined,
      to: undefined,
      snapshot: { of: 'raw.customers', column: undefined, date: undefined },
    });
    expect(job?.inputs.map(({ table }) => table)).not.toContain('raw.customers');
    expect(readsOf(facts({ daily }, perDay), 'shop.daily')).toContain('raw.customers_{{ ds_nodash }} the whole table');
  });

  test('one table that holds all', () => {
    const prepared = jobs({ daily }, inOne);
    expect(sent(prepared)[1]).toContain(
      `JOIN (select "id", "Plan" from raw.history where "taken_on" = '2024-03-04') as customers ON`,
    );
    expect([...prepared.jobs.values()][0]?.inputs).toContainEqual({
      table: 'raw.history',
      column: 'taken_on',
      from: '2024-03-04T00:00:00Z',
      to: '2024-03-05T00:00:00Z',
      snapshot: { of: 'raw.customers', column: 'taken_on', date: '2024-03-04' },
    });
  });

  test('columns come from the definition in the workspace; without any the unit is refused', () => {
    const ddl = { sql: 'create table raw.customers (id int primary key, plan text)' };
    const { column, date, table } = inOne.snapshots as DeclaredSnapshots;
    const bare = source('raw.customers', { table, column, date });
    expect(sent(jobs({ daily, ddl }, bare)).join()).toContain('(select "id", "plan" from raw.history');
    expect(refusals(jobs({ daily }, bare))).toEqual([
      'no-snapshot: shop.daily: the columns of raw.customers are not known, so that its snapshots in raw.history would be read with the column taken_on among them; list them as columns under snapshots of raw.customers in backfill.yaml',
    ]);
  });

  test('a task that keeps the snapshots is a parent, for the day that is read', () => {
    const keep = `DELETE FROM raw.history WHERE taken_on = '{{ ds }}';
      INSERT INTO raw.history SELECT '{{ ds }}', id, plan FROM raw.customers`;
    const found = facts({ daily, keep }, inOne);
    const tasks = plannableTasks(found, (text) => text);
    expect(tasks.find(({ id }) => id === 'shop.daily')?.reads).toMatchObject([
      { parent: 'shop.keep', table: 'raw.history', window: { column: 'taken_on' } },
    ]);
    // It reads the source as it is, or it would copy its own snapshot.
    expect(readsOf(found, 'shop.keep')).toEqual(['raw.customers the whole table']);
    const plan = makePlan(tasks, request(['shop.keep'], range('2024-03-04', '2024-03-05')));
    expect(plan.units.map(({ id }) => id)).toEqual([
      'shop.keep@2024-03-04T00:00:00Z',
      'shop.daily@2024-03-04T00:00:00Z',
    ]);
  });

  test('a task that makes the tables of the intervals reads the source', () => {
    const keep = 'CREATE TABLE raw.customers_{{ds_nodash}} AS SELECT * FROM raw.customers';
    expect(readsOf(facts({ keep }, perDay), 'shop.keep')).toEqual(['raw.customers the whole table']);
  });

  test('a task that maintains the source reads the source', () => {
    const load =
      'INSERT INTO raw.customers SELECT s.* FROM stage s LEFT JOIN raw.customers c USING (id) WHERE c.id IS NULL';
    expect(readsOf(facts({ load, daily }, perDay), 'shop.load')).toContain('raw.customers the whole table');
  });

  test('a date that is another than ds, and names with Variables', () => {
    const later = source('raw.customers', {
      table: 'raw_{{ var.value.zone }}.history',
      column: 'taken_on',
      date: '{{ macros.ds_add(ds, 1) }}',
      columns: ['id'],
    });
    const prepared = jobs({ daily }, later);
    expect(sent(prepared)[1]).toContain(`from raw_eu.history where "taken_on" = '2024-03-05')`);
    expect([...prepared.jobs.values()][0]?.inputs).toContainEqual(
      expect.objectContaining({ table: 'raw_eu.history', from: '2024-03-05T00:00:00Z', to: '2024-03-06T00:00:00Z' }),
    );
  });

  test.each([
    [
      'a name that cannot be rendered',
      'raw.customers_{{ run_id }}',
      'run_id in the snapshots of raw.customers cannot be rendered',
    ],
    ['a name that is none', 'raw.customers {{ ds }}', '“raw.customers 2024-03-04”, which is no name of a table'],
    ['a name with a statement in it', 'x_{{ ds_nodash }}; drop table y', 'which is no name of a table'],
  ])('%s is refused', (_, table, message) => {
    expect(refusals(jobs({ daily }, source('raw.customers', { table })))).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    [
      'through a lasting view',
      {
        view: { sql: 'CREATE VIEW raw.active AS SELECT * FROM raw.customers' },
        daily: 'INSERT INTO t SELECT * FROM raw.active',
      },
      'shop.daily: it reads raw.customers through the view raw.active',
    ],
    [
      'in a body',
      { daily: 'DO $$ BEGIN INSERT INTO t SELECT * FROM raw.customers; END $$' },
      'shop.daily: raw.customers stands where its snapshot cannot be read instead',
    ],
  ])('a source that is read %s is refused', (_, tasks, message) => {
    expect(refusals(jobs(tasks as PipelineText['tasks'], perDay)).filter((one) => one.includes('shop.daily'))).toEqual([
      expect.stringContaining(message),
    ]);
  });

  test.each([
    ['in a loop', "{% for t in ['orders', 'customers'] %}INSERT INTO t SELECT * FROM raw.{{ t }};{% endfor %}"],
    ['in a branch', "INSERT INTO t SELECT * FROM {% if ds < '2020-01-01' %}old{% else %}customers{% endif %}"],
  ])('a source that is named only %s is refused', (_, looped) => {
    expect(refusals(jobs({ looped, daily }, perDay))).toEqual([
      expect.stringMatching(
        /^no-snapshot: shop\.looped: that it reads (raw\.)?customers shows only when its template is rendered/,
      ),
    ]);
  });

  test('a view that the task makes for itself is read with the snapshot in it', () => {
    const own = 'CREATE TEMP VIEW v AS SELECT * FROM raw.customers; INSERT INTO t SELECT * FROM v';
    expect(sent(jobs({ own }, perDay))[0]).toContain('FROM raw.customers_20240304 as customers');
  });

  test('what Airflow runs reads the source as it is', () => {
    const python = { sql: daily, executor: { kind: 'airflow', reason: 'Python' } } as const;
    expect(readsOf(facts({ python }, perDay), 'shop.python')).toContain('customers the whole table');
  });

  test('a source that nothing reads is a slip in its name', () => {
    expect(facts({ daily }, source('raw.custmers')).problems.map(({ message }) => message)).toEqual([
      'backfill.yaml declares the source raw.custmers, but no task of the workspace reads a table of that name.',
    ]);
    expect(facts({ daily }, perDay).problems).toEqual([]);
  });
});
