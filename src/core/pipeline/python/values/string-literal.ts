import type { SyntaxNode } from '../syntax/syntax-tree.ts';
import type { TextBuilder } from './text-value.ts';

/** Prefix letters of a literal, lower case, and the quotes. */
export interface StringStart {
  readonly raw: boolean;
  readonly formatted: boolean;
  readonly bytes: boolean;
}

export function stringStart(text: string): StringStart {
  const prefix = text.toLowerCase();
  return { raw: prefix.includes('r'), formatted: /[ft]/.test(prefix), bytes: prefix.includes('b') };
}

const simpleEscapes: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const specials = /\\|\r\n?|\{\{|\}\}/g;

/**
 * Decodes the characters `[start, end)` of a string literal as Python does: escapes, doubled braces of f-strings,
 * and line ends, which Python reads as `\n` whatever the file has.
 */
export function appendStringContent(
  builder: TextBuilder,
  source: string,
  file: string,
  span: { readonly start: number; readonly end: number },
  literal: StringStart,
): void {
  let at = span.start;
  const exactUpTo = (to: number): void => {
    builder.exact(source.slice(at, to), { file, start: at, end: to });
    at = to;
  };
  // Cut off, or the search for each literal without specials would go on to the end of the file.
  const upToEnd = source.slice(0, span.end);
  specials.lastIndex = span.start;
  for (;;) {
    const match = specials.exec(upToEnd);
    if (match === null) break;
    const found = match[0];
    const start = match.index;
    if (found.startsWith('\r')) {
      exactUpTo(start);
      at = Math.min(start + found.length, span.end);
      builder.derived('\n', { file, start, end: at });
    } else if (found === '\\') {
      const decoded = literal.raw ? undefined : escapeAt(source, start, span.end);
      if (decoded === undefined) {
        // An unknown escape, or one of a raw string, keeps its backslash.
        specials.lastIndex = start + 1;
        continue;
      }
      exactUpTo(start);
      at = start + decoded.length;
      builder.derived(decoded.text, { file, start, end: at });
    } else if (literal.formatted) {
      exactUpTo(start);
      at = start + 2;
      builder.derived(found.charAt(0), { file, start, end: at });
    } else {
      specials.lastIndex = start + 1;
      continue;
    }
    specials.lastIndex = at;
  }
  exactUpTo(span.end);
}

function escapeAt(source: string, start: number, end: number): { text: string; length: number } | undefined {
  const next = source.charAt(start + 1);
  const simple = simpleEscapes[next];
  if (simple !== undefined) return { text: simple, length: 2 };
  if (next === '\n') return { text: '', length: 2 };
  if (next === '\r') return { text: '', length: source.charAt(start + 2) === '\n' ? 3 : 2 };
  const rest = source.slice(start + 1, Math.min(end, start + 60));
  const octal = /^[0-7]{1,3}/.exec(rest);
  if (octal) return { text: String.fromCharCode(Number.parseInt(octal[0], 8)), length: 1 + octal[0].length };
  const hex = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(rest);
  if (hex) {
    const code = Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16);
    if (code <= 0x10ffff) return { text: String.fromCodePoint(code), length: 1 + hex[0].length };
  }
  return undefined;
}

/** The parts of a `string` node between its quotes: literal stretches and f-string interpolations, in order. */
export function stringParts(node: SyntaxNode): {
  readonly start: SyntaxNode | undefined;
  readonly parts: readonly SyntaxNode[];
} {
  return {
    start: node.children.find((child) => child.type === 'string_start'),
    parts: node.children.filter((child) => child.type === 'string_content' || child.type === 'interpolation'),
  };
}
