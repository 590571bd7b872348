import { expect, test } from 'vitest';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { makeDocumentView } from '../../../src/core/view/document/make-document-view.ts';
import { factsOf } from '../../support/check-files.ts';

test('what calls of Python come to is shown as that, and not as SQL that would run', () => {
  const file = 'dags/d.py';
  const text = `import pendulum
from airflow import DAG
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator

with DAG("d", schedule="@daily", start_date=pendulum.datetime(2026, 1, 1), catchup=False):
    SparkSubmitOperator(task_id="load", application="jobs/load.py", application_args=["{{ ds }}"])
`;
  const job = `import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.table("a").where(f"ds = '{sys.argv[1]}'").writeTo("m.t").overwritePartitions()
`;
  const view = makeDocumentView({
    file,
    facts: factsOf({ [file]: text, 'jobs/load.py': job }),
    findings: [],
    problems: [],
    links: { place: () => 'open:', declare: () => 'declare:' },
    choice: new Map(),
    now: instant(Date.UTC(2026, 10, 29, 12)),
    shownIn: undefined,
    variables: {},
    params: {},
    children: new Map(),
    versions: () => [],
  });
  const [hover] = view.hovers.filter(({ markdown }) => markdown.includes('d.load')).map(({ markdown }) => markdown);
  expect(hover).toContain('has Spark run jobs/load.py');
  expect(hover).toContain(
    'What its calls come to, in SQL:\n\n```sql\nINSERT OVERWRITE m.t SELECT * FROM a AS t1 WHERE (ds = ',
  );
});
