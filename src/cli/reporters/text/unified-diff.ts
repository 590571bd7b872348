import type { Colors } from 'picocolors/types';
import { applyEdits } from '../../../core/text/apply-edits.ts';
import type { TextEdit } from '../../../core/text/span.ts';

const contextLines = 3;

/** Lines `[from, to)` of the old text and what they become. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Edits of one file as a unified diff, which `patch` and `git apply` take. */
export function unifiedDiff(file: string, text: string, edits: readonly TextEdit[], colors: Colors): string {
  const old = linesOf(text);
  const changes = changedLines(text, old, edits);
  const out = [colors.bold(`--- a/${file}`), colors.bold(`+++ b/${file}`)];
  const put = (sign: string, lines: readonly string[], paint: (line: string) => string): void => {
    for (const line of lines) {
      out.push(paint(`${sign}${line.replace(/\n$/, '')}`));
      if (!line.endsWith('\n')) out.push('\\ No newline at end of file');
    }
  };
  const plain = (line: string): string => line;
  let shifted = 0;
  for (let index = 0; index < changes.length; ) {
    let end = index + 1;
    while (end < changes.length && (changes[end]?.from ?? 0) - (changes[end - 1]?.to ?? 0) <= 2 * contextLines) end++;
    const hunk = changes.slice(index, end);
    const from = Math.max(0, (hunk[0]?.from ?? 0) - contextLines);
    const to = Math.min(old.length, (hunk.at(-1)?.to ?? 0) + contextLines);
    const grown = hunk.reduce((sum, change) => sum + change.lines.length - (change.to - change.from), 0);
    out.push(colors.cyan(`@@ -${from + 1},${to - from} +${from + 1 + shifted},${to - from + grown} @@`));
    let at = from;
    for (const change of hunk) {
      put(' ', old.slice(at, change.from), plain);
      put('-', old.slice(change.from, change.to), colors.red);
      put('+', change.lines, colors.green);
      at = change.to;
    }
    put(' ', old.slice(at, to), plain);
    shifted += grown;
    index = end;
  }
  return `${out.join('\n')}\n`;
}

function changedLines(text: string, old: readonly string[], edits: readonly TextEdit[]): readonly Change[] {
  const starts = [0];
  for (const line of old) starts.push((starts.at(-1) ?? 0) + line.length);
  const lineAt = (offset: number): number =>
    Math.min(
      old.length - 1,
      starts.findLastIndex((start) => start <= offset),
    );
  const groups: { from: number; to: number; edits: TextEdit[] }[] = [];
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    const [from, to] = [lineAt(edit.start), lineAt(edit.end) + 1];
    const last = groups.at(-1);
    if (last !== undefined && from < last.to) {
      last.to = Math.max(last.to, to);
      last.edits.push(edit);
    } else groups.push({ from, to, edits: [edit] });
  }
  return groups.map((group) => {
    const [start = 0, end = text.length] = [starts[group.from], starts[group.to]];
    const moved = group.edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
    return trimmed(old, { from: group.from, to: group.to, lines: linesOf(applyEdits(text.slice(start, end), moved)) });
  });
}

/** Lines that stay as they are at either end of a change are no part of it. */
function trimmed(old: readonly string[], { from, to, lines }: Change): Change {
  let [head, tail] = [0, 0];
  while (from + head < to && head < lines.length && old[from + head] === lines[head]) head++;
  while (to - tail > from + head && lines.length - tail > head && old[to - tail - 1] === lines.at(-1 - tail)) tail++;
  return { from: from + head, to: to - tail, lines: lines.slice(head, lines.length - tail) };
}

/** Lines with their ends; what follows the last one is a line where it is not empty. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
