import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { differencesInWords, type ExpectedFile } from '../../support/expected-dags.ts';
import { fileSetOf, folderFiles } from '../../support/folder-files.ts';

const fixtures = new URL('../../fixtures/airflow/', import.meta.url);
const texts = folderFiles(new URL('structure/', fixtures));

/** The expectations were written by real Airflows, see test/engines. */
test.each([2, 3] as const)('structure and schedules are those of Airflow %i', async (version) => {
  const expected: Record<string, ExpectedFile> = JSON.parse(
    readFileSync(new URL(`structure-airflow${version}.json`, fixtures), 'utf8'),
  );
  const reader = createWorkspaceReader(await loadPythonParser(), { ...defaultReaderOptions, airflowVersion: version });
  const { files } = reader.read(fileSetOf(texts));
  expect(Object.keys(expected).sort()).toEqual([...texts.keys()].sort());
  for (const [file, { dags }] of Object.entries(expected)) {
    const pipelines = files.find((reading) => reading.file === file)?.pipelines ?? [];
    expect(differencesInWords(file, pipelines, dags)).toEqual([]);
  }
});
