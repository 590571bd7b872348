import { describe, expect, test } from 'vitest';
import type { TaskFacts, Unknown } from '../../../src/core/lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../../src/core/lineage/facts/workspace-facts.ts';
import type { Finding } from '../../../src/core/lint/model/finding.ts';
import type { Task, TaskId } from '../../../src/core/pipeline/model/model.ts';
import type { Problem } from '../../../src/core/text/span.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { draftDeclaration } from '../../../src/core/view/document/draft-declaration.ts';
import { makeDocumentView } from '../../../src/core/view/document/make-document-view.ts';
import { originInWords } from '../../../src/core/view/words/fact-origin.ts';
import { readingDepth, readingSummary, summaryInWords } from '../../../src/core/view/words/reading-summary.ts';
import { factsOf } from '../../support/check-files.ts';

const file = 'dags/shop.py';
const text = `import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("shop", schedule="@daily", start_date=pendulum.datetime(2026, 1, 1), catchup=False):
    SQLExecuteQueryOperator(task_id="ddl", conn_id="w", sql="CREATE TABLE mart.log (id int, logged timestamp)")
    SQLExecuteQueryOperator(task_id="sums", conn_id="w", sql="""
        DELETE FROM mart.sums WHERE day = '{{ ds }}';
        INSERT INTO mart.sums SELECT day, n FROM mart.clean WHERE day >= '{{ macros.ds_add(ds, -6) }}' AND day <= '{{ ds }}';""")
`;
const read = factsOf({ [file]: text });

const unknown = (about: Unknown['about'], table: string | undefined, marked?: string): Unknown => {
  const start = marked === undefined ? 0 : text.indexOf(marked);
  const at = marked === undefined ? undefined : { file, start, end: start + marked.length };
  return { task: 'shop.sums', about, table, message: `It is not known (${about}).`, at };
};
/** The workspace, with unknowns of one task. */
const withUnknowns = (...unknowns: readonly Unknown[]): WorkspaceFacts => {
  const facts = read.facts.get('shop.sums') as TaskFacts;
  return { ...read, facts: new Map<TaskId, TaskFacts>([...read.facts, ['shop.sums', { ...facts, unknowns }]]) };
};
const viewOf = (facts: WorkspaceFacts, problems: readonly Problem[] = [], findings: readonly Finding[] = []) =>
  makeDocumentView({
    file,
    facts,
    findings,
    problems,
    links: {
      place: (path, { line, column }) => `open:${path}#${line},${column}`,
      declare: (task) => `declare:${task}`,
    },
    choice: new Map(),
    now: instant(Date.UTC(2026, 10, 29, 12)),
    shownIn: undefined,
    variables: {},
    params: {},
    children: new Map(),
    versions: () => [],
  });

