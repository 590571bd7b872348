import { lineIndex } from '../../text/line-index.ts';
import type { TextEdit } from '../../text/span.ts';
import type { Finding } from '../model/finding.ts';
import { pythonStringsAndComments } from '../source/comments.ts';

/** Puts `backfill-disable-next-line <rule>` above the finding's line, in the comment syntax that holds there. */
export function suppressNextLine({ at, rule }: Finding, text: string): TextEdit {
  const lines = lineIndex(text);
  const lineStart = lines.offset({ line: lines.position(at.start).line, column: 1 });
  const indent = /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? '';
  const mark = commentMark(at.file, text, lineStart);
  return insertion(at.file, lineStart, `${indent}${mark} backfill-disable-next-line ${rule}: ${newLine(text)}`);
}

/** Puts `backfill-disable <rule>` at the head of the file, below a `#!` line and a coding line. */
export function suppressInFile({ at, rule }: Finding, text: string): TextEdit {
  const head = /^(#!.*\r?\n)?(#.*coding[:=].*\r?\n)?/.exec(text)?.[0].length ?? 0;
  return insertion(at.file, head, `${commentMark(at.file, text, head)} backfill-disable ${rule}${newLine(text)}`);
}

/** Inside a Python string only a SQL comment is one; elsewhere in Python only `#`. */
function commentMark(file: string, text: string, lineStart: number): '#' | '--' {
  if (!file.endsWith('.py')) return '--';
  const inString = pythonStringsAndComments(text).strings.some(
    ({ content }) => content.start <= lineStart && lineStart <= content.end,
  );
  return inString ? '--' : '#';
}

const insertion = (file: string, offset: number, newText: string): TextEdit => ({
  file,
  start: offset,
  end: offset,
  newText,
});

const newLine = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');
