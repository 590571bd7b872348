import type { SqlExpression } from '../../model/expression.ts';
import { type Cursor, operator, spanFrom, token, within, word } from '../cursor.ts';
import { readArguments } from '../read-arguments.ts';
import { clauseWords } from '../words.ts';
import { intervalOf, intervalUnit, parseInterval } from './interval-amount.ts';

/** `INTERVAL …` from its keyword; `undefined`, at the same place, when the word is a column or function. */
export function readIntervalLiteral(c: Cursor, start: number): SqlExpression | undefined {
  const next = token(c, 1);
  if (next === undefined) return undefined;
  if (next.kind === 'string') {
    c.index += 2;
    const unit = acceptUnit(c);
    const amount = unit === 'compound' ? undefined : parseInterval(next.text, unit);
    return { kind: 'interval', amount, parts: [], ...spanFrom(c, start) };
  }
  const negative = next.kind === 'operator' && (next.text === '-' || next.text === '+');
  const quantity = negative ? token(c, 2) : next;
  if (quantity?.kind === 'number') {
    c.index += negative ? 3 : 2;
    const sign = next.text === '-' ? -1 : 1;
    const unit = acceptUnit(c);
    const amount =
      unit === undefined || unit === 'compound' ? undefined : intervalOf(sign * Number(quantity.text), unit);
    return { kind: 'interval', amount, parts: [], ...spanFrom(c, start) };
  }
  if (next.kind === 'operator' && next.text === '(') {
    c.index++;
    const parts = within(c, () => readArguments(c));
    acceptUnit(c);
    return { kind: 'interval', amount: undefined, parts, ...spanFrom(c, start) };
  }
  const operand =
    next.kind === 'hole' ||
    next.kind === 'template-string' ||
    next.kind === 'parameter' ||
    ((next.kind === 'word' || next.kind === 'quoted') && !clauseWords.has(next.text) && unitBehindOperand(c)) ||
    negative;
  if (!operand) return undefined;
  c.index++;
  const part = c.grammar.expression(c, 104);
  acceptUnit(c);
  return { kind: 'interval', amount: undefined, parts: [part], ...spanFrom(c, start) };
}

function unitBehindOperand(c: Cursor): boolean {
  for (let ahead = 2; ahead < 8; ahead++) {
    if (operator(c, ahead) === '.') ahead++;
    else if (operator(c, ahead) === '(') {
      ahead = (c.match[c.index + ahead] ?? c.end) - c.index;
      return unitWord(word(c, ahead + 1)) !== undefined;
    } else return unitWord(word(c, ahead)) !== undefined;
  }
  return false;
}

const compoundUnit = /^(year|month|week|day|hour|minute|second)_(month|hour|minute|second|microsecond)$/;

const unitWord = (text: string): string | undefined =>
  compoundUnit.test(text) || text === 'microsecond' ? 'compound' : text.length > 1 ? intervalUnit(text) : undefined;

/** The unit behind the quantity: folded, `compound` for those that are not one unit, `undefined` when none stands there. */
function acceptUnit(c: Cursor): string | undefined {
  let unit = unitWord(word(c));
  if (unit === undefined) return undefined;
  c.index++;
  if (operator(c) === '(') within(c, () => undefined);
  if (word(c) === 'to' && unitWord(word(c, 1)) !== undefined) {
    c.index += 2;
    unit = 'compound';
  }
  return unit;
}
