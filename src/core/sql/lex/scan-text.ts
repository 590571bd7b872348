import type { Span } from '../../text/span.ts';

/** Where quoted pieces of SQL end. Every function answers the offset behind the piece, or -1 when it never ends. */

export const isSpace = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000 || code === 0xfeff;

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

export const isWordStart = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  code === 95 ||
  (code >= 0x80 && code !== 0xa0 && code !== 0x3000 && code !== 0xfeff);

export const isWordPart = (code: number): boolean => isWordStart(code) || isDigit(code) || code === 36;

export function wordEnd(text: string, from: number): number {
  let at = from;
  while (isWordPart(text.charCodeAt(at))) at++;
  return at;
}

const variable = /\$\{[\w.:-]+\}/y;

/** Behind the `${name}` that begins here, which the tool that runs the file fills in; the offset itself when none does. */
export function variableEnd(text: string, at: number): number {
  variable.lastIndex = at;
  return variable.test(text) ? variable.lastIndex : at;
}

export function lineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) break;
    at++;
  }
  return at;
}

export function quotedEnd(text: string, open: number, backslash: boolean): number {
  const quote = text.charCodeAt(open);
  for (let at = open + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (backslash && code === 92) at++;
    else if (code === quote) {
      if (text.charCodeAt(at + 1) === quote) at++;
      else return at + 1;
    }
  }
  return -1;
}

/** The content of `q'[it's]'`, the alternative quoting; its closing bracket and quote follow. */
export function bracketQuote(text: string, at: number): Span | undefined {
  const open = text[at + 2];
  if (open === undefined || !'[{(<!|'.includes(open)) return undefined;
  const closing = { '[': ']', '{': '}', '(': ')', '<': '>' }[open] ?? open;
  const end = text.indexOf(`${closing}'`, at + 3);
  return end < 0 ? undefined : { start: at + 3, end };
}

/** `nested` counts inner openings, as the standard and Postgres do. */
export function commentEnd(text: string, open: number, nested: boolean): number {
  if (!nested) {
    const close = text.indexOf('*/', open + 2);
    return close < 0 ? -1 : close + 2;
  }
  let depth = 1;
  for (let at = open + 2; at < text.length - 1; at++) {
    const code = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    if (code === 47 && next === 42) {
      depth++;
      at++;
    } else if (code === 42 && next === 47) {
      depth--;
      at++;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** The `$tag$` that opens a dollar quote at this offset, if one does. */
export function dollarTag(text: string, at: number): string | undefined {
  let end = at + 1;
  if (isDigit(text.charCodeAt(end))) return undefined;
  while (end < text.length && isWordPart(text.charCodeAt(end)) && text.charCodeAt(end) !== 36) end++;
  return text.charCodeAt(end) === 36 ? text.slice(at, end + 1) : undefined;
}

const statementBehindLine =
  /;[ \t]*(?:\r\n|\r|\n)\s*(?:insert|delete|update|merge|create|drop|alter|truncate|begin|commit|select|with|copy)\b/i;

/** True when a supposed string runs over the end of a statement into the next one: its closing quote is missing. */
export const swallowsStatement = (content: string): boolean => statementBehindLine.test(content);

/** The end of the first line of an unclosed string, name or comment, before the `;` that closes its statement. */
export function brokenEnd(text: string, open: number): number {
  let end = lineEnd(text, open);
  while (end > open + 1 && isSpace(text.charCodeAt(end - 1))) end--;
  if (end > open + 1 && text.charCodeAt(end - 1) === 59) end--;
  return end;
}

/** The letters of `0x`, `0o` and `0b`. */
const radixes = new Set([120, 111, 98]);

/** `12`, `1_000.5e-3`, `.5`, `0xff`; a dot in front of a name is not part of the number. */
export function numberEnd(text: string, from: number): number {
  let end = from;
  if (text.charCodeAt(end) === 48 && radixes.has(text.charCodeAt(end + 1) | 32)) return wordEnd(text, end + 2);
  const digits = (): void => {
    while (isDigit(text.charCodeAt(end)) || text.charCodeAt(end) === 95) end++;
  };
  digits();
  if (text.charCodeAt(end) === 46 && text.charCodeAt(end + 1) !== 46 && !isWordStart(text.charCodeAt(end + 1))) {
    end++;
    digits();
  }
  if ((text.charCodeAt(end) | 32) === 101) {
    const signed = text.charCodeAt(end + 1) === 43 || text.charCodeAt(end + 1) === 45;
    const exponent = end + (signed ? 2 : 1);
    if (isDigit(text.charCodeAt(exponent))) {
      end = exponent;
      digits();
    }
  }
  return end;
}

/** A name in quotes with escapes: `U&"d\0061t"`, `U&"d!0061t" UESCAPE '!'`. */
export interface UnicodeName {
  readonly name: string;
  /** Behind it, what says its escape included. */
  readonly end: number;
  readonly content: { readonly start: number; readonly end: number };
}

const escapeSaid = /\s+uescape\s+'([^'])'/iy;

/** `undefined`: it is never closed. `at`: of the U. */
export function unicodeName(text: string, at: number): UnicodeName | undefined {
  const close = quotedEnd(text, at + 2, false);
  if (close < 0) return undefined;
  escapeSaid.lastIndex = close;
  const said = escapeSaid.exec(text)?.[1];
  const end = said === undefined ? close : escapeSaid.lastIndex;
  const content = { start: at + 3, end: close - 1 };
  const mark = `[${(said ?? '\\').replace(/[\\\]^-]/g, '\\$&')}]`;
  const escapes = new RegExp(`${mark}(?:(${mark})|\\+([0-9a-f]{6})|([0-9a-f]{4}))`, 'gi');
  const name = text
    .slice(content.start, content.end)
    .replaceAll('""', '"')
    .replace(escapes, (_, own?: string, long?: string, short?: string) =>
      own === undefined ? characterOf(long ?? short ?? '') : own,
    );
  return { name, end, content };
}

function characterOf(digits: string): string {
  const code = Number.parseInt(digits, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}
