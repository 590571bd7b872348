import type { Span, TextEdit } from '../../text/span.ts';
import type { LintContext } from '../context/lint-context.ts';
import type { PythonString } from '../source/comments.ts';
import type { StatementView } from '../source/statement-view.ts';

/**
 * Edits of a statement's text as edits of the file in which a person wrote it. `undefined` where that is not exactly
 * possible: across escapes or several literals, in an f-string, in a routine (whose text is that of one call), in words of the reader's, or when the new text would end or bend the string.
 * Line breaks follow the file; in a one-line string they become blanks.
 */
export function editSql(
  context: LintContext,
  view: StatementView,
  edits: readonly (Span & { readonly newText: string })[],
): readonly TextEdit[] | undefined {
  const done: TextEdit[] = [];
  for (const edit of edits) {
    const one = editOne(context, view, edit);
    if (one === undefined) return undefined;
    done.push(one);
  }
  return done;
}

function editOne(
  context: LintContext,
  view: StatementView,
  edit: Span & { readonly newText: string },
): TextEdit | undefined {
  const piece = view.sql.source.pieces.find(
    (one) => one.exact && one.at <= edit.start && edit.end <= one.at + one.length,
  );
  if (piece === undefined || view.sql.composed || view.sql.pythonHoles.length > 0 || view.routine !== undefined)
    return undefined;
  const { file } = piece.source;
  const text = context.text(file);
  if (text === undefined) return undefined;
  const start = piece.source.start + edit.start - piece.at;
  const end = start + edit.end - edit.start;
  const newText = file.endsWith('.py')
    ? forPythonString(context.pythonStrings(file), text, { start, end, newText: edit.newText })
    : edit.newText;
  if (newText === undefined) return undefined;
  return { file, start, end, newText: text.includes('\r\n') ? newText.replace(/\r?\n/g, '\r\n') : newText };
}

function forPythonString(
  strings: readonly PythonString[],
  text: string,
  { start, end, newText }: Span & { readonly newText: string },
): string | undefined {
  const string = strings.find(({ content }) => content.start <= start && end <= content.end);
  if (string === undefined || /[ft]/.test(string.prefix)) return undefined;
  const { quote, prefix, content } = string;
  const mark = quote.charAt(0);
  if (newText.includes('\\') && (!prefix.includes('r') || /\\(?:["']|$)/.test(newText))) return undefined;
  if (quote.length === 1) return newText.includes(mark) ? undefined : newText.replace(/\s*\n\s*/g, ' ');
  // Three quotes in a row end such a string, and one more before its own three would be the first of them.
  const before = text.slice(Math.max(content.start, start - 2), start);
  const after = text.slice(end, Math.min(content.end, end + 2));
  if (`${before}${newText}${after}`.includes(quote)) return undefined;
  return after === '' && `${before}${newText}`.endsWith(mark) ? undefined : newText;
}

/** The white space before the line on which an offset stands, for text that is inserted above or below it. */
export function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? '';
}

/** The offset behind the statement and its semicolon, and whether it has one. */
export function statementEnd(view: StatementView): { readonly offset: number; readonly terminated: boolean } {
  const { text } = view.sql.masked;
  const { end } = view.statement;
  if (text.charAt(end - 1) === ';') return { offset: end, terminated: true };
  const rest = /^\s*;/.exec(text.slice(end));
  return rest ? { offset: end + rest[0].length, terminated: true } : { offset: end, terminated: false };
}
