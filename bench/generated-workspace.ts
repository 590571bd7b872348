import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Files of an Airflow project as teams have them: every third file a DAG of five tasks with SQL of its own and in
 * files, the others those SQL files. Tables lead from DAG to DAG.
 */
export function generatedWorkspace(files: number): ReadonlyMap<string, string> {
  const texts = new Map([['requirements.txt', 'apache-airflow==2.10.4\n']]);
  for (let n = 0; texts.size < files + 1; n++) {
    texts.set(`dags/team_${n % 20}/dag_${n}.py`, dagText(n, 3));
    for (const name of ['load', 'mart']) texts.set(`dags/team_${n % 20}/sql/${name}_${n}.sql`, sqlText(n, name));
  }
  return texts;
}

/** DAG files whose loops make 500 tasks each: one place in a file, many tasks, and the same finding for all of them. */
export function generatedTasks(tasks: number): ReadonlyMap<string, string> {
  const perFile = 500;
  const numbers = Array.from({ length: perFile }, (_, n) => n).join(', ');
  return new Map(
    Array.from({ length: Math.ceil(tasks / perFile) }, (_, file) => [
      `dags/many_${file}.py`,
      `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("many_${file}", schedule="@daily", start_date=datetime(2024, 1, 1)):
    for n in [${numbers}]:
        SQLExecuteQueryOperator(
            task_id=f"t_{n}",
            conn_id="dw",
            sql=f"INSERT INTO mart.t_{n} (day, amount) SELECT day, amount FROM raw.t_{n} WHERE day = '{{{{ ds }}}}'",
        )
`,
    ]),
  );
}

export function writeWorkspace(root: string, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** A DAG with this many tasks whose SQL stands in it, between two whose SQL are files. */
export function dagText(n: number, inline: number): string {
  const tasks = Array.from({ length: inline }, (_, k) => inlineTask(n, k));
  const names = ['load', ...tasks.map((_, k) => `step_${k}`), 'mart'];
  return `"""What team ${n % 20} does every day with source ${n}."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

SCHEMA = "team_${n % 20}"
DEFAULTS = {"owner": "team_${n % 20}", "retries": 2, "retry_delay": timedelta(minutes=5), "conn_id": "dw"}

with DAG(
    dag_id="dag_${n}",
    schedule="${['@daily', '@hourly', '0 6 * * 1', '30 2 * * *'][n % 4]}",
    start_date=datetime(2024, 1, 1),
    catchup=True,
    default_args=DEFAULTS,
    tags=["generated"],
) as dag:
    load = SQLExecuteQueryOperator(task_id="load", sql="sql/load_${n}.sql")
${tasks.join('\n')}
    mart = SQLExecuteQueryOperator(task_id="mart", sql="sql/mart_${n}.sql")
    ${names.join(' >> ')}
`;
}

const inlineTask = (n: number, k: number): string => `
    step_${k} = SQLExecuteQueryOperator(
        task_id="step_${k}",
        sql=f"""
            DELETE FROM {SCHEMA}.step_${n}_${k}
            WHERE day >= '{{{{ data_interval_start }}}}' AND day < '{{{{ data_interval_end }}}}';

            INSERT INTO {SCHEMA}.step_${n}_${k} (day, customer, orders, amount)
            SELECT o.day, c.customer_id, count(*), sum(o.amount)
            FROM {SCHEMA}.${k === 0 ? `load_${n}` : `step_${n}_${k - 1}`} AS o
            JOIN dim.customer AS c ON c.id = o.customer
            WHERE o.day >= '{{{{ data_interval_start }}}}' AND o.day < '{{{{ data_interval_end }}}}'
            GROUP BY o.day, c.customer_id;
        """,
    )
`;

/** A DAG whose load is a SQL file of this many statements, each pair of another table. */
export function longSqlFile(statements: number): ReadonlyMap<string, string> {
  const parts = Array.from({ length: statements / 2 }, (_, k) => sqlText(k + 1, 'load'));
  return new Map([
    ['requirements.txt', 'apache-airflow==2.10.4\n'],
    ['dags/team_0/dag_0.py', dagText(0, 3)],
    ['dags/team_0/sql/load_0.sql', parts.join('\n')],
    ['dags/team_0/sql/mart_0.sql', sqlText(0, 'mart')],
  ]);
}

/** Every seventh load only adds rows, every eleventh mart reads the clock: both are found. */
function sqlText(n: number, name: string): string {
  const team = `team_${n % 20}`;
  const source =
    name === 'load' ? (n === 0 ? 'raw.feed' : `team_${(n - 1) % 20}.mart_${n - 1}`) : `${team}.step_${n}_2`;
  const to = name === 'mart' && n % 11 === 0 ? 'now()' : `'{{ data_interval_end }}'`;
  const empty =
    name === 'load' && n % 7 === 0
      ? ''
      : `DELETE FROM ${team}.${name}_${n}\nWHERE day >= '{{ data_interval_start }}' AND day < '{{ data_interval_end }}';\n\n`;
  return `-- ${name} of source ${n}
${empty}INSERT INTO ${team}.${name}_${n} (day, customer, orders, amount, share, loaded_at)
WITH cleaned AS (
  SELECT s.day, s.customer, s.orders, coalesce(s.amount, 0) AS amount
  FROM ${source} AS s
  WHERE s.day >= '{{ data_interval_start }}' AND s.day < ${to}
    AND s.customer IS NOT NULL
), ranked AS (
  SELECT c.*, row_number() OVER (PARTITION BY c.customer ORDER BY c.amount DESC, c.day) AS place
  FROM cleaned AS c
)
SELECT r.day, r.customer, r.orders, r.amount,
       CASE WHEN r.place = 1 THEN r.amount / nullif(sum(r.amount) OVER (PARTITION BY r.day), 0) ELSE 0 END,
       '{{ data_interval_end }}'
FROM ranked AS r
WHERE r.place <= 10;
`;
}
