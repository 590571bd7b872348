import type { Span } from '../../text/span.ts';
import { pythonWhitespace } from '../python/python-value.ts';
import { unescapeString } from './unescape-string.ts';

/** A token of Jinja2's expression language; whitespace is dropped. */
export type ExpressionToken = Span &
  (
    | { readonly kind: 'name' | 'operator'; readonly text: string }
    | { readonly kind: 'string'; readonly text: string; readonly value: string }
    | { readonly kind: 'integer'; readonly text: string; readonly value: bigint }
    | { readonly kind: 'float'; readonly text: string; readonly value: number }
  );

const whitespace = new RegExp(`[${pythonWhitespace}]+`, 'y');
const name = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}_]*/uy;
const float = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy;
const integer = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy;
const string = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y;
const operator = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y;

/** The token at `at`, whitespace skipped: `end` when only whitespace is left, `undefined` when none can be read. */
export function tokenAt(text: string, at: number): ExpressionToken | 'end' | undefined {
  const start = matchEnd(whitespace, text, at) ?? at;
  if (start >= text.length) return 'end';
  const floatEnd = matchEnd(float, text, start);
  if (floatEnd !== undefined) {
    const digits = text.slice(start, floatEnd);
    return { kind: 'float', text: digits, value: Number(digits.replaceAll('_', '')), start, end: floatEnd };
  }
  const integerEnd = matchEnd(integer, text, start);
  if (integerEnd !== undefined) {
    const digits = text.slice(start, integerEnd);
    return { kind: 'integer', text: digits, value: BigInt(digits.replaceAll('_', '')), start, end: integerEnd };
  }
  const nameEnd = matchEnd(name, text, start);
  if (nameEnd !== undefined) return { kind: 'name', text: text.slice(start, nameEnd), start, end: nameEnd };
  const stringEnd = matchEnd(string, text, start);
  if (stringEnd !== undefined) {
    const quoted = text.slice(start, stringEnd);
    return { kind: 'string', text: quoted, value: unescapeString(quoted.slice(1, -1)), start, end: stringEnd };
  }
  const operatorEnd = matchEnd(operator, text, start);
  if (operatorEnd !== undefined)
    return { kind: 'operator', text: text.slice(start, operatorEnd), start, end: operatorEnd };
  return undefined;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
