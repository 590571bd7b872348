import { withoutLeadingComments } from '../../sql/lex/leading-comments.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { RenderedStatement } from '../unit/unit-job.ts';
import type { Target } from './target.ts';
import { isSameName } from './upsert-keys.ts';

/** Statements that may do anything to any table. */
const opaque = /^[\s(;]*(?:do|call|execute)\b/i;

/**
 * Whether a task does nothing to a table but take all of its rows away, as the first step of a chain that fills it again
 * does: that none are left is then what it is for. A DELETE with a condition may have the wrong one.
 */
export function onlyEmpties(
  statements: readonly RenderedStatement[],
  { slice, qualified }: Pick<Target, 'slice' | 'qualified'>,
): boolean {
  if (statements.some(({ text }) => opaque.test(withoutLeadingComments(text)))) return false;
  const all = statements
    .flatMap(({ text }) => readSql(plainText(text), 'postgres').statements)
    .flatMap((statement) => [statement, ...statement.modifying]);
  const own = all.filter(({ targets, target }) =>
    [...targets, ...(target === undefined ? [] : [target])].some(
      ({ name }) => isSameName(name, slice.table) || isSameName(name, qualified),
    ),
  );
  return (
    own.length > 0 &&
    own.every(({ kind, where, from }) => kind === 'truncate' || (kind === 'delete' && where.length + from.length === 0))
  );
}
