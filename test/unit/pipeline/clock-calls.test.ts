import { expect, test } from 'vitest';
import { sqlOperators } from '../../../src/core/pipeline/readers/airflow/operators/sql-operators.ts';
import { checkFiles, type Files, factsOf, inWords } from '../../support/check-files.ts';

const dagOf = (operator: string, given: string): Files => ({
  'dags/one.py': `from datetime import datetime
from airflow import DAG
from house.operators import ${operator}
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    ${operator}(task_id="work", ${given})
`,
});

const flows = (operator: string, given: string) =>
  factsOf(dagOf(operator, given)).pipelines.flatMap(({ clockCalls }) => clockCalls.map(({ flowsInto }) => flowsInto));

const query = 'f"SELECT * FROM orders WHERE day = \'{datetime.now().date()}\'"';

/** `configuration.query.query` as the keyword that holds it. */
function keyword(path: string): string {
  const [name, ...keys] = path.split('.');
  return `${name}=${keys.reduceRight((inner, key) => `{"${key}": ${inner}}`, query)}`;
}

const sqlArguments = Object.entries(sqlOperators).flatMap(([name, operator]) =>
  [operator, ...(operator.sides ?? [])].flatMap(({ sql, formerly }) =>
    [sql, formerly].flatMap((path): [string, string][] => (path === undefined ? [] : [[name, path]])),
  ),
);

test.each(sqlArguments)('a clock in the SQL of %s flows into SQL by %s', (name, path) =>
  expect(flows(name, keyword(path))).toEqual(['sql']),
);

test('a class that is not known takes SQL where any known one does', () => {
  for (const [, path] of sqlArguments) expect(flows('HouseOperator', keyword(path)), path).toEqual(['sql']);
});

test('an argument of a known class that holds no SQL is none for its name', () =>
  expect(flows('PostgresOperator', keyword('query'))).toEqual(['argument']));

test.each([
  ['RedshiftToS3Operator', 'select_query'],
  ['SqlToS3Operator', 'query'],
  ['OracleToOracleOperator', 'source_sql'],
])('%s with a clock in its %s is a finding', (name, argument) => {
  const files = dagOf(name, keyword(argument));
  const found = checkFiles(files).map((finding) => inWords(files, finding));
  expect(found).toContain('wall-clock error «datetime.now()»');
});
