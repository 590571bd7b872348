import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';

/** Dialects that a file of SQL Server is read in: nothing else is known of it, or a default was taken. */
const mayBe: ReadonlySet<DialectName> = new Set(['ansi', 'postgres']);

const known = new WeakMap<readonly Token[], boolean>();

/** A script of SQL Server, whose statements end where the next one begins. */
export function isTransact(tokens: readonly Token[], dialect: DialectName): boolean {
  if (!mayBe.has(dialect)) return false;
  const answer =
    known.get(tokens) ??
    (tokens.some((_, index) => isSign(tokens, index)) ||
      (tokens.some((_, index) => isOwned(tokens, index)) && !tokens.some(isOfOthers)));
  known.set(tokens, answer);
  return answer;
}

/** `dbo.orders`: the schema that every database of SQL Server has. */
const isOwned = (tokens: readonly Token[], index: number): boolean => {
  const here = tokens[index];
  return /^(?:word|quoted)$/.test(here?.kind ?? '') && here?.text === 'dbo' && tokens[index + 1]?.text === '.';
};

/** Words of PostgreSQL and Oracle, whose tables may have come from SQL Server with the name of their schema. */
const isOfOthers = ({ kind, text }: Token): boolean =>
  kind === 'word' && /^(?:plpgsql|conflict|returning|loop|elsif)$/.test(text);

/** What no other dialect says: a variable that is declared, set or compared, a block that catches, options of a session. */
function isSign(tokens: readonly Token[], index: number): boolean {
  const here = tokens[index];
  if (here?.kind !== 'word') return false;
  const next = tokens[index + 1];
  switch (here.text) {
    case 'declare':
    case 'set':
    case 'while':
    case 'if':
    case 'exec':
      return next?.text.startsWith('@') === true;
    case 'nocount':
    case 'xact_abort':
      return tokens[index - 1]?.text === 'set';
    case 'begin':
      return next?.kind === 'word' && (next.text === 'try' || next.text === 'catch');
    case 'object_id':
      return next?.text === '(';
    default:
      return false;
  }
}
