import type { Span } from '../../text/span.ts';

/** The text between a comment's delimiters; `line` comments run to the end of their line. */
export interface Comment extends Span {
  readonly text: string;
}

/** A string literal of a Python file: `content` lies between the quotes. */
export interface PythonString {
  readonly prefix: string;
  readonly quote: string;
  readonly content: Span;
}

const pythonString = /([rbuf]{0,3})('''|"""|'|")/iy;

/**
 * Strings and comments of a Python file, by its token rules alone, so that half-typed code is read too: a string that
 * is not closed ends with its line (or, for triple quotes, with the file).
 */
export function pythonStringsAndComments(text: string): {
  readonly strings: readonly PythonString[];
  readonly comments: readonly Comment[];
} {
  const strings: PythonString[] = [];
  const comments: Comment[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '#') {
      const end = lineEnd(text, at);
      comments.push({ start: at + 1, end, text: text.slice(at + 1, end) });
      at = end;
      continue;
    }
    pythonString.lastIndex = at;
    const opening = pythonString.exec(text);
    if (opening === null) {
      const word = /\w+/y;
      word.lastIndex = at;
      at += word.exec(text)?.[0].length ?? 1;
      continue;
    }
    const quote = opening[2] ?? '"';
    const start = at + opening[0].length;
    const end = stringEnd(text, start, quote);
    strings.push({ prefix: (opening[1] ?? '').toLowerCase(), quote, content: { start, end } });
    at = Math.max(start, text.startsWith(quote, end) ? end + quote.length : end);
  }
  return { strings, comments };
}

/** Comments of SQL with Jinja: `--`, nested block comments and `{# #}`, outside quotes. Offsets move by `offset`. */
export function sqlComments(text: string, offset = 0): readonly Comment[] {
  const comments: Comment[] = [];
  const token = /--|\/\*|\{#|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|\$(\w*)\$/g;
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const start = match.index;
    const from = start + 2;
    if (match[0] === '--') token.lastIndex = push(from, lineEnd(text, from));
    else if (match[0] === '/*') token.lastIndex = push(from, blockEnd(text, from)) + 2;
    else if (match[0] === '{#') token.lastIndex = push(from, indexOrEnd(text, '#}', from)) + 2;
    else if (match[0].startsWith('$')) {
      const close = text.indexOf(match[0], start + match[0].length);
      if (close >= 0) token.lastIndex = close + match[0].length;
    }
  }
  return comments;

  function push(from: number, to: number): number {
    comments.push({ start: offset + from, end: offset + to, text: text.slice(from, to) });
    return to;
  }
}

/** Every comment of a workspace file in which a person may speak to the checker. */
export function commentsOf(file: string, text: string): readonly Comment[] {
  if (!file.endsWith('.py')) return sqlComments(text);
  const { strings, comments } = pythonStringsAndComments(text);
  const inStrings = strings.flatMap(({ content }) =>
    sqlComments(text.slice(content.start, content.end), content.start),
  );
  return [...comments, ...inStrings].sort((a, b) => a.start - b.start);
}

function lineEnd(text: string, from: number): number {
  const rest = /[\r\n]/g;
  rest.lastIndex = from;
  return rest.exec(text)?.index ?? text.length;
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found;
}

function blockEnd(text: string, from: number): number {
  let depth = 1;
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return match.index;
  }
  return text.length;
}

function stringEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (quote.length === 1 && (char === '\n' || char === '\r')) return at;
    else if (text.startsWith(quote, at)) return at;
  }
  return text.length;
}
