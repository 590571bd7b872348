import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';

/** Dialects that a file of SQL Server is read in: nothing else is known of it, or a default was taken. */
const mayBe: ReadonlySet<DialectName> = new Set(['ansi', 'postgres']);

const known = new WeakMap<readonly Token[], boolean>();

/** A script of SQL Server, whose statements end where the next one begins. */
export function isTransact(tokens: readonly Token[], dialect: DialectName): boolean {
  if (!mayBe.has(dialect)) return false;
  const answer = known.get(tokens) ?? tokens.some((_, index) => isSign(tokens, index));
  known.set(tokens, answer);
  return answer;
}

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
