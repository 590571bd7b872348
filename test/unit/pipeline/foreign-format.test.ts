import { describe, expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { checkFiles } from '../../support/check-files.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

/** Which of the SQL files are tasks of their own. */
function tasksOf(files: Record<string, string>): readonly string[] {
  const reading = createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(new Map(Object.entries(files))));
  return reading.files.flatMap(({ pipelines }) => pipelines.map(({ file }) => file));
}

const plain = 'INSERT INTO mart.a SELECT * FROM raw.a';

describe('a folder with a dbt_project.yml', () => {
  test('has models, also without Jinja, and other files', () => {
    const files = {
      'shop/dbt_project.yml': 'name: shop\n',
      'shop/models/staging/a.sql': plain,
      'shop/target/compiled/a.sql': plain,
      'shop/sql/b.sql': plain,
      'shop/models.sql': plain,
      'models/c.sql': plain,
    };
    expect(tasksOf(files)).toEqual(['models/c.sql', 'shop/models.sql', 'shop/sql/b.sql']);
    expect(checkFiles(files).map(({ at }) => at.file)).not.toContain('shop/models/staging/a.sql');
  });

  test.each([
    'model-paths: ["transform", "more/models"]\n',
    "model-paths: [transform, 'more/models/'] # ours\n",
    'model-paths:\n  - transform # first\n  - "more/models"\nname: shop\n',
    'model-paths:\r\n- transform\r\n- more/models\r\n',
    'source-paths: [transform]\nanalysis-paths: [more/models]\n',
  ])('may name its folders: %j', (project) => {
    const files = {
      'dbt_project.yml': project,
      'transform/a.sql': plain,
      'more/models/b.sql': plain,
      'more/c.sql': plain,
      'transform_more/d.sql': plain,
    };
    expect(tasksOf(files)).toEqual(['more/c.sql', 'transform_more/d.sql']);
  });
});

test('a Hive operator reads its .hql file; alone the file is no task', () => {
  const files = {
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.apache.hive.operators.hive import HiveOperator

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    HiveOperator(task_id="load", hql="q.hql")
`,
    'dags/q.hql': 'INSERT OVERWRITE TABLE mart.a SELECT * FROM raw.a',
    'other.hql': plain,
  };
  expect(tasksOf(files)).toEqual(['dags/one.py']);
  const reading = createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(new Map(Object.entries(files))));
  expect(reading.files[0]?.dependsOn).toEqual(['dags/q.hql']);
});
