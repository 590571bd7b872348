import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultReaderOptions } from '../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../src/node/python-parser.ts';
import { describeReading } from '../support/describe-reading.ts';
import { fileSetOf, folderFiles } from '../support/folder-files.ts';
import { expectGolden } from '../support/golden.ts';

const fixtures = new URL('../fixtures/pipeline/', import.meta.url);
const workspaces = readdirSync(fixtures).sort();
const parser = await loadPythonParser();
const options = { ...defaultReaderOptions, connections: { lake: { dialect: 'spark' as const } } };

test('every golden reading has its workspace', () => {
  const names = readdirSync(new URL('./pipeline/', import.meta.url)).map((name) => name.replace('.golden.txt', ''));
  expect(names.sort()).toEqual(workspaces);
});

test.each(workspaces)('reads the workspace %s', (name) => {
  const files = fileSetOf(folderFiles(new URL(`${name}/`, fixtures)));
  const reading = createWorkspaceReader(parser, options).read(files);
  expectGolden(new URL(`./pipeline/${name}.golden.txt`, import.meta.url), describeReading(reading));
});
