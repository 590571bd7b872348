import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSql } from '../../src/core/sql/read-sql.ts';
import { plainText } from '../../src/core/template/mask/plain-text.ts';
import { runPython } from '../../src/node/airflow/run-python.ts';
import { dagOf, madeSafe, renderedForDay, sqlOf } from '../support/scheduled-task.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backfill-safe-task-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const texts = {
  'by the logical date': `
    INSERT INTO sales SELECT day, amount FROM orders WHERE day = '{{ ds }}'`,
  'by the data interval': `
    DELETE FROM sales WHERE day >= '{{ data_interval_start }}' AND day < '{{ data_interval_end }}';
    INSERT INTO sales SELECT day, amount FROM orders
    WHERE day >= '{{ data_interval_start }}' AND day < '{{ data_interval_end }}';`,
};
/** Airflow 3 writes an instant with a blank where Airflow 2 has a T; PostgreSQL reads both. */
const anyInstant = (text: string): string =>
  text.replace(/(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}\+00:00)/g, '$1 $2');

const cases = [2, 3].flatMap((version) => Object.entries(texts).map(([name, sql]) => [version, name, sql] as const));

test.each(cases)('Airflow %i renders a task that was made safe %s as its tests do', async (version, _, sql) => {
  const safe = madeSafe(dagOf(sql), 'shop.sales');
  mkdirSync(join(folder, 'dags'));
  for (const [file, text] of Object.entries(safe)) writeFileSync(join(folder, file), text);
  const result = join(folder, 'result.json');
  const script = fileURLToPath(new URL('render-task.py', import.meta.url));
  const ended = await runPython(
    fileURLToPath(new URL(`../../.venv-airflow${version}`, import.meta.url)),
    [script, join(folder, 'dags'), 'shop', 'sales', '2026-11-01', result],
    {
      cwd: folder,
      environment: {
        PATH: process.env.PATH,
        HOME: folder,
        AIRFLOW_HOME: folder,
        AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
        TZ: 'UTC',
      },
      timeoutMs: 200_000,
      signal: undefined,
    },
  );
  expect(ended).toEqual({ ok: true });
  const rendered = JSON.parse(readFileSync(result, 'utf8')) as { sql: string; statements: readonly string[] };
  expect(anyInstant(rendered.sql)).toBe(anyInstant(renderedForDay(sqlOf(safe), '2026-11-01')));
  // Also where the operator is told to send one statement at a time: what the hook sends is whole statements.
  expect(rendered.statements.flatMap(statementsOf)).toEqual(statementsOf(rendered.sql));
});

const statementsOf = (text: string): readonly string[] =>
  readSql(plainText(text), 'postgres').statements.map(({ start, end }) => text.slice(start, end).replace(/;$/, ''));
