import { describe, expect, test } from 'vitest';
import type { WorkspaceFacts } from '../../../src/core/lineage/facts/workspace-facts.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { renderStatements } from '../../../src/core/run/jobs/render-statements.ts';
import { taskContext } from '../../../src/core/run/jobs/task-context.ts';
import { makeSafe } from '../../../src/core/safe/make-safe.ts';
import { safeTasksAt } from '../../../src/core/safe/safe-tasks-at.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { checkFiles, type Files, factsOf } from '../../support/check-files.ts';
import { expectGolden } from '../../support/golden.ts';
import { dagOf, madeSafe, renderedForDay, sqlOf } from '../../support/scheduled-task.ts';

const deleteInsert = `
            DELETE FROM mart.sales WHERE day >= '{{ data_interval_start }}' AND day < '{{ data_interval_end }}';
            INSERT INTO mart.sales SELECT * FROM raw.orders
            WHERE day >= '{{ data_interval_start }}' AND day < '{{ data_interval_end }}';
        `;
const file = (sql: string): Files => ({ 'sales.sql': sql });

const safe: Readonly<Record<string, readonly [Files, string]>> = {
  'a slice that is deleted and inserted': [dagOf(deleteInsert), 'shop.sales'],
  'a plain INSERT, which gets the DELETE of its slice': [
    dagOf(`
            INSERT INTO mart.sales
            SELECT o.day, sum(o.amount) FROM raw.orders o WHERE o.day = '{{ ds }}' GROUP BY o.day`),
    'shop.sales',
  ],
  'other statements around it, and a transaction of its own': [
    dagOf(
      `
            BEGIN;
            CREATE TEMP TABLE fresh AS SELECT * FROM raw.orders WHERE day = '{{ ds }}';
            -- the whole day
            DELETE FROM mart.sales AS s WHERE day = '{{ ds }}';
            INSERT INTO mart.sales SELECT * FROM fresh;
            ANALYZE mart.sales;
            COMMIT;
        `.replace(' AS s', ''),
    ),
    'shop.sales',
  ],
  'a condition beside the interval': [
    dagOf(`
            DELETE FROM mart.sales WHERE day = '{{ ds }}' AND region = 'EU';
            INSERT INTO mart.sales SELECT * FROM raw.orders WHERE day = '{{ ds }}' AND region = 'EU';`),
    'shop.sales',
  ],
  'an upsert whose key has the slice column': [
    dagOf(`
            INSERT INTO mart.sales (day, shop, amount)
            SELECT day, shop, sum(amount) FROM raw.orders WHERE day = '{{ ds }}' GROUP BY day, shop
            ON CONFLICT (day, shop) DO UPDATE SET amount = excluded.amount;`),
    'shop.sales',
  ],
  'a month that ends with the interval': [
    dagOf(`
            DELETE FROM mart.sales WHERE day >= date_trunc('month', timestamp '{{ data_interval_start | ds }}') AND day < '{{ data_interval_end | ds }}';
            INSERT INTO mart.sales SELECT * FROM raw.orders WHERE day >= date_trunc('month', timestamp '{{ data_interval_start | ds }}') AND day < '{{ data_interval_end | ds }}';`),
    'shop.sales',
  ],
  'one line in double quotes': [
    {
      'dags/shop.py': dagOf('')['dags/shop.py']?.replace(
        '"""""",',
        `"INSERT INTO mart.sales SELECT * FROM raw.orders WHERE day = '{{ ds }}'",`,
      ) as string,
    },
    'shop.sales',
  ],
  'a file that stands alone': [
    file(`-- schedule: @daily
-- dialect: postgres
INSERT INTO mart.sales
SELECT day, amount FROM raw.orders WHERE day = '{{ ds }}'
`),
    'sales.sql',
  ],
};

const factsIn = (facts: WorkspaceFacts, task: string): unknown => {
  const { reads, writes, unknowns } = facts.facts.get(task) ?? { reads: [], writes: [], unknowns: [] };
  const placeless = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, part) =>
        /at$/i.test(key) || key === 'predicate' || key === 'values' || key === 'mode' ? undefined : part,
      ),
    );
  return placeless({ reads, writes, unknowns });
};
const codeHash = (facts: WorkspaceFacts): unknown => plannableTasks(facts, (text) => text)[0]?.codeHash;

