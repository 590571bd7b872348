import type { Token } from './token.ts';

/** Words behind which only a name, a bracket or a query stands. */
const beforeNames = new Set('from join into update table view exec execute truncate merge'.split(' '));
/** Words behind which a value stands. */
const beforeValues = new Set(
  'select distinct where and or not on by set when then else case between having in like as'.split(' '),
);

/** How far back a list is looked for that may be open. */
const nearTokens = 40;

/** A part `$(name)` is a variable of sqlcmd. */
const name = /\[(?:[\p{L}_]|\$\(\w+\))(?:[\p{L}\p{N}_ $#.:-]|\$\(\w+\))*\]/uy;

/**
 * `[dbo].[orders]` of SQL Server: the place of the closing bracket, or -1 where the bracket opens a list or an index.
 * `inValues`: no list of values of the dialect begins with a bracket alone, so it may be a name there too.
 */
export function bracketNameEnd(
  text: string,
  at: number,
  tokens: readonly Token[],
  statementStart: number,
  inValues: boolean,
): number {
  const last = tokens[tokens.length - 1];
  if (last === undefined || !isBeforeName(last, tokens, statementStart, inValues)) return -1;
  name.lastIndex = at;
  const found = name.exec(text);
  return found === null ? -1 : at + found[0].length - 1;
}

function isBeforeName(last: Token, tokens: readonly Token[], statementStart: number, inValues: boolean): boolean {
  if (last.kind === 'word') return beforeNames.has(last.text) || (inValues && beforeValues.has(last.text));
  if (last.kind !== 'operator') return false;
  return last.text === '.' || (inValues && beginsValue(last, tokens, statementStart));
}

/** An operator behind which a value stands, and not in a list of PostgreSQL's (`ARRAY[[a], [b]]`). */
function beginsValue(last: Token, tokens: readonly Token[], statementStart: number): boolean {
  if (/^[)\]]$/.test(last.text) || last.text === '[') return false;
  const near = tokens.slice(Math.max(statementStart, tokens.length - nearTokens));
  const lastOf = (mark: string): number => near.findLastIndex(({ kind, text }) => kind === 'operator' && text === mark);
  return lastOf(']') >= lastOf('[');
}
