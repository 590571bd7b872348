import { describe, expect, test } from 'vitest';
import type { DeclarationDraft } from '../../../src/core/view/document/draft-declaration.ts';
import { addDeclaration, declarationYaml } from '../../../src/node/config/edit/add-declaration.ts';
import { readConfig } from '../../../src/node/config/read-config.ts';

const window: DeclarationDraft = {
  task: 'shop.sum',
  complete: false,
  reads: [{ table: 'raw.orders', column: 'day' }],
  writes: [],
};
const tables: DeclarationDraft = {
  task: 'shop.export',
  complete: true,
  reads: [{ table: undefined, column: undefined }],
  writes: [{ table: 'mart.export', column: undefined }],
};

const added = (source: string | undefined, draft: DeclarationDraft) => {
  const result = addDeclaration(source, draft);
  if ('wrong' in result) throw new Error(result.wrong);
  return result;
};
/** The text with the selection marked. */
const marked = (source: string | undefined, draft: DeclarationDraft): string => {
  const { text, selection } = added(source, draft);
  const lines = text.split(/\r?\n/);
  const { start, end } = selection;
  const line = lines[start.line - 1] ?? '';
  expect(end.line).toBe(start.line);
  return `${line.slice(0, start.column - 1)}‹${line.slice(start.column - 1, end.column - 1)}›${line.slice(end.column - 1)}`;
};

const sources: Readonly<Record<string, string | undefined>> = {
  'no file': undefined,
  'an empty file': '\n',
  'a file with comments': '# ours\nversion: 1\nrules:\n  plain-insert: warning # for now\n\n# the end\n',
  'an empty section with a comment': 'version: 1\ntasks:\n  # nothing yet\n',
  'another layout':
    "version: 1\ntasks:\n    other.task:\n        # kept\n        writes:\n            - {table: 'a', column: b}\n",
  'the same task':
    'version: 1\ntasks:\n  shop.sum:\n    writes:\n      - table: mart.sum\n        volatile: [loaded_at] # late\n',
  'line ends of Windows': 'version: 1\r\nrules: {plain-insert: warning}   # ours\r\n',
};

describe.each(Object.entries(sources))('a declaration in %s', (_, source) => {
  test('of a read is valid as it stands, beside everything that was there', () => {
    const { text } = added(source, window);
    const before = readConfig('backfill.yaml', source ?? '').config;
    const { config, problems } = readConfig('backfill.yaml', text);
    expect(problems).toEqual([]);
    expect(config.declared.get('shop.sum')?.reads).toMatchObject([{ table: 'raw.orders', column: 'day' }]);
    expect(config.declared.get('shop.sum')?.writes).toEqual(before.declared.get('shop.sum')?.writes ?? []);
    expect(config.rules).toEqual(before.rules);
    for (const line of (source ?? '').split(/\r?\n/))
      if (line.trim() !== '') expect(text.split(/\r?\n/)).toContain(line);
    expect(marked(source, window)).toMatch(/^ +from: ‹start›$/);
  });

  test('of tables asks for what is not known, at its place', () => {
    expect(marked(source, tables)).toMatch(/^ +- table: ‹›$/);
    const { config, problems } = readConfig('backfill.yaml', added(source, tables).text);
    expect(problems.map(({ message }) => message)).toEqual(['table has no value', 'column has no value']);
    expect(config.declared.get('shop.export')?.complete).toBe(false);
  });
});

test('a table that is declared already gets what is missing and keeps the rest', () => {
  const source =
    'version: 1\ntasks:\n  shop.export:\n    reads: []\n    writes:\n      - table: MART.export\n        volatile: [loaded_at]\n';
  const { text } = added(source, { ...tables, reads: [] });
  expect(text).toBe(`${source}        column: \n`);
});

test('what is filled in settles everything', () => {
  const text = added(undefined, tables)
    .text.replace('table: \n', 'table: raw.a\n')
    .replace('column: \n', 'column: day\n');
  const { config, problems } = readConfig('backfill.yaml', text);
  expect(problems).toEqual([]);
  expect(config.declared.get('shop.export')).toMatchObject({
    complete: true,
    reads: [{ table: 'raw.a' }],
    writes: [{ table: 'mart.export', column: 'day' }],
  });
});

test('a task of which everything is known needs no entry', () => {
  expect(addDeclaration(undefined, { ...window, reads: [] })).toHaveProperty('wrong');
});

test('a torn file is refused', () => {
  expect(addDeclaration('tasks: [', window)).toHaveProperty('wrong');
  expect(addDeclaration('just text', window)).toHaveProperty('wrong');
});

test('entries to paste are one block for all tasks', () => {
  const text = declarationYaml([window, { ...window, task: 'shop.other' }]);
  expect(text.match(/^tasks:$/gm)).toHaveLength(1);
  expect(readConfig('backfill.yaml', `version: 1\n${text}`).problems).toEqual([]);
});
