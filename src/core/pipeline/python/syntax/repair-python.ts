/** Characters that were put into a text so that it can be read; `at` is an offset into the text as it was. */
export interface Insertion {
  readonly at: number;
  readonly text: string;
}

interface Open {
  readonly closer: string;
  /** White space before the first word of the line on which it was opened. */
  readonly indent: number;
  readonly lineEnd: number;
}

const closers: Readonly<Record<string, string | undefined>> = { '(': ')', '[': ']', '{': '}' };
const stringStart = /[rbuft]{0,3}('''|"""|'|")/iy;

/** A line that can only begin a statement, or looks so much like one that half-typed code before it is the reason. */
const statementStart =
  /(?:[a-z_][\w.]*\s*(?:=(?!=)|>>|<<|\(|\[|\.)|@|(?:with|def|class|for|if|elif|else|try|except|finally|return|import|from|async|while|raise|pass|del|assert)\b)/iy;

/**
 * The brackets and quotes that half-typed code still lacks, by the lines: a quote ends with its line, and a bracket is
 * closed where the next statement begins, no deeper than the one that opened it. Only for a text that is not valid:
 * valid code may be laid out otherwise.
 */
export function missingClosers(text: string): readonly Insertion[] {
  const found: Insertion[] = [];
  let open: Open[] = [];
  let codeEnd = 0;
  let indent = indentAt(text, 0);
  let lineEnd = endOfLine(text, 0);
  let atLineStart = true;
  for (let at = 0; at < text.length; ) {
    const char = text.charAt(at);
    if (char === '\n' || char === '\r') {
      at++;
      indent = indentAt(text, at);
      lineEnd = endOfLine(text, at);
      atLineStart = true;
      if (open[0] !== undefined && indent <= open[0].indent && matches(statementStart, text, at + indent)) {
        found.push({ at: codeEnd, text: closing(open) });
        open = [];
      }
      continue;
    }
    if (char === ' ' || char === '\t') {
      at++;
      continue;
    }
    if (char === '#') {
      at = lineEnd;
      continue;
    }
    stringStart.lastIndex = at;
    const quote = stringStart.exec(text)?.[1];
    if (quote !== undefined) {
      const { end, closed } = stringEnd(text, stringStart.lastIndex, quote, indent);
      if (!closed) found.push({ at: end, text: quote + (open.length > 0 ? commaAt(text, end) : '') });
      at = end;
      lineEnd = endOfLine(text, at);
    } else if (closers[char] !== undefined) {
      open.push({ closer: closers[char], indent, lineEnd });
      at++;
    } else if (')]}'.includes(char)) {
      const own = matching(open, char, atLineStart ? indent : undefined);
      // What was opened inside and is not closed ends with its own line.
      for (const inner of own < 0 ? [] : open.slice(own + 1).reverse())
        found.push({ at: inner.lineEnd, text: inner.closer + commaAt(text, inner.lineEnd) });
      if (own >= 0) open = open.slice(0, own);
      at++;
    } else {
      const word = /\w+/y;
      word.lastIndex = at;
      at += word.exec(text)?.[0].length ?? 1;
    }
    codeEnd = at;
    atLineStart = false;
  }
  if (open.length > 0) found.push({ at: codeEnd, text: closing(open) });
  return found.sort((a, b) => a.at - b.at);
}

/** A text with insertions, and the offsets of one text in the other. */
export interface RepairedText {
  readonly text: string;
  readonly toOriginal: (offset: number) => number;
  readonly fromOriginal: (offset: number) => number;
}

export function withInsertions(text: string, insertions: readonly Insertion[]): RepairedText {
  let whole = '';
  let from = 0;
  for (const { at, text: added } of insertions) {
    whole += text.slice(from, at) + added;
    from = at;
  }
  return {
    text: whole + text.slice(from),
    toOriginal(offset) {
      let before = 0;
      for (const { at, text: added } of insertions) {
        if (at + before >= offset) break;
        before += Math.min(added.length, offset - at - before);
      }
      return offset - before;
    },
    fromOriginal: (offset) =>
      insertions.reduce((moved, { at, text: added }) => (at < offset ? moved + added.length : moved), offset),
  };
}

const closing = (open: readonly Open[]): string =>
  open
    .map(({ closer }) => closer)
    .reverse()
    .join('');

/** The bracket that this one closes: at the start of a line the one whose line stands at the same depth, if there is one. */
function matching(open: readonly Open[], closer: string, indent: number | undefined): number {
  const aligned = open.findLastIndex((one) => one.closer === closer && one.indent === indent);
  return aligned >= 0 ? aligned : open.findLastIndex((one) => one.closer === closer);
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const endOfLine = (text: string, at: number): number => {
  const rest = /[\r\n]|$/g;
  rest.lastIndex = at;
  return rest.exec(text)?.index ?? text.length;
};

const indentAt = (text: string, at: number): number => {
  const blank = /[ \t]*/y;
  blank.lastIndex = at;
  return blank.exec(text)?.[0].length ?? 0;
};

/** What is closed early in a list of arguments is followed by the next one. */
const commaAt = (text: string, at: number): string => (/^\s*[,)\]}]/.test(text.slice(at)) ? '' : ',');

/** A line that is Python and no SQL, for strings whose end nobody has typed yet. */
const codeInString =
  /[a-z_]\w*\s*=\s*[A-Z]\w*[a-z]\w*\(|with\s+DAG\(|@[a-z]|def\s+\w+\(|(?:from\s+[\w.]+\s+)?import\s+\w/y;

/**
 * The offset behind the closing quote, or the one where it is missing: at the end of the line, for three quotes where
 * code begins that stands no deeper than the statement.
 */
function stringEnd(
  text: string,
  from: number,
  quote: string,
  indent: number,
): { readonly end: number; readonly closed: boolean } {
  let textEnd = from;
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\n' || char === '\r') {
      if (quote.length === 1) return { end: at, closed: false };
      const deep = indentAt(text, at + 1);
      if (deep <= indent && matches(codeInString, text, at + 1 + deep)) return { end: textEnd, closed: false };
    } else if (text.startsWith(quote, at)) return { end: at + quote.length, closed: true };
    else if (char === '\\') textEnd = ++at + 1;
    else if (char !== ' ' && char !== '\t') textEnd = at + 1;
  }
  return { end: Math.min(textEnd, text.length), closed: false };
}
