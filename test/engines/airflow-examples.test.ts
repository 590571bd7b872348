import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pipeline } from '../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions } from '../../src/core/pipeline/model/reader-options.ts';
import type { AirflowAnswer } from '../../src/core/pipeline/readers/airflow/answers/airflow-answer.ts';
import { createWorkspaceReader } from '../../src/core/pipeline/workspace/read-workspace.ts';
import { askAirflow } from '../../src/node/airflow/ask-airflow.ts';
import { digest } from '../../src/node/digest.ts';
import { loadPythonParser } from '../../src/node/python-parser.ts';
import { differencesInWords, type ExpectedFile, expectedDags } from '../support/expected-dags.ts';
import { fileSetOf } from '../support/folder-files.ts';
import { expectGoldenJson } from '../support/golden-json.ts';
import { exampleFiles } from './example-files.ts';
import { knownDifferences } from './known-differences.ts';

/** Of the files that Airflow itself loads. */
const leastShare = 0.98;

const expectation = (version: 2 | 3): URL => new URL(`expected/examples-airflow${version}.json`, import.meta.url);

/** Those that Airflow loaded when the expectation was written. */
function expectedFiles(version: 2 | 3): readonly string[] {
  const file = expectation(version);
  return existsSync(file) ? Object.keys(JSON.parse(readFileSync(file, 'utf8')).files) : [];
}

describe.each([2, 3] as const)('the example DAGs of Airflow %i', (version) => {
  const examples = exampleFiles(version);
  const known = knownDifferences[version];
  let answer: AirflowAnswer;
  let read: ReadonlyMap<string, readonly Pipeline[]>;
  let loaded: readonly string[];
  const differences = new Map<string, readonly string[]>();

  beforeAll(async () => {
    const asked = await askAirflow({
      python: examples.python,
      root: examples.root,
      files: examples.dagFiles,
      variables: {},
      timeoutMs: 500_000,
      // Some examples use plugins that ship beside them.
      environment: { AIRFLOW__CORE__LOAD_EXAMPLES: 'True' },
    });
    if (!asked.ok) throw new Error(asked.message);
    answer = asked.answer;
    const failed = new Set(answer.errors.map(({ file }) => file));
    loaded = examples.dagFiles.filter((file) => !failed.has(file));
    const reader = createWorkspaceReader(await loadPythonParser(), {
      ...defaultReaderOptions,
      airflowVersion: version,
    });
    read = new Map(reader.read(fileSetOf(examples.texts)).files.map(({ file, pipelines }) => [file, pipelines]));
    for (const file of loaded) {
      const dags = expectedDags(answer.dags.filter((dag) => dag.file === file));
      differences.set(file, differencesInWords(file, read.get(file) ?? [], dags));
    }
  });

  afterAll(() => {
    if (loaded === undefined) return;
    const equal = loaded.filter((file) => differences.get(file)?.length === 0).length;
    const share = ((100 * equal) / loaded.length).toFixed(1);
    console.log(
      `Airflow ${answer.version}: ${equal} of ${loaded.length} files are read as Airflow loads them, ${share} %`,
    );
    for (const [file, lines] of differences)
      for (const line of lines) console.log(`  ${file}: ${line} (${known[file] ?? 'not explained'})`);
    for (const { file, message } of answer.errors)
      console.log(`  ${file}: Airflow does not load it: ${message.trim().split('\n').at(-1)}`);
  });

  test('are said by Airflow as they are expected', () => {
    const expected: Record<string, ExpectedFile> = {};
    for (const file of loaded)
      expected[file] = {
        sha256: digest(examples.texts.get(file) ?? ''),
        dags: expectedDags(answer.dags.filter((dag) => dag.file === file)),
      };
    expectGoldenJson(expectation(version), { airflow: answer.version, files: expected });
  });

  test.each(expectedFiles(version))('%s', (file) => {
    const found = differences.get(file);
    if (known[file] === undefined) expect(found).toEqual([]);
    else expect(found, `${file} is equal: take it out of the list`).not.toEqual([]);
  });

  test('are equal in 98 of 100 files', () => {
    const equal = loaded.filter((file) => differences.get(file)?.length === 0);
    expect(equal.length / loaded.length).toBeGreaterThanOrEqual(leastShare);
  });
});
