import type { Token } from '../lex/token.ts';
import { beginning } from '../script/split-transact.ts';

const comparing = new Set(['=', '<>', '!=', '<', '>', '<=', '>=', '+', '-']);
const beforeValue = new Set(['between', 'and', 'or', 'where', 'on', 'when', 'not']);

/**
 * The tokens of a body of PL/pgSQL, with each variable that is compared or counted with as a parameter: its value is known only
 * where it runs, and it is no column of the tables around it. Elsewhere a name may be one of a column or of a target.
 */
export function withVariablesAsParameters(tokens: readonly Token[]): readonly Token[] {
  const names = declaredNames(tokens);
  if (names.size === 0) return tokens;
  return tokens.map((here, index) => {
    const isOne = here.kind === 'word' && names.has(here.text) && isValue(tokens, index);
    return isOne ? { ...here, kind: 'parameter', text: '$1' } : here;
  });
}

/** A call is none, and neither is a member of a row: that one is a column of where the row comes from. */
function isValue(tokens: readonly Token[], index: number): boolean {
  const [before, next] = [tokens[index - 1], tokens[index + 1]?.text ?? ''];
  if (next === '(' || next === '.') return false;
  if (before?.kind === 'word') return beforeValue.has(before.text);
  if (before?.kind !== 'operator') return false;
  return comparing.has(before.text) || (before.text === '(' && comparing.has(next));
}

/** Names behind DECLARE, up to BEGIN, and those that a loop gives values to; a cursor has none. */
function declaredNames(tokens: readonly Token[]): ReadonlySet<string> {
  const names = new Set<string>();
  let declares = false;
  for (const [index, here] of tokens.entries()) {
    if (here.kind !== 'word') continue;
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    if (here.text === 'begin') declares = false;
    else if (here.text === 'declare') declares = true;
    else if (declares && (before?.kind === 'terminator' || before?.text === 'declare')) {
      // Behind a BEGIN, as MySQL has it, the first statement ends the declarations.
      if (beginning.has(here.text)) declares = false;
      else if (next?.text !== 'cursor' && next?.kind === 'word') names.add(here.text);
    } else if (next?.text === 'in' && (before?.text === 'for' || before?.text === 'foreach')) names.add(here.text);
  }
  return names;
}
