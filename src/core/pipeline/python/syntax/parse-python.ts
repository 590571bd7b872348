import type { Span } from '../../../text/span.ts';
import type { PythonParser } from './python-parser.ts';
import { missingClosers, withInsertions } from './repair-python.ts';
import { type SyntaxTree, takeSyntaxTree } from './syntax-tree.ts';

/** Half-typed code lacks few brackets; a text that lacks more is something else. */
const mostInsertions = 20;

/** Lines that are left out, one after another, before a text is taken as it is. */
const mostLinesLeftOut = 2;

/**
 * The syntax tree of a Python text. While somebody types, an open bracket or an `if` without an end hides everything
 * behind it from a parser: what is missing is put in, or the line left out, so that the statements around it keep their
 * place. All offsets are those of the text as it is; `firstError` says where that is not valid.
 */
export function parsePython(parser: PythonParser, text: string): SyntaxTree {
  const tree = takeSyntaxTree(parser.parse(text));
  if (tree.firstError === undefined) return tree;
  const missing = missingClosers(text);
  const insertions = missing.length > mostInsertions ? [] : missing;
  const { text: repaired, toOriginal, fromOriginal } = withInsertions(text, insertions);
  let best: SyntaxTree = tree;
  const attempt = (changed: string): void => {
    const next = takeSyntaxTree(parser.parse(changed), toOriginal);
    if (isBetter(next.firstError, best.firstError)) best = next;
  };
  if (repaired !== text) attempt(repaired);
  let rest = repaired;
  for (let left = mostLinesLeftOut; left > 0 && hides(best.firstError, text); left--) {
    rest = withoutLine(rest, fromOriginal(best.firstError?.start ?? 0));
    attempt(rest);
  }
  return { root: best.root, firstError: tree.firstError };
}

/** An error on one line leaves the statements around it alone. */
const hides = (error: Span | undefined, text: string): boolean =>
  error !== undefined && /[\r\n]\s*\S/.test(text.slice(error.start, error.end));

const isBetter = (a: Span | undefined, b: Span | undefined): boolean =>
  b !== undefined && (a === undefined || a.start > b.start || (a.start === b.start && a.end < b.end));

function withoutLine(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
  const line = /^[^\r\n]*/.exec(text.slice(start))?.[0] ?? '';
  return text.slice(0, start) + ' '.repeat(line.length) + text.slice(start + line.length);
}
