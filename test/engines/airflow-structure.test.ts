import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { askAirflow } from '../../src/node/airflow/ask-airflow.ts';
import { expectedDags } from '../support/expected-dags.ts';
import { folderFiles } from '../support/folder-files.ts';
import { expectGoldenJson } from '../support/golden-json.ts';

const folder = new URL('../fixtures/airflow/structure/', import.meta.url);

/** The unit suite reads the same files and compares with these expectations, without an Airflow. */
test.each([2, 3])('Airflow %i says of our own DAG files what the unit suite expects', async (version) => {
  const files = [...folderFiles(folder).keys()].sort();
  const asked = await askAirflow({
    python: fileURLToPath(new URL(`../../.venv-airflow${version}`, import.meta.url)),
    root: fileURLToPath(folder),
    files,
    variables: {},
  });
  if (!asked.ok) throw new Error(asked.message);
  expect(asked.answer.errors).toEqual([]);
  const expected = Object.fromEntries(
    files.map((file) => [file, { dags: expectedDags(asked.answer.dags.filter((dag) => dag.file === file)) }]),
  );
  expectGoldenJson(new URL(`../fixtures/airflow/structure-airflow${version}.json`, import.meta.url), expected);
});
