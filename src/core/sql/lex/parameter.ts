import type { Lexis } from './lexis.ts';
import { isWordPart, isWordStart, wordEnd } from './scan-text.ts';
import type { Token } from './token.ts';

const namedFormat = /%\(\w+\)s/y;
const stagePart = /[\w$.~%/=@"-]/;
const variablePart = /[\w$.@]/;

/**
 * Where the parameter that begins at this offset ends (`:name`, `@name`, `@stage/path`, `%s`, `%(name)s`, `?`); the
 * offset itself when none begins here. `last` is the token before: behind an operand most of these are operators.
 */
export function parameterEnd(text: string, at: number, lexis: Lexis, last: Token | undefined): number {
  const next = text.charCodeAt(at + 1);
  switch (text.charCodeAt(at)) {
    case 58:
      return isWordStart(next) && !clings(last, at) ? wordEnd(text, at + 1) : at;
    case 64:
      if (!lexis.atVariables) return at;
      if (!isWordStart(next) && next !== 64 && !(lexis.stages && '~%"'.includes(text[at + 1] ?? ' '))) return at;
      return runEnd(text, at + 1, lexis.stages ? stagePart : variablePart);
    case 37:
      if (next === 40) {
        namedFormat.lastIndex = at;
        return namedFormat.test(text) ? namedFormat.lastIndex : at;
      }
      return next === 115 && !isWordPart(text.charCodeAt(at + 2)) && !isOperand(last) ? at + 2 : at;
    case 63:
      return !lexis.clientScript && !isOperand(last) && next !== 124 && next !== 38 ? at + 1 : at;
    default:
      return at;
  }
}

/** `x:path` of semi-structured data, unlike `= :name`. */
const clings = (last: Token | undefined, at: number): boolean =>
  last !== undefined && last.end === at && (last.kind !== 'operator' || last.text === ')' || last.text === ']');

const isOperand = (last: Token | undefined): boolean =>
  last !== undefined && last.kind !== 'word' && (last.kind !== 'operator' || last.text === ')' || last.text === ']');

function runEnd(text: string, from: number, part: RegExp): number {
  let end = from;
  while (end < text.length && part.test(text[end] ?? '')) end++;
  return end;
}
