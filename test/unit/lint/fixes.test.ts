import fc from 'fast-check';
import { parse } from 'libpg-query';
import { describe, expect, test } from 'vitest';
import { applyFix, checkFiles, dagWith, type Files } from '../../support/check-files.ts';
import { lawRuns } from '../../support/laws.ts';

const head = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

DAY = "day"
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    SQLExecuteQueryOperator(task_id="load", conn_id="dw", sql=`;
const dag = (literal: string): Files => ({ 'dags/one.py': `${head}${literal})\n` });
const insert = "INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}'";

/** Every finding of every rule with its fixes applied one at a time. */
function fixed(files: Files): { rule: string; title: string; files: Files }[] {
  return checkFiles(files).flatMap(({ rule, fixes }) =>
    fixes.map((fix) => ({ rule, title: fix.title, files: applyFix(files, fix) })),
  );
}

describe('in a Python string a fix is exact or not offered', () => {
  test.each([
    ['double quotes', `"${insert}"`, `"DELETE FROM mart.a WHERE day = '{{ ds }}'; ${insert}"`],
    [
      'triple quotes',
      `"""\n        ${insert};\n    """`,
      `"""\n        DELETE FROM mart.a WHERE day = '{{ ds }}';\n        ${insert};\n    """`,
    ],
    ['raw string', `r"${insert}"`, `r"DELETE FROM mart.a WHERE day = '{{ ds }}'; ${insert}"`],
    ['emoji before', `"/* 😀 */ ${insert}"`, `"/* 😀 */ DELETE FROM mart.a WHERE day = '{{ ds }}'; ${insert}"`],
  ])('%s', (_, literal, after) => {
    const fixes = fixed(dag(literal)).filter(({ rule }) => rule === 'plain-insert');
    expect(fixes.map(({ files }) => files)).toEqual([dag(after)]);
  });

  test.each([
    [
      'single quotes that the new text would end',
      `'INSERT INTO mart.a SELECT * FROM raw.a WHERE day = \\'{{ ds }}\\''`,
    ],
    ['f-string', `f"INSERT INTO mart.a SELECT * FROM raw.a WHERE {DAY} = '{{{{ ds }}}}'"`],
    ['two literals', `"INSERT INTO mart.a SELECT * FROM raw.a " "WHERE day = '{{ ds }}'"`],
    ['escape in the predicate', `"INSERT INTO mart.a SELECT * FROM raw.a WHERE day =\\t'{{ ds }}'"`],
  ])('%s', (_, literal) => {
    const files = dag(literal);
    expect(checkFiles(files).map(({ rule }) => rule)).toContain('plain-insert');
    for (const after of fixed(files)) expect(checkFiles(after.files).map(({ rule }) => rule)).not.toContain(after.rule);
  });
});

test('line ends of the file are kept', () => {
  const files = {
    'sql/a.sql':
      "DELETE FROM mart.a WHERE d = '{{ ds }}';\r\nINSERT INTO mart.a SELECT * FROM raw.a WHERE d = '{{ ds }}';\r\n",
  };
  const [after] = fixed(files);
  expect(after?.files['sql/a.sql']).toBe(
    "BEGIN;\r\nDELETE FROM mart.a WHERE d = '{{ ds }}';\r\nINSERT INTO mart.a SELECT * FROM raw.a WHERE d = '{{ ds }}';\r\nCOMMIT;\r\n",
  );
});

test('a schedule gets its timetable and import once', () => {
  const files: Files = {
    'dags/one.py': `import pendulum\nfrom airflow.sdk import dag\nfrom airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator\n\n@dag(schedule='@hourly', start_date=pendulum.datetime(2026, 1, 1))\ndef one():\n    SQLExecuteQueryOperator(task_id="x", conn_id="dw", sql="DELETE FROM a WHERE ts >= '{{ data_interval_start }}' AND ts < '{{ data_interval_end }}'")\none()\n`,
  };
  const [after] = fixed(files);
  expect(after?.files['dags/one.py']).toContain(
    'from airflow.timetables.interval import CronDataIntervalTimetable\nfrom airflow.sdk import dag\n',
  );
  expect(after?.files['dags/one.py']).toContain(
    "@dag(schedule=CronDataIntervalTimetable('@hourly', timezone='UTC'), start_date",
  );
  expect(checkFiles(after?.files ?? {})).toEqual([]);
});

const column = fc.constantFrom('day', 'ts', 't.day', 'r."Day"', 'created_at::date', 'date(ts)');
const bound = fc.constantFrom(
  "'{{ ds }}'",
  "'{{ data_interval_start }}'",
  "'{{ data_interval_end }}'",
  "DATE '{{ ds }}'",
  "'{{ macros.ds_add(ds, -6) }}'",
  "'{{ ds }}'::date - interval '6 days'",
  'current_date',
  'now()',
);
const predicate = fc.oneof(
  fc.tuple(column, fc.constantFrom('=', '<', '<=', '>', '>='), bound).map((parts) => parts.join(' ')),
  fc.tuple(column, bound, bound).map(([left, low, high]) => `${left} BETWEEN ${low} AND ${high}`),
);
const where = fc.array(predicate, { maxLength: 3 }).map((all) => (all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''));
const select = fc.constantFrom(
  '*',
  'day, id',
  'id, ts AS day',
  "'{{ ds }}'::date AS day, count(*)",
  'date(ts) AS day, now() AS at',
);
const conflict = fc.constantFrom(
  '',
  ' ON CONFLICT (id) DO NOTHING',
  ' ON CONFLICT (id) DO UPDATE SET n = a.n + excluded.n',
);
const statement = fc.oneof(
  where.map((clause) => `DELETE FROM mart.a t${clause.replaceAll('r.', 't.')}`),
  fc
    .tuple(select, where, conflict)
    .map(
      ([items, clause, then]) =>
        `INSERT INTO mart.a SELECT ${items} FROM raw.r r${clause.replaceAll('t.', 'r.')}${then}`,
    ),
  fc
    .tuple(where, conflict)
    .map(
      ([clause, then]) =>
        `INSERT INTO mart.a (id, day, n) SELECT id, day, n FROM raw.r${clause.replaceAll(/[rt]\./g, '')}${then}`,
    ),
  fc.constantFrom('BEGIN', 'COMMIT', 'TRUNCATE mart.a', 'UPDATE mart.a SET n = n + 1'),
);
const script = fc.array(statement, { minLength: 1, maxLength: 4 }).map((all) => `${all.join(';\n')};`);

/** Rendered well enough for the grammar: only the shape counts. */
const rendered = (sql: string): string => sql.replace(/\{\{.*?\}\}/g, '2026-01-01');

test('a fix leaves valid SQL without the finding that it mends', async () => {
  let applied = 0;
  await fc.assert(
    fc.asyncProperty(script, fc.boolean(), async (sql, inDag) => {
      const files: Files = inDag ? dagWith(sql) : { 'sql/a.sql': sql };
      await parse(rendered(sql));
      for (const after of fixed(files)) {
        applied++;
        const findings = checkFiles(after.files).map(({ rule }) => rule);
        const before = checkFiles(files).filter(({ rule }) => rule === after.rule).length;
        expect(findings.filter((rule) => rule === after.rule).length, after.title).toBeLessThan(before);
        const text = Object.values(after.files)[0] ?? '';
        await parse(rendered(inDag ? (/"""\n([\s\S]*)\n"""/.exec(text)?.[1] ?? '') : text));
      }
    }),
    { numRuns: lawRuns(150) },
  );
  expect(applied).toBeGreaterThan(lawRuns(20));
});
