import type { JinjaExpression } from '../language/expression.ts';
import { parseExpression } from '../language/parse-expression.ts';
import { loopOnce } from '../language/template-blocks.ts';

/** Longest identifier that every engine keeps apart; Postgres cuts at 63 bytes. */
const longestIdentifier = 56;
const word = /[\w$\u0080-\uffff]/;

/**
 * An identifier in place of an expression: it starts where the expression starts and, up to 56 characters, fills it
 * whole. Over several lines only the first one is used, or the last where a name goes on behind the expression.
 */
export function identifierFor(covered: string, source: string, following: string): string {
  const joined = word.test(following);
  const lines = covered.split(/(\r\n|\r|\n)/);
  const chosen = joined ? lines.length - 1 : 0;
  return lines
    .map((line, index) => {
      if (/^[\r\n]/.test(line)) return line;
      if (index !== chosen) return ' '.repeat(line.length);
      const width = joined ? line.length : Math.min(line.length, longestIdentifier);
      return words(source, width).padEnd(line.length);
    })
    .join('');
}

/** Letters, digits and underscores only: nothing in it can end a quote or a comment, or be a keyword. */
export function words(source: string, width: number): string {
  return `j_${source.replace(/\W+/g, '_')}`.slice(0, width).padEnd(width, '_');
}

/** The same inside quotes, where all of the length is filled. */
export const quotedFor = (covered: string, source: string): string =>
  covered.replace(/[^\r\n]+/g, (line) => words(source, line.length));

/** A number in place of an expression; it fills the length only where digits stand before it. */
export function numberFor(covered: string): string {
  let written = false;
  return covered.replace(/[^\r\n]/g, () => {
    if (written) return ' ';
    written = true;
    return '1';
  });
}

/** `{{ "," if not loop.last }}`: text that the expression stands for whatever the run, if it can stand in code. */
export function constantText(source: string): string | undefined {
  if (!/["']/.test(source)) return undefined;
  const parsed = parseExpression(source);
  const text = parsed.ok ? constantOf(parsed.value, source) : undefined;
  return text !== undefined && /^[\w\s,.()+*=<>|-]*$/.test(text) && !/[\r\n]|--/.test(text) ? text : undefined;
}

function constantOf(expression: JinjaExpression, source: string): string | undefined {
  if (expression.kind === 'literal') return typeof expression.value === 'string' ? expression.value : undefined;
  if (expression.kind !== 'conditional') return undefined;
  const { condition, consequent, alternative } = expression;
  const taken = loopOnce(source.slice(condition.start, condition.end)) === false ? alternative : consequent;
  return taken === undefined ? '' : constantOf(taken, source);
}
