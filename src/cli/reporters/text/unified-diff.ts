import { structuredPatch } from 'diff';
import type { Colors } from 'picocolors/types';
import { applyEdits } from '../../../core/text/apply-edits.ts';
import type { TextEdit } from '../../../core/text/span.ts';

/** Lines of the file that stand around a change, as `diff -u` and git show them. */
const context = 3;

/** Edits of one file as a unified diff, which `patch` and `git apply` take. */
export function unifiedDiff(file: string, text: string, edits: readonly TextEdit[], colors: Colors): string {
  const { hunks } = structuredPatch(file, file, text, applyEdits(text, edits), undefined, undefined, { context });
  const paint = (line: string): string => {
    if (line.startsWith('-')) return colors.red(line);
    return line.startsWith('+') ? colors.green(line) : line;
  };
  const out = [colors.bold(`--- a/${file}`), colors.bold(`+++ b/${file}`)];
  for (const { oldStart, oldLines, newStart, newLines, lines } of hunks) {
    out.push(colors.cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`), ...lines.map(paint));
  }
  return `${out.join('\n')}\n`;
}
