import { expect, test, vi } from 'vitest';
import { checkFiles } from '../../support/check-files.ts';

/** A DAG of tasks that each fill a table of their own, and how often two names of tables are compared for it. */
function comparisons(tasks: number): number {
  const dag = [
    'from airflow import DAG',
    'from airflow.providers.postgres.operators.postgres import PostgresOperator',
    'with DAG("a", schedule="@daily"):',
    `    for n in range(${tasks}):`,
    '        PostgresOperator(task_id=f"t{n}", sql=f"INSERT INTO mart.t{n} SELECT * FROM raw.t{n}")',
  ].join('\n');
  const compare = vi.spyOn(String.prototype, 'endsWith');
  try {
    checkFiles({ 'dags/a.py': dag });
    return compare.mock.calls.length;
  } finally {
    compare.mockRestore();
  }
}

test('twice the tasks take twice the comparisons, not four times', () => {
  const some = comparisons(100);
  expect(some).toBeGreaterThan(0);
  expect(comparisons(200)).toBeLessThan(3 * some);
});
