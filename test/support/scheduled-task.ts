import { makeSafe } from '../../src/core/safe/make-safe.ts';
import { applyEdits } from '../../src/core/text/apply-edits.ts';
import { type Files, factsOf } from './check-files.ts';

/** The files after their task was made safe. Throws what it was refused for. */
export function madeSafe(files: Files, task: string): Files {
  const made = makeSafe(factsOf(files), task);
  if (made.kind === 'refused') throw new Error(`${made.reason}; ${made.remedy}`);
  const edits = made.kind === 'edit' ? made.edits : [];
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [
      file,
      applyEdits(
        text,
        edits.filter((edit) => edit.file === file),
      ),
    ]),
  );
}

/** A daily DAG with one task of this SQL. */
export const dagOf = (sql: string): Files => ({
  'dags/shop.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG("shop", schedule=CronDataIntervalTimetable("@daily", timezone="UTC"), start_date=datetime(2026, 1, 1)):
    SQLExecuteQueryOperator(
        task_id="sales",
        conn_id="postgres",
        sql="""${sql}""",
    )
`,
});

/** What Airflow makes of the text for the interval that begins with a day, as far as our texts go. */
export function renderedForDay(text: string, day: string, tryNumber = 1): string {
  const start = `${day}T00:00:00+00:00`;
  const end = new Date(Date.parse(day) + 86_400_000).toISOString().replace('.000Z', '+00:00');
  const values: Readonly<Record<string, string>> = {
    ds: day,
    ts: start,
    data_interval_start: start,
    data_interval_end: end,
    'dag.dag_id': 'shop',
    'task.task_id': 'sales',
    run_id: `scheduled__${start}`,
    'ti.try_number': String(tryNumber),
  };
  return text.replace(/\{\{\s*(.*?)\s*\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`{{ ${name} }} is not rendered here`);
    return value;
  });
}

/** The SQL of the task of {@link dagOf}. */
export const sqlOf = (files: Files): string => /sql="""(.*)"""/s.exec(files['dags/shop.py'] ?? '')?.[1] ?? '';
