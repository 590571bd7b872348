import type { Lexis } from './lexis.ts';
import { isWordStart, numberEnd, wordEnd } from './scan-text.ts';
import type { Token } from './token.ts';

/** Numbers with a type behind them, and such as `1e5`. */
const number = /^\d+(l|s|y|d|f|bd|e\d+[a-z]*|x[\da-f]*|b[01]+)$/i;

const suffix = /(?:l|s|y|d|f|bd)\b/iy;

/** Behind the letters of a type that cling to a number, as in `5L`; where there are none, the number's own end. */
export function typedNumberEnd(text: string, end: number, lexis: Lexis): number {
  suffix.lastIndex = end;
  return lexis.typedNumbers && suffix.test(text) ? suffix.lastIndex : end;
}

/** True at a digit that begins a name: `2024_orders`, or in a path `my-project.7days`. */
export function isDigitName(text: string, at: number, lexis: Lexis, last: Token | undefined): boolean {
  if (!lexis.digitNames && !lexis.dashedNames) return false;
  if (!isWordStart(text.charCodeAt(numberEnd(text, at)))) return false;
  if (lexis.digitNames) return !number.test(text.slice(at, wordEnd(text, at)));
  return last?.end === at && (last.text === '-' || last.text === '.');
}
