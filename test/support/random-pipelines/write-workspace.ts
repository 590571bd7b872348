import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wallOf } from './civil.ts';
import { extraStatements, extraValue } from './extras.ts';
import { columnOf, type Dag, modulus, type Read, type TaskModel, type WorkspaceModel } from './model.ts';

/** The workspace as its user would have written it: DAG files, SQL files, settings. */
export function writeWorkspace(root: string, model: WorkspaceModel): void {
  rmSync(root, { recursive: true, force: true });
  for (const [path, text] of filesOf(model)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export function filesOf(model: WorkspaceModel): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  files.set(
    'backfill.yaml',
    [
      'version: 1',
      'connections:',
      `  here: { engine: pglite, directory: data, airflowIds: [warehouse], settings: { timezone: ${model.sessionZone} } }`,
      'airflow: { version: 2 }',
      '',
    ].join('\n'),
  );
  if (model.ddl) files.set('warehouse/tables.sql', `${tableStatements(model).join(';\n')};\n`);
  for (const dag of model.dags) files.set(`dags/${dag.id}.py`, dagText(dag, model, files));
  return files;
}

/** `create table` of everything, with the keys that the upserts need. */
export function tableStatements(model: WorkspaceModel): readonly string[] {
  const column = (type: Read['type']): string => `${columnOf(type)} ${type} not null`;
  return [
    `create table ${model.schema}.raw_events (${column(model.rawType)}, k int not null, n bigint not null, v bigint not null)`,
    ...model.tasks.map(({ table, write }) => {
      const key =
        write.kind === 'upsert-latest'
          ? ', primary key (k)'
          : write.kind === 'upsert-key'
            ? `, primary key (${columnOf(write.type)}, k)`
            : '';
      return `create table ${model.schema}.${table} (${column(write.type)}, k int not null, n bigint not null, v bigint not null${key})`;
    }),
  ];
}

function dagText(dag: Dag, model: WorkspaceModel, files: Map<string, string>): string {
  const wall = new Date(wallOf(dag.start, dag.zone));
  const day = `${wall.getUTCFullYear()}, ${wall.getUTCMonth() + 1}, ${wall.getUTCDate()}`;
  const start = dag.zone === 'UTC' ? `datetime(${day})` : `pendulum.datetime(${day}, tz="${dag.zone}")`;
  const tasks = model.tasks.filter((task) => task.dag === dag);
  const operators = tasks.map((task) => {
    const statements = extraStatements(task, model.schema, statementsOf(task, model));
    const text = `${statements.join(';\n\n')};\n`;
    let sql: string;
    if (task.layout % 3 === 0) {
      files.set(`dags/sql/${task.name}.sql`, text);
      sql = `"sql/${task.name}.sql"`;
    } else if (task.layout % 5 === 1) {
      // The schema is a constant of the module, the text an f-string.
      const formatted = text.replace(/[{}]/g, '$&$&').replaceAll(`${model.schema}.`, '{SCHEMA}.');
      sql = `f"""\n${formatted.replace(/^/gm, '        ')}"""`;
    } else if (task.layout % 5 === 2) {
      const given = text.replaceAll(` * ${task.factor} + `, ' * {{ params.factor }} + ');
      sql = `"""\n${given}""",\n        params={"factor": ${task.factor}}`;
    } else if (task.layout % 3 === 1) sql = `"""\n${text.replace(/^/gm, '        ')}"""`;
    else sql = `[\n${statements.map((one) => `            """${one}""",`).join('\n')}\n        ]`;
    return `    ${task.name} = SQLExecuteQueryOperator(
        task_id="${task.name}",
        conn_id="warehouse",
        sql=${sql},
    )`;
  });
  const edges = tasks.flatMap((task) =>
    tasks
      .filter((parent) => parent !== task && sourcesOf(task).includes(parent.table))
      .map((parent) => `    ${parent.name} >> ${task.name}`),
  );
  return `"""Made up."""

from datetime import datetime, timedelta

import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

SCHEMA = "${model.schema}"

with DAG(
    dag_id="${dag.id}",
    schedule=${dag.schedule},
    start_date=${start},
    catchup=True,
    max_active_runs=1,
):
${[...operators, ...edges].join('\n\n')}
`;
}

export const sourcesOf = (task: TaskModel): readonly string[] => [
  ...task.reads.map(({ table }) => table),
  ...(task.dimension === undefined ? [] : [task.dimension]),
];

/** The task's SQL with its templates, laid out in one of the ways that people have. */
export function statementsOf(task: TaskModel, { schema }: WorkspaceModel): readonly string[] {
  const target = `${schema}.${task.table}`;
  const { write } = task;
  const form = (['plain', 'cte', 'subquery', 'temporary', 'block', 'alias', 'comments'] as const)[task.layout % 7];
  const time = columnOf(write.type);
  const removals = write.before.map((one) => one.replace('{table}', target));
  const made = write.kind === 'upsert-latest' ? latestSql(task, schema) : groupedSql(task, schema, form);
  if (write.kind === 'upsert-key' && task.layout % 4 === 0) {
    return [
      `merge into ${target} as t using (${made}) as made (${time}, k, n, v)
on t.${time} = made.${time} and t.k = made.k
when matched then update set n = made.n, v = made.v
when not matched then insert (${time}, k, n, v) values (made.${time}, made.k, made.n, made.v)`,
    ];
  }
  const conflict =
    write.kind === 'upsert-key'
      ? `\non conflict (${time}, k) do update set n = excluded.n, v = excluded.v`
      : write.kind === 'upsert-latest'
        ? `\non conflict (k) do update set ${time} = excluded.${time}, n = excluded.n, v = excluded.v\nwhere excluded.${time} >= ${task.table}.${time}`
        : '';
  const insert = `insert into ${target} (${time}, k, n, v)\n${made}${conflict}`;
  const plain = [...removals, insert];
  switch (form) {
    case 'temporary': {
      const read = simpleRead(task);
      if (read === undefined) return plain;
      const own = columnOf(read.type);
      const kept = `create temp table picked_${task.name} on commit drop as\nselect ${own}, k, n, v from ${schema}.${read.table} where ${read.window?.sql}`;
      return [
        kept,
        ...removals,
        insert.replace(`${schema}.${read.table} s`, `picked_${task.name} s`).replace(/\nwhere .*/, ''),
      ];
    }
    case 'block':
      return ['begin', ...plain, 'commit'];
    case 'alias':
      return plain.map((one) =>
        one.replace(/^delete from (\S+) where (day|ts)/, 'DELETE FROM $1 AS gone WHERE gone.$2'),
      );
    case 'comments':
      return plain.map((one) => `-- it's made; by hand {# not by a tool #}\n/* ; */ ${one} -- end;\n`);
    default:
      return plain;
  }
}

/** The one read of a task that reads one range of one table. */
const simpleRead = ({ reads, dimension, write }: TaskModel): Read | undefined =>
  reads.length === 1 && dimension === undefined && reads[0]?.window !== undefined && write.kind !== 'upsert-latest'
    ? reads[0]
    : undefined;

function groupedSql(task: TaskModel, schema: string, form: string | undefined): string {
  const [only] = task.reads;
  const { stamp } = task.write;
  const own = columnOf(only?.type ?? 'date');
  const where = ({ window }: Read): string => (window === undefined ? '' : ` where ${window.sql}`);
  const one = task.reads.length === 1;
  const union = task.reads
    .map((read) => `select ${one ? `${own}, ` : ''}k, n, v from ${schema}.${read.table}${where(read)}`)
    .join(' union all ');
  const nested = !one || form === 'subquery';
  const from = form === 'cte' ? 'picked s' : nested ? `(${union}) s` : `${schema}.${only?.table} s`;
  const dimension = task.dimension === undefined ? '' : ` left join ${schema}.${task.dimension} d on d.k = s.k`;
  const value = task.dimension === undefined ? 's.v' : 's.v + coalesce(d.v, 0)';
  const filter =
    !nested && form !== 'cte' && only?.window !== undefined ? `\nwhere ${qualified(only.window.sql, own)}` : '';
  const t = stamp === undefined ? `s.${own}` : stamp.sql;
  const group = stamp === undefined ? `s.${own}, s.k` : 's.k';
  const common = form === 'cte' ? `with picked as (${union})\n` : '';
  return `${common}select ${t}, s.k, sum(s.n) % ${modulus}, ${extraValue(task, schema, 's.k', valueSql(task, `sum(${value})`))}\nfrom ${from}${dimension}${filter}\ngroup by ${group}`;
}

function latestSql(task: TaskModel, schema: string): string {
  const [read] = task.reads as [Read];
  const t = columnOf(read.type);
  return `select distinct on (k) ${t}, k, n, ${extraValue(task, schema, 'k', valueSql(task, 'v'))}\nfrom ${schema}.${read.table}\nwhere ${read.window?.sql}\norder by k, ${t} desc, n desc, v desc`;
}

/** The column with its table's alias, wherever the window names it. */
const qualified = (sql: string, column: string): string =>
  sql.replace(new RegExp(`\\{\\{.*?\\}\\}|'[^']*'|\\b${column}\\b`, 'g'), (found) =>
    found === column ? `s.${column}` : found,
  );

function valueSql({ factor, addend, fix }: TaskModel, value: string): string {
  const iso = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const added =
    fix === undefined
      ? ''
      : ` + case when '{{ ds }}' >= '${iso(fix.from)}' and '{{ ds }}' < '${iso(fix.to)}' then ${fix.add} else 0 end`;
  return `(${value} * ${factor} + ${addend}${added}) % ${modulus}`;
}
