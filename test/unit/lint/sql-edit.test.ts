import { expect, test } from 'vitest';
import type { LintContext } from '../../../src/core/lint/context/lint-context.ts';
import { editSql } from '../../../src/core/lint/fixes/sql-edit.ts';
import { pythonStringsAndComments } from '../../../src/core/lint/source/comments.ts';
import type { StatementView } from '../../../src/core/lint/source/statement-view.ts';

/** Puts a text behind the SQL `a` of a string, in front of what follows there; `undefined` where it is not possible. */
function put(newText: string, string: string): string | undefined {
  const { strings } = pythonStringsAndComments(string);
  const context = { text: () => string, pythonStrings: () => strings } as unknown as LintContext;
  const source = { file: 'dag.py', ...strings[0]?.content };
  const piece = { at: 0, length: (source.end ?? 0) - (source.start ?? 0), exact: true, source };
  const view = { sql: { source: { pieces: [piece] }, pythonHoles: [] } } as unknown as StatementView;
  return editSql(context, view, [{ start: 1, end: 1, newText }])?.[0]?.newText;
}

test.each([
  ['"n"', '"""a;"""', true],
  ['"n"', "'''a'''", true],
  ['"n"', '"""a"""', false],
  ['n""', '"""a"b"""', false],
  ['n"""', '"""a;"""', false],
  ['"n"', '"a;"', false],
  ['\\d', 'r"a"', true],
  ['\\d', '"a"', false],
  ['\\', 'r"a"', false],
  ['n', 'f"a"', false],
])('%s inside %s: %s', (newText, string, possible) => {
  expect(put(newText, string)).toBe(possible ? newText : undefined);
});
