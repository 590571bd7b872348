import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { PostgresConnection } from '../../../src/core/warehouse/port/connection-config.ts';
import { type CliResult, runCli } from '../run-cli.ts';
import { type Cure, type CureCase, type CureTask, now } from './cure-case.ts';

export const textOf = ({ out, err }: CliResult): string => `${err}\n${out}`;

/** A DAG with these tasks, one after the other. */
const dag = (tasks: Readonly<Record<string, CureTask>>, apart: boolean, schedule = '"@daily"'): string =>
  [
    'import pendulum',
    'from airflow import DAG',
    'from airflow.operators.python import PythonOperator',
    'from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator',
    'from airflow.providers.postgres.hooks.postgres import PostgresHook',
    'from airflow.providers.postgres.operators.postgres import PostgresOperator',
    'def pull(ds=None):',
    '    PostgresHook("wh").run("insert into raw.ev values (%s, 99, 1)", parameters=(ds,))',
    `with DAG("d", schedule=${schedule}, start_date=pendulum.datetime(2026, 11, 1, tz="UTC"), catchup=True, max_active_runs=1) as dag:`,
    ...Object.entries(tasks).map(([name, task]) => `    ${name} = ${operator(name, task)}`),
    `    ${Object.keys(tasks).join(apart ? ', ' : ' >> ')}`,
  ].join('\n');

function operator(name: string, task: CureTask): string {
  if (task === 'python') return `PythonOperator(task_id="${name}", python_callable=pull)`;
  const { sql, connection = 'wh', database, spark } = typeof task === 'string' ? { sql: task } : task;
  if (spark) return `SparkSqlOperator(task_id="${name}", conn_id="${connection}", sql="""${sql}""")`;
  const place = database === undefined ? '' : `, database="${database}"`;
  return `PostgresOperator(task_id="${name}", postgres_conn_id="${connection}"${place}, sql="""${sql}""")`;
}

const optionNamed =
  /--(?:(?:not-atomic|irrevocable|without) [\w.]+|allow-append|allow-expired|expand-unbounded|connection lake)/;

/** A workspace of its own on a database, and how its command line is used. */
export function cureWorkspace(
  parent: string,
  connection: PostgresConnection,
  { tasks, yaml, airflowIds = ['wh'], schedule, airflow = 2, apart = false }: CureCase,
) {
  const root = mkdtempSync(join(parent, 'w-'));
  const { host, port, database, user, password } = connection;
  const config = join(root, 'backfill.yaml');
  const at = (name: string) =>
    `host: ${host}, port: ${port}, database: ${name}, user: ${user}, password: "\${env:PW}", sslmode: disable`;
  const filled = (text: string): string =>
    text.replaceAll('AT(lake)', at(`${database}_lake`)).replaceAll('LAKE', `${database}_lake`);
  const base = (more = '', version = airflow): string =>
    filled(
      `version: 1\nairflow: { version: ${version} }\ndefaultConnection: wh\nconnections:\n  wh: { ${at(String(database))}, airflowIds: [${airflowIds.join(', ')}], settings: { timezone: UTC } }\n${more}\n`,
    );
  let written = tasks;
  const write = (named: Readonly<Record<string, CureTask>>, loose = apart): void => {
    written = named;
    const file = join(root, 'dags/d.py');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, filled(dag(named, loose, schedule)));
  };
  writeFileSync(config, base(yaml));
  write(tasks);
  const cli = (words: readonly string[]): Promise<CliResult> => runCli(words, root, { env: { PW: String(password) } });
  const follow = (text: string, cure: Cure, asked: readonly string[]): Promise<CliResult> => {
    if (typeof cure === 'object') {
      write(cure.tasks ?? written, cure.apart);
      writeFileSync(config, base(cure.yaml ?? yaml, cure.airflow));
      return cli(cure.ask ?? asked);
    }
    switch (cure) {
      case 'yaml': {
        writeFileSync(config, base(`${yaml ?? ''}\n${linesOf(text)}`));
        return cli(asked);
      }
      case 'command':
        return cli(commandOf(text));
      case 'option': {
        const [option = ''] = optionNamed.exec(text) ?? [];
        expect(option, text).not.toBe('');
        return cli([...asked, ...option.split(' ')]);
      }
    }
  };
  return { cli, follow, write, root };
}

/** The command that an advice names: of several the one that does most about it. */
function commandOf(text: string): readonly string[] {
  const said = [...text.matchAll(/backfill ((?:resume|done|run|undo) \S+(?: [^\s;,(]+)*)/g)].map(
    ([, words]) => words ?? '',
  );
  const rank = [
    /^(?:done|resume) .*(?:--accept-held|T\d\d:)/,
    /^run .*--logical-dates/,
    /^undo .*--unit/,
    /^resume \d{8}-/,
    /^undo \d{8}-\S+$/,
  ];
  const best = rank.flatMap((wanted) => said.find((words) => wanted.test(words)) ?? [])[0] ?? '';
  expect(best, text).not.toBe('');
  const words = best.split(' ');
  return words[0] === 'run' ? [...words, ...now, '--yes'] : words[0] === 'undo' ? [...words, '--yes'] : words;
}

/** What an advice says to write into `backfill.yaml`, from its key to the closing brace. */
function linesOf(text: string): string {
  const at = /(?:tasks|variables): \{/.exec(text);
  expect(at, text).not.toBeNull();
  const start = at?.index ?? 0;
  let depth = 0;
  for (let end = start; end < text.length; end++) {
    if (text[end] === '{') depth += 1;
    if (text[end] === '}' && --depth === 0) return text.slice(start, end + 1).replace('VALUE', '100');
  }
  return '';
}
