import { describe, expect, test } from 'vitest';
import { findTasks } from '../../../src/cli/arguments/find-tasks.ts';
import { planRequest, type SelectionOptions } from '../../../src/cli/arguments/selection.ts';
import type { Shell } from '../../../src/cli/terminal/shell.ts';
import { UsageError } from '../../../src/cli/terminal/shell.ts';
import type { PlannableTask } from '../../../src/core/plan/model/plan-request.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { whyNotWatched } from '../../../src/core/view/words/why-not-watched.ts';
import { factsOf } from '../../support/check-files.ts';

const task = (id: string, zone = 'UTC'): PlannableTask => ({
  id,
  zone,
  grid: undefined,
  noGrid: 'a test',
  zeroWidth: false,
  reads: [],
  after: [],
  writes: [],
  executor: { kind: 'warehouse', connection: undefined },
  codeHash: '',
});
const tasks = [
  task('shop.orders'),
  task('shop.revenue'),
  task('berlin.orders', 'Europe/Berlin'),
  task('berlin.visits', 'Europe/Berlin'),
  task('sql/daily.sql'),
];
const none = { tasks: new Map() };
const shell = { clock: { now: () => instant(Date.UTC(2026, 10, 29)) } } as unknown as Shell;

/** What the call says when it is refused: message and remedy. */
const refusal = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof UsageError) return `${error.message}${error.remedy === undefined ? '' : ` / ${error.remedy}`}`;
    throw error;
  }
  return 'not refused';
};

const at = (iso: string): number => Date.parse(iso.length === 10 ? `${iso}T00:00:00Z` : iso);

describe('findTasks', () => {
  const found = (...words: string[]): string[] => findTasks(words, { tasks, facts: none }).map(({ id }) => id);

  test('by full name, by a name that is unique, by file, by DAG', () => {
    expect(found('shop.orders')).toEqual(['shop.orders']);
    expect(found('revenue')).toEqual(['shop.revenue']);
    expect(found('./sql/daily.sql')).toEqual(['sql/daily.sql']);
    expect(found('daily.sql')).toEqual(['sql/daily.sql']);
    expect(found('berlin')).toEqual(['berlin.orders', 'berlin.visits']);
    expect(found('shop', 'shop.orders')).toEqual(['shop.orders', 'shop.revenue']);
  });

  test('what is not there is refused with the nearest names', () => {
    expect(refusal(() => found('orders'))).toBe(
      'orders is the name of several tasks / say which: shop.orders, berlin.orders',
    );
    expect(refusal(() => found('shop.revenu'))).toContain('there is no task shop.revenu; did you mean shop.revenue?');
    expect(refusal(() => findTasks(['x'], { tasks: [], facts: none }))).toContain('no pipeline was found');
  });
});

describe('a task that is not as somebody takes it', () => {
  const facts = factsOf({
    'dags/d.py': `import pendulum
from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.sensors.external_task import ExternalTaskSensor
with DAG("d", schedule="@daily", start_date=pendulum.datetime(2024, 3, 1)):
    wait = ExternalTaskSensor(task_id="wait", external_dag_id="up", external_task_id="x")
    spark = SparkSubmitOperator(task_id="spark", application="/opt/jobs/x.py")
    shell = BashOperator(task_id="shell", bash_command="./load.sh")
    load = PostgresOperator(task_id="load", sql="DELETE FROM t; INSERT INTO t SELECT * FROM s")
    wait >> [spark, shell, load]
`,
    'jobs/x.py': `from pyspark.sql import SparkSession
SparkSession.builder.getOrCreate().table("raw.ev").write.mode("overwrite").saveAsTable("mart.x")
`,
  });

  test('only waits: what is behind it is named', () => {
    const workspace = { tasks: plannableTasks(facts, (text) => text), facts };
    for (const word of ['d.wait', 'wait'])
      expect(refusal(() => findTasks([word], workspace))).toMatch(
        /^d\.wait is one of ExternalTaskSensor, which changes no data.* \/ name what is behind it: d\.spark, d\.shell, d\.load$/,
      );
  });

  test('is not watched, and why', () => {
    expect(whyNotWatched('d.load', facts)).toContain('it is run from here, and its SQL says what it writes (t)');
    expect(whyNotWatched('d.spark', facts)).toContain('the files say what it writes (mart.x)');
    expect(whyNotWatched('d.shell', facts)).toBeUndefined();
  });
});

describe('planRequest', () => {
  const request = (words: string[], options: Partial<SelectionOptions>) =>
    planRequest(words, { without: [], unit: [], ...options }, { tasks, facts: none }, shell);

  test('a bare date is midnight in the zone of the pipeline', () => {
    const { selection } = request(['berlin.orders'], { from: '2026-11-01', to: '2026-11-02' });
    expect(selection).toEqual({
      kind: 'data-range',
      from: Date.UTC(2026, 9, 31, 23),
      to: Date.UTC(2026, 10, 1, 23),
    });
  });

  test('logical dates are both included', () => {
    const { selection } = request(['shop.orders'], { logicalDates: '2026-11-01..2026-11-30' });
    expect(selection).toEqual({ kind: 'logical-dates', first: at('2026-11-01'), last: at('2026-12-01') - 1 });
  });

  test('a bare last logical date is its whole day, a time is a moment', () => {
    const { selection } = request(['shop.orders'], { logicalDates: '2026-11-01..2026-11-30T08:00' });
    expect(selection).toMatchObject({ last: at('2026-11-30T08:00:00Z') });
  });

  test('takes the clock of the shell, or the one that is given', () => {
    const range = { from: '2026-11-01', to: '2026-11-02' };
    expect(request(['shop.orders'], range).now).toBe(Date.UTC(2026, 10, 29));
    expect(request(['shop.orders'], { ...range, now: '2026-12-01T05:00' }).now).toBe(Date.UTC(2026, 11, 1, 5));
  });

  test.each([
    [{}, 'say which intervals / give --from and --to (end not included), or --logical-dates A..B'],
    [{ from: '2026-11-01' }, 'say which intervals'],
    [
      { from: '2026-11-01', to: '2026-11-01' },
      '--to 2026-11-01 is not after --from 2026-11-01 / --to is the end of the data and not included',
    ],
    [{ from: '2026-13-01', to: '2026-11-01' }, '--from 2026-13-01 is not a date or time'],
    [{ from: 'yesterday', to: '2026-11-01' }, '--from yesterday is not a date or time'],
    [{ logicalDates: '2026-11-01' }, '--logical-dates 2026-11-01 is not a range'],
    [{ logicalDates: '2026-11-02..2026-11-01' }, 'the first one is after the last one'],
    [{ logicalDates: '2026-11-01..2026-11-02', to: '2026-11-03' }, 'exclude each other'],
    [{ from: '2026-11-01', to: '2026-11-02', without: ['shop.nothing'] }, 'there is no task shop.nothing'],
    [{ from: '2026-11-01', to: '2026-11-02', now: 'soon' }, '--now soon is not a date or time'],
  ])('%j is refused', (options, message) => {
    expect(refusal(() => request(['shop.orders'], options))).toContain(message);
  });

  test('one bare date for tasks of two zones is two times', () => {
    const range = { from: '2026-11-01', to: '2026-11-02' };
    expect(refusal(() => request(['shop.orders', 'berlin.orders'], range))).toContain(
      'not the same time for all selected tasks',
    );
    expect(
      request(['shop.orders', 'berlin.orders'], { from: '2026-11-01T00:00Z', to: '2026-11-02T00:00Z' }).tasks,
    ).toHaveLength(2);
  });
});
