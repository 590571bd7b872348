import { describe, expect, test } from 'vitest';
import { type Returned, readTerm } from '../../../src/core/lineage/repeats/read-term.ts';
import type { RowScope } from '../../../src/core/lineage/repeats/row-scope.ts';
import { secondRun } from '../../../src/core/lineage/repeats/second-run.ts';
import { readSql } from '../../../src/core/sql/read-sql.ts';
import { plain } from '../sql/support.ts';

const scope = (text: string): RowScope => ({
  text,
  own: ({ name }) => name,
  follow: () => [],
  isAny: () => false,
  starred: () => [],
  inside: () => scope(text),
  block: undefined,
});

function expressionOf(sql: string): Returned {
  const text = `select ${sql.replace(/^if: /, '')}`;
  const [item] = readSql(plain(text), 'postgres').statements[0]?.query?.select ?? [];
  if (item === undefined) throw new Error(`${text} selects nothing`);
  return { expression: item.expression, text, conditional: sql.startsWith('if: ') };
}

/** What a second `UPDATE t SET n = f(n)` does where f returns these in turn, those after `if: ` in a branch. */
function again(...returns: readonly string[]): string | undefined {
  const { expression, text } = expressionOf('f(n)');
  const returned = returns.map(expressionOf);
  const term = readTerm(expression, scope(text), { returned: () => returned, by: 'key', typeOf: () => undefined });
  const found = secondRun({
    columns: [{ column: 'n', term, at: undefined }],
    conditions: [],
    isVague: false,
    guarded: false,
  }).get('n');
  return found?.kind === 'open' ? found.why : found?.kind;
}

describe('a routine that returns in several places', () => {
  test('is what it comes to in the end where its branches give the value itself or a fixed one', () => {
    expect(again('n + 1')).toBe('changes');
    expect(again('if: 0', 'n + 1')).toBe('changes');
    expect(again('if: n', 'if: 0', 'n + 1')).toBe('changes');
    expect(again('if: 0', 'greatest(n, 3)')).toBe('same');
    expect(again('if: 0', 'n')).toBe('same');
  });

  test('is not known where a branch makes something of the value', () => {
    expect(again('if: n + 1', 'n')).toBe('which RETURN of f(…) is reached');
    expect(again('if: n + 1', 'if: n - 1', '0')).toBe('which RETURN of f(…) is reached');
    expect(again('f(n - 1)')).toBe('whether f(…) of what it has made is the same again');
    expect(again('if: n + 1', 'n * 2')).toBe('which RETURN of f(…) is reached');
  });
});