/** What a run of ours would send for one day. */
const sent = (facts: WorkspaceFacts, task: string): unknown => {
  const found = facts.tasks.get(task);
  if (found === undefined) throw new Error('no task');
  const start = Date.UTC(2026, 10, 1);
  const context = taskContext(
    found.task,
    found.pipeline,
    { start: instant(start), end: instant(start + 86_400_000) },
    { variables: {}, params: {} },
  );
  return found.task.sql.map((sql) => {
    const rendered = renderStatements(sql, context);
    return 'remedy' in rendered ? rendered.message : rendered.statements.map(({ text }) => text.replace(/;$/, ''));
  });
};

describe.each(Object.entries(safe))('%s', (name, [files, task]) => {
  const after = madeSafe(files, task);
  const [before, then] = [factsOf(files), factsOf(after)];

  test('comes out as it is kept in the golden file', () => {
    const text = Object.values(after).join('\n');
    expectGolden(new URL(`./golden/${name.replace(/[^a-z]+/gi, '-').toLowerCase()}.golden.txt`, import.meta.url), text);
  });

  test('is safe already when it is made safe again', () => {
    expect(makeSafe(then, task)).toEqual({ kind: 'safe' });
  });

  test('has the same slice and the same windows, and nothing more that is unknown', () => {
    expect(factsIn(then, task)).toEqual(factsIn(before, task));
    expect(then.facts.get(task)?.writes.map(({ mode }) => mode)).not.toContain('append');
  });

  test('has nothing for check to find', () => {
    expect(checkFiles(after).map(({ rule, message }) => [rule, message])).toEqual([]);
  });

  test('is sent by a run of ours without what only its scheduler needs', () => {
    const lines = JSON.stringify(sent(then, task));
    expect(lines).not.toContain('backfill_ledger');
    if (before.facts.get(task)?.writes[0]?.mode !== 'append')
      expect(lines.replaceAll(/,?"(BEGIN|COMMIT)",?/g, '')).toBe(
        JSON.stringify(sent(before, task)).replaceAll(/,?"(BEGIN|COMMIT)",?/g, ''),
      );
  });
});

test('what is said again keeps its quotes: of SQL, of a template, of dollars, beside those of its string', () => {
  for (const quote of ['"""', "'''"]) {
    const dag = dagOf(`
            DELETE FROM "Mart".{{ params['table'] }} WHERE day = '{{ ds }}' AND note <> $slice$x$slice$;
            INSERT INTO "Mart".{{ params['table'] }} SELECT * FROM raw.orders WHERE day = '{{ ds }}';`);
    const files = {
      'dags/shop.py': (dag['dags/shop.py'] ?? '')
        .replaceAll('"""', quote)
        .replace('conn_id="postgres"', 'conn_id="postgres", params={"table": "sales"}'),
    };
    const after = madeSafe(files, 'shop.sales');
    expect(after['dags/shop.py']).toContain(`target => '"Mart".{{ params['table'] }}'`);
    expect(after['dags/shop.py']).toContain("$slice_$day = '{{ ds }}' AND note <> $slice$x$slice$$slice_$");
    expect(makeSafe(factsOf(after), 'shop.sales')).toEqual({ kind: 'safe' });
  }
});

test('a backslash is said again where the string takes it as it stands', () => {
  const dag = dagOf(deleteInsert.replace(';', String.raw` AND note ~ '\d';`))['dags/shop.py'] ?? '';
  const raw = { 'dags/shop.py': dag.replace('sql="""', 'sql=r"""') };
  expect(madeSafe(raw, 'shop.sales')['dags/shop.py']).toContain(String.raw`AND note ~ '\d'$slice$`);
  expect(makeSafe(factsOf({ 'dags/shop.py': dag }), 'shop.sales')).toMatchObject({ kind: 'refused' });
});

test('code that only became safe is the same code, so that no slice is called stale for it', () => {
  const files = dagOf(deleteInsert);
  expect(codeHash(factsOf(madeSafe(files, 'shop.sales')))).toBe(codeHash(factsOf(files)));
  const open = dagOf(deleteInsert.replace(/;\s*$/, ''));
  expect(codeHash(factsOf(madeSafe(open, 'shop.sales')))).toBe(codeHash(factsOf(open)));
  const windows = dagOf(deleteInsert.replaceAll('\n', '\r\n'));
  expect(codeHash(factsOf(madeSafe(windows, 'shop.sales')))).toBe(codeHash(factsOf(windows)));
});

