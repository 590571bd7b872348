import { lineIndex } from '../../core/text/line-index.ts';
import type { Problem } from '../../core/text/span.ts';
import type { Shell } from './shell.ts';

/** Writes problems to standard error, each with its place. `least` leaves milder ones out. */
export function reportProblems(
  problems: readonly Problem[],
  text: (file: string) => string | undefined,
  shell: Shell,
  least: Problem['severity'] = 'warning',
): void {
  const order: readonly Problem['severity'][] = ['info', 'warning', 'error'];
  const { red, yellow, cyan } = shell.colors;
  const paint = { error: red, warning: yellow, info: cyan };
  for (const problem of problems) {
    if (order.indexOf(problem.severity) < order.indexOf(least)) continue;
    shell.err(`${placeOf(problem, text)}${paint[problem.severity](problem.severity)} ${problem.message}\n`);
  }
}

function placeOf({ at }: Problem, text: (file: string) => string | undefined): string {
  if (at === undefined) return '';
  const source = text(at.file);
  if (source === undefined) return `${at.file} `;
  const { line, column } = lineIndex(source).position(at.start);
  return `${at.file}:${line}:${column} `;
}
