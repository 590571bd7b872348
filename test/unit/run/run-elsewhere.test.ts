import { expect, test } from 'vitest';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { prepareJobs } from '../../../src/core/run/jobs/prepare-jobs.ts';
import { factsOf } from '../../support/check-files.ts';
import { range, request } from '../plan/planning.ts';

const dag = `import pendulum
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 3, 1), catchup=True):
    pull = PythonOperator(task_id="pull", python_callable=print)
    load = PostgresOperator(task_id="load", sql="DELETE FROM t WHERE day = '{{ ds }}'; INSERT INTO t SELECT * FROM s WHERE day = '{{ ds }}'")
    pull >> load
`;

/** What to do about d.pull, in a plan of these tasks. */
function remedyOf(tasks: readonly string[]): string | undefined {
  const facts = factsOf({ 'dags/d.py': dag });
  const plan = makePlan(
    plannableTasks(facts, (text) => text),
    request(tasks, range('2024-03-04', '2024-03-05'), { downstream: false }),
  );
  const setting = { run: 'r', variables: {}, params: {}, options: { compare: 'rows', settings: {} } as never };
  return prepareJobs(plan, facts, new Map(), setting, () => undefined).refused.get('d.pull@2024-03-04T00:00:00Z')
    ?.remedy;
}

test('a run is told of what was done elsewhere only where there is one', () => {
  expect(remedyOf(['d.pull', 'd.load'])).toContain('then tell the run so: backfill done RUN UNIT');
  expect(remedyOf(['d.pull'])).toMatch(/^give it to its Airflow .*, by the commands of backfill plan … --commands$/);
});