test('a slice that is cut otherwise since is brought up to date in its guard alone', () => {
  const files = madeSafe(dagOf(deleteInsert), 'shop.sales');
  const [start, end] = ["'{{ data_interval_start }}'", "'{{ data_interval_end }}'"];
  const edited = {
    'dags/shop.py': (files['dags/shop.py'] ?? '').replace(/DELETE[\s\S]*?;\s*INSERT[\s\S]*?;/, (own) =>
      own.replaceAll(start, `'{{ data_interval_start - macros.timedelta(days=2) }}'`),
    ),
  };
  const made = makeSafe(factsOf(edited), 'shop.sales');
  if (made.kind !== 'edit') throw new Error(made.kind);
  expect(made.edits).toHaveLength(1);
  expect(made.edits[0]?.newText).toContain(`lower_bound => timestamptz ${start} - interval '48 hours'`);
  expect(made.edits[0]?.newText).toContain(`upper_bound => ${end}`);
  const updated = madeSafe(edited, 'shop.sales');
  expect(makeSafe(factsOf(updated), 'shop.sales')).toEqual({ kind: 'safe' });
});

test.each<[string, Files, string, string?]>([
  [
    'a table that is rewritten whole',
    dagOf(`TRUNCATE mart.sales; INSERT INTO mart.sales SELECT * FROM raw.orders;`),
    'it rewrites the whole table',
  ],
  [
    'a read without an interval',
    dagOf(`INSERT INTO mart.sales SELECT * FROM raw.orders;`),
    'no interval owns rows of mart.sales',
  ],
  [
    'several tables',
    dagOf(`${deleteInsert} INSERT INTO mart.log VALUES ('{{ ds }}');`),
    'it writes several tables (mart.sales, mart.log)',
  ],
  [
    'an UPDATE of the slice',
    dagOf(`${deleteInsert} UPDATE mart.sales SET amount = 0 WHERE day = '{{ ds }}';`),
    'it changes mart.sales by UPDATE',
  ],
  [
    'a statement that needs no transaction',
    dagOf(`${deleteInsert} VACUUM mart.sales;`),
    'VACUUM cannot run inside a transaction',
  ],
  [
    'a COMMIT in the middle',
    dagOf(deleteInsert.replace('INSERT', 'COMMIT; INSERT')),
    'it begins or ends a transaction in the middle',
  ],
  ['a procedure', dagOf(`CALL fill_sales('{{ ds }}');`), 'it calls code that may end the transaction'],
  [
    'a branch of the template',
    dagOf(deleteInsert.replace('DELETE', '{% if params.full %} DELETE').replace('; INSERT', '; {% endif %} INSERT')),
    'its template decides by {% if params.full %}',
  ],
  [
    'no SQL at all',
    {
      'dags/shop.py': `from airflow import DAG\nfrom airflow.operators.python import PythonOperator\nwith DAG("shop"):\n    PythonOperator(task_id="sales", python_callable=print)\n`,
    },
    '',
    'only tasks of SQL can be made safe',
  ],
  [
    'another dialect',
    {
      'dags/shop.py': (dagOf(deleteInsert)['dags/shop.py'] ?? '')
        .replaceAll(
          'airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator',
          'airflow.providers.snowflake.operators.snowflake import SnowflakeOperator',
        )
        .replaceAll('SQLExecuteQueryOperator', 'SnowflakeOperator')
        .replace('conn_id', 'snowflake_conn_id'),
    },
    'its SQL is read as snowflake',
  ],
  [
    'an upsert that may move rows of other days',
    dagOf(
      `INSERT INTO mart.sales (id, day) SELECT id, day FROM raw.orders WHERE day = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET day = excluded.day;`,
    ),
    'it sets day, which is not part of its key',
  ],
  [
    'a mix of interval and logical date',
    dagOf(deleteInsert.replace('{{ data_interval_start }}', '{{ ds }}')),
    'its slice mixes the data interval and the logical date',
  ],
  [
    'a schedule whose intervals are empty',
    {
      'dags/shop.py': (dagOf(deleteInsert)['dags/shop.py'] ?? '')
        .replace('interval import CronDataInterval', 'trigger import CronTrigger')
        .replace('CronDataIntervalTimetable(', 'CronTriggerTimetable('),
    },
    'its slice goes from the start to the end of an interval, which are the same time',
    'CronDataIntervalTimetable',
  ],
  [
    'an INSERT whose slice is not its column',
    dagOf(
      `INSERT INTO mart.sales SELECT o.day FROM raw.orders o JOIN raw.days d ON d.day = o.day WHERE o.day = '{{ ds }}';`,
    ),
    'the DELETE of its slice cannot be told',
  ],
  [
    'a view that shows the rows of a table',
    { ...dagOf(deleteInsert), 'views.sql': 'create view mart.sales as select * from mart.every_sale' },
    'it writes mart.every_sale through the view mart.sales',
    'name the table',
  ],
  [
    'SQL of an f-string',
    {
      'dags/shop.py': (dagOf(deleteInsert)['dags/shop.py'] ?? '')
        .replace('sql="""', 'sql=f"""')
        .replaceAll('{{', '{{{{')
        .replaceAll('}}', '}}}}'),
    },
    'its SQL is put together by Python',
  ],
  [
    'a part of the guard',
    dagOf(`SELECT backfill_ledger.commit_slice(); ${deleteInsert}`),
    'it has a part of what makes it safe',
  ],
])('refused: %s', (_, files, reason, remedy = '') => {
  const made = makeSafe(factsOf(files), 'shop.sales');
  expect(made).toMatchObject({
    kind: 'refused',
    reason: expect.stringContaining(reason),
    remedy: expect.stringContaining(remedy),
  });
});