describe('a hover', () => {
  const hovering = (facts: WorkspaceFacts, over: string): string =>
    viewOf(facts)
      .hovers.filter(({ at }) => text.slice(at.start, at.end) === over)
      .map(({ markdown }) => markdown)
      .join('\n');

  test('says of each fact where it was said, with a link to it', () => {
    const said = hovering(read, '"sums"');
    expect(said).toMatch(
      /Writes `mart\.sums` — delete\+insert, day 2026-11-28.* — SQL, \[line 9\]\(open:dags\/shop\.py#9,9\)/,
    );
    expect(said).toMatch(/Reads `mart\.clean` — .* — SQL, \[line 9\]\(open:dags\/shop\.py#9,\d+\)/);
    expect(said).not.toContain('Not known');
  });

  test('over the name of a table says its window, in words and for the selected interval', () => {
    expect(hovering(read, 'mart.clean')).toMatch(
      /^Reads `mart\.clean` — day 2026-11-22 to 2026-11-28, in words .*- 6 days/,
    );
  });

  test('over the condition that cuts a table says the same', () => {
    const places = viewOf(read).hovers.filter(({ markdown }) => markdown.startsWith('Reads'));
    expect(places.map(({ at }) => text.slice(at.start, at.end))).toEqual([
      'mart.clean',
      expect.stringMatching(/^day >= '/),
    ]);
    expect(new Set(places.map(({ markdown }) => markdown)).size).toBe(1);
  });

  test('says what is not known, with its place and a way to declare it', () => {
    const said = hovering(
      withUnknowns(unknown('window', 'mart.clean', 'mart.clean'), unknown('tables', undefined)),
      '"sums"',
    );
    expect(said).toContain('Not known: It is not known \\(window\\). — [line 9](open:dags/shop.py#9,');
    expect(said).toContain('Not known: It is not known \\(tables\\).\n');
    const { reads, ...facts } = withUnknowns(unknown('window', 'mart.clean')).facts.get('shop.sums') as TaskFacts;
    const unread = reads.map((read) => ({
      ...read,
      window: { kind: 'unknown', reason: 'it says so', at: undefined } as const,
    }));
    const byRead = { ...read, facts: new Map<TaskId, TaskFacts>([['shop.sums', { ...facts, reads: unread }]]) };
    expect(hovering(byRead, '"sums"')).toContain('Reads `mart.clean` — unknown: it says so — SQL');
    expect(hovering(byRead, '"sums"')).not.toContain('Not known');
    expect(hovering(byRead, '"sums"')).toContain('[Declare in backfill.yaml]');
    expect(said.match(/\[Declare in backfill\.yaml\]\(declare:shop\.sums\)/g)).toHaveLength(1);
  });
});

test('what is not known stands at its place, else at the name of its task', () => {
  const { unknowns } = viewOf(
    withUnknowns(unknown('window', 'mart.clean', 'mart.clean'), unknown('tables', undefined)),
  );
  expect(unknowns.map(({ at, about }) => [about, text.slice(at.start, at.end)])).toEqual([
    ['window', 'mart.clean'],
    ['tables', '"sums"'],
  ]);
});

test('a finding at the same place says more', () => {
  const one = unknown('window', 'mart.clean', 'mart.clean');
  const finding = { at: one.at } as Finding;
  expect(
    viewOf(withUnknowns(one, unknown('tables', undefined)), [], [finding]).unknowns.map(({ about }) => about),
  ).toEqual(['tables']);
});

test('problems of the file are shown, once', () => {
  const { at } = unknown('table-name', undefined, 'mart.clean');
  const elsewhere = { file: 'dags/other.py', start: 0, end: 1 };
  const problems: readonly Problem[] = [
    { message: 'The same, said as a problem.', at, severity: 'info' },
    { message: 'It cannot be read.', at, severity: 'warning' },
    { message: 'There is no file x.sql.', at: { file, start: 3, end: 9 }, severity: 'warning' },
    { message: 'Not here.', at: elsewhere, severity: 'error' },
    { message: 'Nowhere.', at: undefined, severity: 'error' },
  ];
  const shown = viewOf(withUnknowns(unknown('table-name', undefined, 'mart.clean')), problems).problems;
  expect(shown.map(({ message }) => message)).toEqual(['It cannot be read.', 'There is no file x.sql.']);
});

describe('the draft of a declaration', () => {
  test.each([
    [
      'a window: its table, cut as the workspace cuts it',
      unknown('window', 'mart.sums'),
      false,
      [{ table: 'mart.sums', column: 'day' }],
      [],
    ],
    [
      'a window of a foreign table: no column',
      unknown('window', 'raw.x'),
      false,
      [{ table: 'raw.x', column: undefined }],
      [],
    ],
    [
      'a slice: the only time column of the definition',
      unknown('slice', 'mart.log'),
      false,
      [],
      [{ table: 'mart.log', column: 'logged' }],
    ],
    [
      'a slice of a foreign table: a column to fill in',
      unknown('slice', 'raw.x'),
      false,
      [],
      [{ table: 'raw.x', column: undefined }],
    ],
    [
      'code: both tables to fill in',
      unknown('tables', undefined),
      true,
      [{ table: undefined, column: undefined }],
      [{ table: undefined, column: undefined }],
    ],
  ])('for %s', (_, one, complete, reads, writes) => {
    expect(draftDeclaration('shop.sums', withUnknowns(one, one))).toEqual({
      task: 'shop.sums',
      complete,
      reads,
      writes,
    });
  });
});

describe('how much was understood', () => {
  test('of a task', () => {
    const blind: TaskFacts = {
      task: 'a',
      reads: [],
      writes: [],
      unknowns: [unknown('tables', undefined)],
      problems: [],
    };
    expect(readingDepth({ ...blind, unknowns: [] })).toBe('whole');
    expect(readingDepth(blind)).toBe('graph-only');
    const { reads } = read.facts.get('shop.sums') as TaskFacts;
    expect(readingDepth({ ...blind, reads })).toBe('partly');
    expect(readingDepth({ ...blind, reads, unknowns: [] })).toBe('whole');
  });

  test('of a workspace', () => {
    const facts = withUnknowns(unknown('window', 'mart.clean'));
    expect(summaryInWords(readingSummary(facts.pipelines, facts))).toBe('1 pipeline, 2 tasks: 1 read whole, 1 partly');
  });
});

test('a fact from an argument names the narrowest one that holds it, else what makes the access', () => {
  const at = (start: number, end: number) => ({ file, start, end });
  const task = {
    operator: 'LoadOperator',
    arguments: [
      { name: 'configuration', at: at(10, 50) },
      { name: 'write_disposition', at: at(20, 30) },
    ],
    accesses: [{ by: 'to_sql', at: at(100, 150) }],
  } as unknown as Task;
  const from = (start: number, end: number) => originInWords({ provenance: 'argument', at: at(start, end) }, task);
  expect(from(22, 28)).toBe('argument write_disposition of LoadOperator');
  expect(from(12, 28)).toBe('argument configuration of LoadOperator');
  expect(from(110, 120)).toBe('to_sql');
  expect(from(200, 210)).toBe('arguments of LoadOperator');
  expect(originInWords({ provenance: 'declared', at: undefined }, task)).toBe('declared in backfill.yaml');
});
