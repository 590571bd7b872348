/** Where in SQL a place is, as far as a lexer of any dialect must know to leave quotes and comments intact. */
export type SqlPlace = 'code' | 'string' | 'identifier' | 'dollar' | 'line-comment' | 'block-comment';

/** A stretch of one kind; `[start, end)` includes the delimiters. */
export interface SqlStretch {
  readonly place: SqlPlace;
  readonly start: number;
  readonly end: number;
}

const next = /--|\/\*|['"`]|\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$|^[ \t]*#/gm;
const wordCharacter = /[\w$\u0080-\uffff]/;

/** Splits SQL into code, quoted texts and comments. What is not closed reaches to the end. Never throws. */
export function sqlStretches(text: string): readonly SqlStretch[] {
  const stretches: SqlStretch[] = [];
  let at = 0;
  const add = (place: SqlPlace, start: number, end: number): void => {
    if (start > at) stretches.push({ place: 'code', start: at, end: start });
    if (end > start) stretches.push({ place, start, end });
    at = end;
  };
  let partners: ReadonlyMap<number, number> | undefined;
  next.lastIndex = 0;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    const [mark] = found;
    const start = found.index;
    if (mark === '--' || mark.endsWith('#')) add('line-comment', start, lineEnd(text, start));
    else if (mark === '/*') {
      partners ??= commentPartners(text);
      add('block-comment', start, partners.get(start) ?? commentEnd(text, start));
    } else if (mark.startsWith('$')) {
      if (wordCharacter.test(text[start - 1] ?? '')) {
        next.lastIndex = start + 1;
        continue;
      }
      const close = text.indexOf(mark, start + mark.length);
      add('dollar', start, close < 0 ? text.length : close + mark.length);
    } else add(mark === "'" ? 'string' : 'identifier', start, quoteEnd(text, start, mark));
    next.lastIndex = at;
  }
  add('code', text.length, text.length);
  if (at < text.length) stretches.push({ place: 'code', start: at, end: text.length });
  return stretches;
}

function lineEnd(text: string, start: number): number {
  const end = text.slice(start).search(/[\r\n]/);
  return end < 0 ? text.length : start + end;
}

/** Where each comment ends if comments nest, by its start; found in one pass, as a text may open any number of them. */
function commentPartners(text: string): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    if (mark === '/*') open.push(index);
    else {
      const start = open.pop();
      if (start !== undefined) partners.set(start, index + 2);
    }
  }
  return partners;
}

/** Comments nest in Postgres and do not in MySQL: nesting is believed only where it closes. */
function commentEnd(text: string, start: number): number {
  const first = text.indexOf('*/', start + 2);
  return first < 0 ? text.length : first + 2;
}

function quoteEnd(text: string, start: number, quote: string): number {
  const always = quote === "'" && /(?:^|[^\w$])[eE]$/.test(text.slice(Math.max(0, start - 2), start));
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\' && quote !== '`' && (always || escapes(text, at, quote))) at++;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

/**
 * Whether a backslash escapes: MySQL, BigQuery and Spark say yes, the standard says no. Without a dialect, `\'`
 * ends the string where what follows can only stand after a string.
 */
function escapes(text: string, at: number, quote: string): boolean {
  if (text[at + 1] === '\\') return text[at + 2] !== quote || !endsHere(text, at + 3);
  return text[at + 1] !== quote || !endsHere(text, at + 2);
}

const endsHere = (text: string, at: number): boolean =>
  /^\s*(?:$|[,);|:=<>\]]|(?:and|or|as|then|else|end|from|where|escape|in|group|order|limit|union)\b)/i.test(
    text.slice(at, at + 40),
  );