test('two tasks of one text are made safe together, unless their slices differ', () => {
  const dag = (id: string, slice: string) => `from datetime import datetime
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.timetables.interval import CronDataIntervalTimetable
with DAG("${id}", schedule=CronDataIntervalTimetable("@daily", timezone="UTC"), start_date=datetime(2026, 1, 1)):
    PostgresOperator(task_id="sales", sql="sales.sql", params={"table": "${slice}"})
`;
  const text = deleteInsert.replaceAll('mart.sales', '{{ params.table }}');
  const same = { 'dags/a.py': dag('a', 'mart.a'), 'dags/b.py': dag('b', 'mart.b'), 'dags/sales.sql': text };
  expect(makeSafe(factsOf(same), 'a.sales').kind).toBe('edit');
  expect(makeSafe(factsOf(same), 'b.sales')).toEqual(makeSafe(factsOf(same), 'a.sales'));
  const other = {
    ...same,
    'dags/b.py': dag('b', 'mart.b').replace(
      'task_id="sales", sql="sales.sql"',
      'task_id="sales", sql=["sales.sql", "VACUUM"]',
    ),
  };
  expect(makeSafe(factsOf(other), 'a.sales')).toMatchObject({ reason: 'b.sales runs the same text for another slice' });
});

test('tasks of a loop share one text, and its edits', () => {
  const dag = (dagOf(deleteInsert)['dags/shop.py'] ?? '')
    .replace('    SQLExecuteQueryOperator(', '    for shop in ["north", "south"]:\n     SQLExecuteQueryOperator(')
    .replace('"sales"', 'f"sales_{shop}"');
  const facts = factsOf({ 'dags/shop.py': dag });
  expect([...facts.tasks.keys()]).toEqual(['shop.sales_north', 'shop.sales_south']);
  const [north, south] = ['shop.sales_north', 'shop.sales_south'].map((task) => makeSafe(facts, task));
  expect(north).toMatchObject({ kind: 'edit' });
  expect(south).toEqual(north);
  const at = dag.indexOf('sales_{shop}');
  const offered = safeTasksAt(facts, { file: 'dags/shop.py', start: at, end: at });
  expect(offered).toEqual([{ task: 'shop.sales_north', safe: north }]);
});

test('what the scheduler renders is SQL with the bounds of its interval', () => {
  const rendered = renderedForDay(sqlOf(madeSafe(dagOf(deleteInsert), 'shop.sales')), '2026-11-01');
  expect(rendered).not.toContain('{{');
  expect(rendered).toContain("lower_bound => '2026-11-01T00:00:00+00:00'");
});

test('a stage that one task empties and another fills is said to be run again as a whole', () => {
  const facts = factsOf({
    'dags/chain.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator as Pg

with DAG("chain", schedule="@daily", start_date=datetime(2024, 1, 1)):
    empty = Pg(task_id="empty", postgres_conn_id="wh", sql="truncate stage.a")
    fill = Pg(task_id="fill", postgres_conn_id="wh", sql="insert into stage.a select day, n from raw.src where day = '{{ ds }}'")
    empty >> fill
`,
  });
  expect(makeSafe(facts, 'chain.empty')).toEqual({
    kind: 'refused',
    reason: 'it only empties stage.a, which chain.fill fills: the two are run again together',
    remedy: 'let one task empty and fill it, if each is to be run again alone',
  });
  expect(makeSafe(facts, 'chain.fill')).toMatchObject({
    reason: 'chain.empty empties stage.a in each run, and this task only fills it: the two are run again together',
  });
});
