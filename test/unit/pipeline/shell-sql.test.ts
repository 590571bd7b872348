import { expect, test } from 'vitest';
import { derivedText } from '../../../src/core/pipeline/python/values/text-value.ts';
import { shellSql } from '../../../src/core/pipeline/readers/airflow/operators/shell-sql.ts';

const read = (command: string) => {
  const found = shellSql(derivedText(command));
  return found && [found.engine, ...found.texts.map(({ mapped }) => mapped.text), ...(found.apart ? ['apart'] : [])];
};

test.each([
  [`psql -c "delete from t"`, ['Postgres', 'delete from t']],
  [`psql -c 'delete from t where d = $1'`, ['Postgres', 'delete from t where d = $1']],
  [`psql "$DSN" -v ON_ERROR_STOP=1 --command="select '{{ ds }}'"`, ['Postgres', "select '{{ ds }}'"]],
  [`PGPASSWORD=x /usr/bin/psql -h $HOST -c 'select 1' -c 'select 2'`, ['Postgres', 'select 1', 'select 2', 'apart']],
  [`psql -1 -c 'select 1' -c 'select 2'`, ['Postgres', 'select 1', 'select 2']],
  ['psql \\\n  -c "select 1"\n', ['Postgres', 'select 1']],
  [`psql -h {{ conn.dw.host }} -c "select {{ 'a b' }}"`, ['Postgres', "select {{ 'a b' }}"]],
  [`mysql shop -e "replace into t values (1)"`, ['MySql', 'replace into t values (1)']],
  [`bq query --use_legacy_sql=false 'select * from \`a.b\`'`, ['BigQuery', 'select * from `a.b`']],
  [`hive -e "insert overwrite table t select 1"`, ['Spark', 'insert overwrite table t select 1']],
])('reads %j', (command, expected) => {
  expect(read(command)).toEqual(expected);
});

test.each([
  'echo "select 1"',
  'psql -f load.sql',
  'psql -c "select 1" -f load.sql',
  'psql -c "select $DAY"',
  'psql -c "select `date`"',
  'psql -c select',
  'psql -c "select "1',
  'psql -c',
  'psql -c "select 1',
  'psql -c "select 1" > out.csv',
  'psql -c "select 1" | grep 1',
  'psql -c "select 1" && psql -c "select 2"',
  'cd /tmp; psql -c "select 1"',
  'psql -c "select 1"\npsql -c "select 2"',
  'psql -c "$(cat load.sql)"',
  'psql $(dsn) -c "select 1"',
  "bq query --destination_table=d.t 'select 1'",
  "bq load d.t gs://b/f 'select 1'",
  "bq query --replace 'select 1'",
  'psql # -c "select 1"',
  '',
])('leaves %j to the shell', (command) => {
  expect(read(command)).toBeUndefined();
});
