import { makePlan } from '../src/core/plan/make-plan.ts';
import type { Plan } from '../src/core/plan/model/plan.ts';
import type { PlannableTask } from '../src/core/plan/model/plan-request.ts';
import { instant } from '../src/core/time/zones/instant.ts';

const at = (iso: string) => instant(Date.parse(`${iso}T00:00:00Z`));

const dag = (id: string, schedule: string, tasks: readonly string[]): string => `
with DAG("${id}", schedule="${schedule}", start_date=datetime(2013, 1, 1), catchup=True, default_args={"conn_id": "dw"}):
${tasks.join('\n')}
`;

const task = (id: string, from: string, window: string): string => `
    SQLExecuteQueryOperator(task_id="${id}", sql="""
        DELETE FROM mart.${id} WHERE ts >= '{{ data_interval_start }}' AND ts < '{{ data_interval_end }}';
        INSERT INTO mart.${id} (ts, customer, orders, amount)
        SELECT '{{ data_interval_start }}', customer, count(*), sum(amount)
        FROM ${from}
        WHERE ts >= ${window} AND ts < '{{ data_interval_end }}'
        GROUP BY customer;
    """)
`;

const start = `'{{ data_interval_start }}'`;
const imports = `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
`;

/** Days with a rolling-30 child, and weeks and months of that. */
export const tenYearsDag = [
  imports,
  dag('d', '@daily', [
    task('day', 'raw.events', start),
    task('roll30', 'mart.day', `'{{ data_interval_start }}'::timestamptz - interval '29 days'`),
  ]),
  dag('w', '0 0 * * 1', [task('week', 'mart.roll30', start)]),
  dag('m', '@monthly', [task('month', 'mart.roll30', start)]),
].join('\n');

export const planTenYears = (tasks: readonly PlannableTask[]): Plan =>
  planDownstream(tasks, 'd.day', '2014-01-01', '2023-12-29');

/** Hours with a child that reads a day of them, and days and months of that: two units an hour and a few more. */
export const hoursDag = [
  imports,
  dag('h', '@hourly', [
    task('hour', 'raw.events', start),
    task('roll24', 'mart.hour', `'{{ data_interval_start }}'::timestamptz - interval '23 hours'`),
  ]),
  dag('d', '@daily', [task('day', 'mart.roll24', start)]),
  dag('m', '@monthly', [task('month', 'mart.day', start)]),
].join('\n');

export const planHours = (tasks: readonly PlannableTask[], to: string): Plan =>
  planDownstream(tasks, 'h.hour', '2014-01-01', to);

function planDownstream(tasks: readonly PlannableTask[], root: string, from: string, to: string): Plan {
  return makePlan(tasks, {
    tasks: [root],
    selection: { kind: 'data-range', from: at(from), to: at(to) },
    downstream: true,
    without: [],
    expandUnbounded: false,
    allowAppend: false,
    now: at('2024-12-31'),
  });
}
