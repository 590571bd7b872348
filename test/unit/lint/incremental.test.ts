import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DeclaredFacts, DeclaredTask } from '../../../src/core/lineage/facts/declared-facts.ts';
import type { WorkspaceFacts } from '../../../src/core/lineage/facts/workspace-facts.ts';
import { buildWorkspaceFacts } from '../../../src/core/lineage/workspace/build-workspace-facts.ts';
import { createWorkspaceIndex } from '../../../src/core/lineage/workspace/workspace-index.ts';
import { checkWorkspace, createWorkspaceChecker } from '../../../src/core/lint/check.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import type { WorkspaceReading } from '../../../src/core/pipeline/model/workspace-reading.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf, folderFiles } from '../../support/folder-files.ts';
import { lawRuns } from '../../support/laws.ts';

const parser = await loadPythonParser();
const root = new URL('../../../', import.meta.url);

const scheduled = '-- backfill: schedule=@daily start=2026-01-01\n';

/** Small files that decide about each other: how a table is made, spelled, viewed, cut and read. */
const entangled: ReadonlyMap<string, string> = new Map([
  ['ddl/days.sql', 'CREATE TABLE mart.days (day date PRIMARY KEY, amount int, loaded_at timestamptz);\n'],
  ['ddl/orders.sql', 'CREATE TABLE raw.orders (id int, day timestamptz);\n'],
  ['ddl/latest.sql', 'CREATE VIEW latest AS SELECT DISTINCT ON (day) * FROM mart.sums ORDER BY day;\n'],
  [
    'jobs/days.sql',
    `${scheduled}DELETE FROM mart.days\nWHERE day >= '{{ ds }}';\nINSERT INTO mart.days SELECT day, count(*)\nFROM raw.orders WHERE day >= '{{ ds }}' GROUP BY day;\n`,
  ],
  ['jobs/more.sql', `${scheduled}INSERT INTO mart.days (day, amount)\nSELECT day, 1 FROM raw.orders;\n`],
  [
    'jobs/sums.sql',
    `${scheduled}-- backfill-disable-next-line plain-insert\nINSERT INTO mart.sums\nSELECT day, now() FROM days\nWHERE loaded_at < '{{ data_interval_end }}' AND day >= '{{ ds }}';\n`,
  ],
  [
    'dags/copies.py',
    `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("copies", schedule="@daily", start_date=datetime(2024, 1, 1)):
    a = SQLExecuteQueryOperator(task_id="a", conn_id="dw", sql="../jobs/more.sql")
    b = SQLExecuteQueryOperator(task_id="b", conn_id="dw", sql="DELETE FROM mart.copies WHERE day = '{{ ds }}'; INSERT INTO mart.copies SELECT day FROM mart.days")
    a >> b
`,
  ],
]);

/** Those, beside workspaces of the project. */
const start: ReadonlyMap<string, string> = new Map([
  ...['examples/shop/', 'test/fixtures/pipeline/cross/']
    .flatMap((folder) => [...folderFiles(new URL(folder, root))])
    .filter(([path]) => /\.(py|sql)$/.test(path)),
  ...entangled,
  ['requirements.txt', 'apache-airflow==2.10.4\n'],
]);

type Edit = { readonly kind: (typeof kinds)[number]; readonly a: number; readonly b: number; readonly c: number };
const kinds = [
  ...(['drop line', 'repeat line', 'put word', 'put word', 'put letters', 'cut', 'restore', 'restore'] as const),
  ...(['remove', 'rename', 'copy', 'define', 'swap files', 'declare', 'version'] as const),
];
const edits = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), a: fc.nat(9999), b: fc.nat(9999), c: fc.nat(9999) }),
  { minLength: 1, maxLength: 12 },
);

interface State {
  readonly files: Map<string, string>;
  declared: DeclaredFacts;
}

const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];

/** Names of tables are most worth exchanging: they are what joins one file with another. */
const wordsOf = (text: string): readonly RegExpExecArray[] => [...text.matchAll(/\b[a-z_]+(\.[a-z_]+)?\b/g)];

