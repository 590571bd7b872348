import type { StormDag, StormTask } from './draw-storm.ts';

/** The days that a storm is about, each a run. */
export const stormDays = ['2026-10-20', '2026-10-21'] as const;

const tableOf = ({ id }: StormDag, index: number): string => `storm.${id}_t${index}`;

/** One task's work for a day: what it was is replaced by what its parents have, and a little more. */
function statements(dag: StormDag, task: StormTask, index: number, day: string): readonly string[] {
  const sources = task.parents.length === 0 ? ['storm.source'] : task.parents.map((parent) => tableOf(dag, parent));
  const rows = sources.map((table) => `select day, n, v from ${table} where day = '${day}'`).join(' union all ');
  return [
    `delete from ${tableOf(dag, index)} where day = '${day}'`,
    `insert into ${tableOf(dag, index)} (day, n, v) select day, n, sum(v) + ${index + 1} from (${rows}) r group by day, n`,
  ];
}

/** Somebody has said that it fails: once more, or so often that it is for ever. */
const failing = (dag: StormDag, task: StormTask): string =>
  `update storm.faults set times = times - 1 where task = '${dag.id}.${task.name}' and times > 0 returning times`;

/** The file of a DAG. Its tables are no secret in `backfill.yaml`; whoever reads the Python alone does not see them. */
export function stormFile(dag: StormDag): string {
  const lines = dag.tasks.map((task, index) => {
    const sql = JSON.stringify(statements(dag, task, index, '{{ ds }}'));
    const common = `task_id="${task.name}", retries=${task.retries ? 1 : 0}, retry_delay=timedelta(seconds=3)`;
    const env = `env={"STATEMENTS": json.dumps(${sql}), "FAILING": ${JSON.stringify(failing(dag, task))}}, append_env=True`;
    if (task.kind === 'sql')
      return `${task.name} = SQLExecuteQueryOperator(${common}, conn_id="warehouse", sql=${sql})`;
    if (task.kind === 'bash')
      return `${task.name} = BashOperator(${common}, bash_command='"$STORM_PYTHON" "$STORM_LOAD"', ${env})`;
    return `${task.name} = PythonOperator(${common}, python_callable=work, op_args=[${sql}, ${JSON.stringify(failing(dag, task))}])`;
  });
  const edges = dag.tasks.flatMap(({ name, parents }) => parents.map((parent) => `    t${parent} >> ${name}`));
  return `import importlib, json
from datetime import datetime, timedelta

from airflow import DAG
from airflow.operators.bash import BashOperator
from airflow.operators.python import PythonOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator


def work(statements, failing):
    importlib.import_module("storm_load").load(statements, failing)


with DAG(dag_id="${dag.id}", schedule="@daily", start_date=datetime(2026, 9, 9), end_date=datetime(2026, 11, 20), catchup=False):
${lines.map((line) => `    ${line}`).join('\n')}
${edges.join('\n')}
`;
}

/** What a Python or a Bash task does, told by arguments or by the environment. */
export const stormLoad = `import json, os, time

import psycopg2


def load(statements, failing):
    connection = psycopg2.connect(os.environ["STORM_URL"])
    with connection, connection.cursor() as cursor:
        cursor.execute(failing)
        fails = cursor.fetchall()
    if fails:
        raise ValueError("somebody said that it fails")
    with connection, connection.cursor() as cursor:
        cursor.execute(statements[0])
        time.sleep(0.5)
        for statement in statements[1:]:
            cursor.execute(statement)


if __name__ == "__main__":
    load(json.loads(os.environ["STATEMENTS"]), os.environ["FAILING"])
`;

/** Lines below \`tasks:\` of \`backfill.yaml\`. */
export const stormSettings = (dag: StormDag): string =>
  dag.tasks
    .map((task, index) => {
      const sources = task.parents.length === 0 ? ['storm.source'] : task.parents.map((parent) => tableOf(dag, parent));
      const reads = sources.map((table) => `{ table: ${table}, column: day, from: start, to: end }`).join(', ');
      return `  ${dag.id}.${task.name}: { reads: [${reads}], writes: [{ table: ${tableOf(dag, index)}, column: day, key: [day, n] }] }\n`;
    })
    .join('');

/** Tables of a DAG, with rows that its runs of before have left wrong, where it has any. */
export const stormTables = (dag: StormDag): readonly string[] =>
  dag.tasks.flatMap((_, index) => [
    `create table ${tableOf(dag, index)} (day date, n int, v bigint, primary key (day, n))`,
    ...(dag.there === 0
      ? []
      : [`insert into ${tableOf(dag, index)} select day, n, 0 from storm.source where n % 3 > 0`]),
  ]);

export const stormSource: readonly string[] = [
  'create schema storm',
  'create table storm.faults (task text primary key, times int)',
  `create table storm.source as select date '2026-10-18' + d as day, n, n * 7 + d as v
   from generate_series(0, 6) d, generate_series(1, 20) n`,
];

/** One clean run of the days in order, as SQL on tables of its own: what a storm has to end with. */
export const cleanRun = (dag: StormDag): readonly string[] => stormDays.flatMap((day) => cleanDay(dag, day));

export const cleanDay = (dag: StormDag, day: string): readonly string[] =>
  dag.tasks.flatMap((task, index) => statements(dag, task, index, day));

/** The tables of a DAG as one text each. */
export const stormRows = (dag: StormDag): string =>
  `select ${dag.tasks.map((_, index) => `(select string_agg(r::text, ' ' order by r::text) from ${tableOf(dag, index)} r) as t${index}`).join(', ')}`;
