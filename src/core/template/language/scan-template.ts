import type { Span } from '../../text/span.ts';
import { pythonWhitespace } from '../python/python-value.ts';
import { tokenAt } from './expression-tokens.ts';

/** A piece of a template; together the pieces cover the text without gap or overlap. */
export type TemplateSegment = Span & {
  /** `{{-`, `{%-`, `{#-`: whitespace of the text before is dropped when rendered. */
  readonly stripsBefore: boolean;
  readonly stripsAfter: boolean;
} & (
    | { readonly kind: 'text' | 'comment' }
    /** `inner` is what stands between the delimiters, whitespace included. */
    | { readonly kind: 'expression' | 'tag'; readonly inner: Span }
    /** `{% raw %}…{% endraw %}` as a whole; the two flags inside trim the content itself. */
    | { readonly kind: 'raw'; readonly inner: Span; readonly trimsStart: boolean; readonly trimsEnd: boolean }
    /** A tag that is never closed; `end` is a guess that leaves as much as possible of the text behind it readable. */
    | { readonly kind: 'broken'; readonly message: string }
  );

const space = `[${pythonWhitespace}]`;
const opener = /\{\{|\{%|\{#/g;
const rawStart = new RegExp(`\\{%([-+]?)${space}*raw${space}*(-?)%\\}`, 'y');
const rawEnd = new RegExp(`\\{%([-+]?)${space}*endraw${space}*([-+]?)%\\}`, 'g');
const leadingSpace = new RegExp(`${space}*`, 'y');
const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Tokens that may be read in vain, behind tags that are never closed; after them such a tag gets a short look only. */
const mostInVain = 20_000;
const shortLook = 50;

/** What has been looked for in vain, so that a text which opens thousands of tags is not searched for each of them. */
interface Spent {
  inVain: number;
  /** Closing marks that do not stand in the rest of the text. */
  readonly unclosed: Set<'#}' | 'endraw'>;
}

/** Splits a template at its tags, by the rules of Jinja2's lexer with Airflow's settings. Never throws. */
export function scanTemplate(text: string): readonly TemplateSegment[] {
  const segments: TemplateSegment[] = [];
  const spent: Spent = { inVain: 0, unclosed: new Set() };
  let at = 0;
  while (at < text.length) {
    opener.lastIndex = at;
    const found = opener.exec(text);
    const start = found?.index ?? text.length;
    if (start > at) segments.push({ kind: 'text', start: at, end: start, stripsBefore: false, stripsAfter: false });
    if (found === null) break;
    const segment =
      found[0] === '{#' ? comment(text, start, spent) : (raw(text, start, spent) ?? delimited(text, start, spent));
    segments.push(segment);
    at = segment.end;
  }
  return segments;
}

function comment(text: string, start: number, { unclosed }: Spent): TemplateSegment {
  const close = unclosed.has('#}') ? -1 : text.indexOf('#}', start + 2);
  if (close < 0) {
    unclosed.add('#}');
    return broken(text, start, 'the comment "{#" is not closed');
  }
  const stripsBefore = text[start + 2] === '-' && close > start + 2;
  const stripsAfter = text[close - 1] === '-' && close - 1 >= start + (stripsBefore ? 3 : 2);
  return { kind: 'comment', start, end: close + 2, stripsBefore, stripsAfter };
}

function raw(text: string, start: number, { unclosed }: Spent): TemplateSegment | undefined {
  rawStart.lastIndex = start;
  const open = rawStart.exec(text);
  if (open === null) return undefined;
  const innerStart = rawStart.lastIndex;
  rawEnd.lastIndex = innerStart;
  const close = unclosed.has('endraw') ? null : rawEnd.exec(text);
  if (close === null) {
    unclosed.add('endraw');
    return broken(text, start, '"{% raw %}" has no "{% endraw %}"');
  }
  return {
    kind: 'raw',
    start,
    end: rawEnd.lastIndex,
    inner: { start: innerStart, end: close.index },
    stripsBefore: open[1] === '-',
    trimsStart: open[2] === '-',
    trimsEnd: close[1] === '-',
    stripsAfter: close[2] === '-',
  };
}

function delimited(text: string, start: number, spent: Spent): TemplateSegment {
  const kind = text[start + 1] === '%' ? 'tag' : 'expression';
  const closing = kind === 'tag' ? '%}' : '}}';
  const sign = text[start + 2] === '-' || text[start + 2] === '+' ? text[start + 2] : '';
  const innerStart = start + 2 + (sign === '' ? 0 : 1);
  let read = 0;
  const unclosed = (): TemplateSegment => {
    spent.inVain += read;
    return broken(text, start, `"${kind === 'tag' ? '{%' : '{{'}" is not closed by "${closing}"`);
  };
  const awaited: string[] = [];
  for (let at = innerStart; ; ) {
    if (++read > shortLook && spent.inVain > mostInVain) return unclosed();
    const token = tokenAt(text, at);
    const tokenStart = token === undefined ? skipSpace(text, at) : token === 'end' ? text.length : token.start;
    if (awaited.length === 0) {
      const strips = text.startsWith(`-${closing}`, tokenStart);
      const plus = kind === 'tag' && text.startsWith(`+${closing}`, tokenStart);
      if (strips || plus || text.startsWith(closing, tokenStart)) {
        const end = tokenStart + closing.length + (strips || plus ? 1 : 0);
        const inner = { start: innerStart, end: tokenStart };
        return { kind, start, end, inner, stripsBefore: sign === '-', stripsAfter: strips };
      }
    }
    // Not even inside brackets: a dict cannot be the key of a dict.
    if (/^\{[{%#]/.test(text.slice(tokenStart, tokenStart + 2))) return unclosed();
    if (token === 'end' || token === undefined) return unclosed();
    if (token.kind === 'operator') {
      const closer = closers[token.text];
      if (token.text === ';') return unclosed();
      if (closer !== undefined) awaited.push(closer);
      else if (Object.values(closers).includes(token.text) && awaited.pop() !== token.text) return unclosed();
    }
    at = token.end;
  }
}

function skipSpace(text: string, at: number): number {
  leadingSpace.lastIndex = at;
  leadingSpace.test(text);
  return Math.max(at, leadingSpace.lastIndex);
}

/** A half-typed tag reaches to what most likely is not part of it any more: a quote, `;`, the line's end. */
function broken(text: string, start: number, message: string): TemplateSegment {
  const line =
    /^.{2}(?:(?!\{[{%#])[^\r\n'";}])*\}?/.exec(text.slice(start, start + 2000))?.[0] ?? text.slice(start, start + 2);
  const kept =
    text[start + 1] === '{'
      ? (/^\{\{[-+]?[ \t]*[\w.]*(?:\([^)]*\)?)?(?:[ \t]*\|[ \t]*\w*)*[ \t]*\}?/.exec(line)?.[0] ?? line)
      : line;
  return { kind: 'broken', start, end: start + kept.length, stripsBefore: false, stripsAfter: false, message };
}
