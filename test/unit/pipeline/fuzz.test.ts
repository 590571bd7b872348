import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf, folderFiles } from '../../support/folder-files.ts';
import { lawRuns } from '../../support/laws.ts';

const fixtures = new URL('../../fixtures/pipeline/', import.meta.url);
const texts = readdirSync(fixtures)
  .flatMap((name) => [...folderFiles(new URL(`${name}/`, fixtures))])
  .filter(([path]) => /\.(?:py|sql)$/.test(path));
const parser = await loadPythonParser();

/** Reads one text and checks what holds for every reading: no defect, and every place inside its file. */
function readsCleanly(path: string, text: string): void {
  const files = new Map([[path, text]]);
  const reading = createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(files));
  for (const { pipelines, problems } of reading.files) {
    for (const problem of problems) expect(problem.message).not.toContain('defect in the reader');
    const places = [
      ...problems.map((problem) => problem.at),
      ...pipelines.flatMap((pipeline) => [
        pipeline.at,
        pipeline.schedule.at,
        ...pipeline.edges.map((edge) => edge.at),
        ...pipeline.clockCalls.map((call) => call.at),
        ...pipeline.tasks.flatMap((task) => [
          task.at,
          task.nameAt,
          ...task.arguments.map((argument) => argument.at),
          ...task.sql.flatMap((sql) => sql.source.pieces.map((piece) => piece.source)),
        ]),
      ]),
    ];
    for (const place of places) {
      if (place === undefined) continue;
      expect(place.start).toBeGreaterThanOrEqual(0);
      expect(place.end).toBeGreaterThanOrEqual(place.start);
      expect(place.end).toBeLessThanOrEqual(text.length);
    }
    for (const sql of pipelines.flatMap((pipeline) => pipeline.tasks.flatMap((task) => task.sql)))
      expect(sql.masked.text).toHaveLength(sql.source.text.length);
  }
}

const snippets = [
  '(',
  ')',
  '"',
  "'",
  '"""',
  '{',
  '}',
  '{{',
  '%}',
  '\n',
  '\r\n',
  '\t',
  '\\',
  ':',
  ',',
  '=',
  '>>',
  'f"',
  '😀',
  '\u0000',
  'def ',
  'with ',
  'sql=',
  '*',
  '**',
  'lambda: ',
];

test('mutated files are read without a defect', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(
        fc.record({
          at: fc.double({ min: 0, max: 1, noNaN: true }),
          cut: fc.nat(30),
          put: fc.constantFrom('', ...snippets),
        }),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      ([path, original], edits) => {
        let text = original;
        for (const { at, cut, put } of edits) {
          const start = Math.floor(at * text.length);
          text = text.slice(0, start) + put + text.slice(start + cut);
        }
        readsCleanly(path, text);
      },
    ),
    { numRuns: lawRuns(300) },
  );
});

test.each(texts)('%s is read at every state of being typed', (path, text) => {
  for (let part = 1; part <= 12; part++) readsCleanly(path, text.slice(0, Math.floor((text.length * part) / 12)));
});

test.each([
  ['empty', ''],
  ['a byte order mark', '\ufefffrom airflow import DAG\nDAG("a")\n'],
  ['only a comment', '# airflow dag'],
  ['NUL', 'airflow dag \u0000 x = "\u0000"'],
  ['deep brackets', `airflow_dag = ${'['.repeat(3000)}${']'.repeat(3000)}`],
  ['deep calls', `airflow_dag = ${'f('.repeat(2000)}1${')'.repeat(2000)}`],
  ['deep attributes', `airflow_dag = a${'.b'.repeat(3000)}`],
  ['long chain', `from airflow import DAG\na = ${'x >> '.repeat(4000)}x`],
  ['growing text', 'airflow = dag = "a"\nfor i in range(400):\n  dag = dag + dag\n'],
  ['growing list', 'airflow = dag = [1]\nfor i in range(400):\n  dag = dag + dag\n'],
  ['list in itself', 'airflow = dag = []\ndag.append(dag)\nx = f"{dag}"\nfor y in dag: y\n'],
  [
    'nested loops',
    `airflow = dag = 0\n${Array.from({ length: 8 }, (_, depth) => `${' '.repeat(depth)}for i${depth} in range(100):\n`).join('')}${' '.repeat(8)}dag = i0\n`,
  ],
])('hostile input: %s', (_, text) => {
  readsCleanly('dags/hostile.py', text);
});