function apply({ kind, a, b, c }: Edit, state: State): void {
  const { files } = state;
  const paths = [...files.keys()].filter((path) => /\.(py|sql)$/.test(path)).sort();
  const mostly = paths.filter((path) => a % 4 === 0 || entangled.has(path));
  const path = pick(mostly, a >> 2) ?? 'jobs/new.sql';
  const text = files.get(path) ?? '';
  const lines = text.split('\n');
  const words = wordsOf(text);
  const put = (from: number, to: number, word: string) => files.set(path, text.slice(0, from) + word + text.slice(to));
  const allWords = [...files.values()].flatMap((one) => wordsOf(one).map(([word]) => word));
  const tables = allWords.filter((word) => word.includes('.'));
  switch (kind) {
    case 'drop line':
      lines.splice(b % lines.length, 1 + (c % 3));
      files.set(path, lines.join('\n'));
      break;
    case 'repeat line':
      lines.splice(b % lines.length, 0, lines[c % lines.length] ?? '');
      files.set(path, lines.join('\n'));
      break;
    case 'put word': {
      const word = pick(words, b);
      if (word !== undefined)
        put(word.index, word.index + word[0].length, pick(c % 2 === 0 ? tables : allWords, c >> 1) ?? '');
      break;
    }
    case 'put letters':
      put(
        b % (text.length + 1),
        b % (text.length + 1),
        pick(['x', '(', '"', ' now() ', '\n', '{{ ds }}', "'"], c) ?? '',
      );
      break;
    case 'cut':
      files.set(path, text.slice(0, b % (text.length + 1)));
      break;
    case 'restore': {
      const original = pick([...(b % 3 === 0 ? start : entangled)], b);
      if (original !== undefined) files.set(...original);
      break;
    }
    case 'remove':
      files.delete(path);
      break;
    case 'rename':
      files.delete(path);
      files.set(
        path.replace(/\w+(?=\.\w+$)/, (name) => `${pick(['a', 'z', ''], b)}${name}`),
        text,
      );
      break;
    case 'copy':
      files.set(
        path.replace(/\w+(?=\.\w+$)/, (name) => `${name}_${b % 3}`),
        text,
      );
      break;
    case 'define': {
      // Another schema makes a bare name mean two tables, or none.
      const name = (pick(tables, b) ?? 'mart.days').replace(
        /^\w+/,
        (schema) => pick([schema, 'other'], b >> 4) ?? schema,
      );
      files.set(`ddl/more_${a % 3}.sql`, `CREATE TABLE ${name} (day ${pick(['date', 'timestamptz'], c)} UNIQUE);\n`);
      break;
    }
    case 'swap files': {
      const other = pick(paths, b) ?? path;
      files.set(path, files.get(other) ?? '');
      files.set(other, text);
      break;
    }
    case 'declare':
      state.declared = declaredFor(pick(taskIds, a) ?? '', pick(tables, b) ?? 'mart.days', c);
      break;
    case 'version':
      files.set('requirements.txt', `apache-airflow==${pick(['2.10.4', '3.0.1'], a)}\n`);
      break;
  }
}

const fresh = (files: ReadonlyMap<string, string>) =>
  createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(files));
const taskIds = [...buildWorkspaceFacts(fresh(start), new Map()).tasks.keys()];

function declaredFor(task: string, table: string, which: number): DeclaredFacts {
  const read = { table, column: pick([undefined, 'day'], which), window: 'all' as const };
  const write = { table, column: pick(['day', undefined], which), key: [], volatile: ['loaded_at'] };
  const said: DeclaredTask = { reads: which % 3 === 0 ? [] : [read], writes: which % 5 === 0 ? [] : [write] };
  return which % 7 === 0 ? new Map() : new Map([[task, said]]);
}

const plain = ({ files }: WorkspaceReading, { text: _, ...facts }: WorkspaceFacts, findings: unknown) => ({
  files,
  facts,
  findings,
});

test('after any edits everything is as though the workspace were read for the first time', () => {
  const seen = { tasks: 0, findings: 0 };
  fc.assert(
    fc.property(edits, (sequence) => {
      const state: State = { files: new Map(start), declared: new Map() };
      const reader = createWorkspaceReader(parser, defaultReaderOptions);
      const index = createWorkspaceIndex();
      const checker = createWorkspaceChecker();
      const options = { severities: {} };
      for (const edit of [undefined, ...sequence]) {
        if (edit !== undefined) apply(edit, state);
        const files = fileSetOf(new Map(state.files));
        const reading = reader.read(files);
        const facts = index.update(reading, state.declared);
        const findings = checker.start(facts, options).findings();
        const kept = plain(reading, facts, findings);
        const anew = fresh(state.files);
        const newFacts = buildWorkspaceFacts(anew, state.declared);
        const first = plain(anew, newFacts, checkWorkspace(newFacts, options));
        seen.tasks += facts.tasks.size;
        seen.findings += findings.length;
        // The comparison by parts is slow, and only wanted where something differs.
        if (!isDeepStrictEqual(kept, first)) expect(kept).toEqual(first);
        for (const path of state.files.keys()) expect(reading.text(path)).toBe(anew.text(path));
      }
    }),
    { numRuns: lawRuns(15) },
  );
  expect(seen.tasks).toBeGreaterThan(0);
  expect(seen.findings).toBeGreaterThan(0);
});
