import { expect, test } from 'vitest';
import { factsOf } from '../../support/check-files.ts';

const dags = (more: string): string => `from datetime import datetime, timedelta
from dateutil.relativedelta import relativedelta
from airflow import DAG
from airflow.operators.empty import EmptyOperator

${more}
`;

test('ticks that the file alone cannot tell are said once, where the schedule is written', () => {
  const text =
    dags(`with DAG("monthly", schedule=relativedelta(months=1), start_date=datetime(2024, 1, 1), catchup=False):
    EmptyOperator(task_id="a") >> EmptyOperator(task_id="b")
with DAG("daily", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    EmptyOperator(task_id="a")
with DAG("caught_up", schedule=relativedelta(months=1), start_date=datetime(2024, 1, 1), catchup=True):
    EmptyOperator(task_id="a")`);
  const { problems } = factsOf({ 'dags/a.py': text, 'requirements.txt': 'apache-airflow==2.9.0' });
  expect(problems.map(({ at, severity }) => [severity, at && text.slice(at.start, at.end)])).toEqual([
    ['info', 'schedule=relativedelta(months=1)'],
  ]);
  expect(problems[0]?.message).toBe(
    'The intervals of monthly are not certain: without catchup, Airflow 2 counts months from the moment the DAG was switched on; these ticks are counted from the start date, as Airflow 3 does.',
  );
});
