import type { Colors } from 'picocolors/types';
import type { Finding, Severity } from '../../../core/lint/model/finding.ts';
import { plural } from '../../../core/text/plural.ts';
import { type RangeFinder, rangeFinder } from './findings-range.ts';
import type { FindingsReport } from './findings-report.ts';

const severities: readonly Severity[] = ['error', 'warning', 'info', 'hint'];

/** The report for people: each finding with its line, the mark under it, and how to mend it. */
export function checkText(report: FindingsReport, colors: Colors): string {
  const ranges = rangeFinder(report.text);
  const paint: Readonly<Record<Severity, (text: string) => string>> = {
    error: colors.red,
    warning: colors.yellow,
    info: colors.cyan,
    hint: colors.dim,
  };
  const blocks = report.findings.map((finding) => {
    const { start } = ranges.range(finding.at);
    const place = `${finding.at.file}:${start.line}:${start.column}`;
    const lines = [
      `${colors.bold(place)} ${paint[finding.severity](finding.severity)} ${colors.bold(finding.rule)}`,
      `  ${finding.message}`,
      ...marked(ranges, finding, paint[finding.severity]),
      ...finding.related.map(({ message, at }) => {
        const from = ranges.range(at).start;
        return colors.dim(`  also ${at.file}:${from.line}:${from.column} ${message}`);
      }),
      `  ${colors.green('help')} ${report.help(finding.rule)}`,
    ];
    const preferred = finding.fixes.find((fix) => fix.preferred) ?? finding.fixes[0];
    if (preferred) lines.push(`  ${colors.green('fix ')} ${preferred.title}`);
    return `${lines.join('\n')}\n\n`;
  });
  const problems = report.problems.map((problem) => {
    const from = problem.at && ranges.range(problem.at).start;
    const place = problem.at && from ? `${problem.at.file}:${from.line}:${from.column} ` : '';
    return `${place}${paint[problem.severity](problem.severity)} ${problem.message}\n`;
  });
  return `${blocks.join('')}${problems.join('')}${problems.length > 0 ? '\n' : ''}${summary(report, colors)}\n`;
}

function summary({ findings, problems, filesRead }: FindingsReport, colors: Colors): string {
  const counts = severities
    .map((severity) => ({ severity, count: findings.filter((one) => one.severity === severity).length }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => (severity === 'info' ? `${count} info` : plural(count, severity)));
  const found = counts.length === 0 ? [colors.green('no findings')] : counts;
  const unread = problems.length === 0 ? [] : [plural(problems.length, 'problem')];
  return [...found, ...unread, `${plural(filesRead, 'file')} read`].join(', ');
}

/** The finding's first line with the mark under it; tabs stay tabs so that the two align in every terminal. */
function marked(ranges: RangeFinder, finding: Finding, paint: (text: string) => string): string[] {
  const { start, end } = ranges.range(finding.at);
  const line = ranges.line(finding.at.file, start.line);
  const until = end.line === start.line ? end.column - 1 : line.length;
  const before = line.slice(0, start.column - 1);
  const gutter = `  ${String(start.line).padStart(4)} | `;
  const under = `${' '.repeat(gutter.length - 2)}| ${padding(before)}`;
  return [`${gutter}${line}`, `${under}${paint('^'.repeat(Math.max(1, width(line.slice(before.length, until)))))}`];
}

const padding = (text: string): string =>
  [...text].map((char) => (char === '\t' ? '\t' : ' '.repeat(width(char)))).join('');

/** Columns of a terminal: East Asian wide characters and emoji take two, combining marks none. */
function width(text: string): number {
  let columns = 0;
  for (const char of text) {
    if (/\p{Mark}|\u200d|\ufe0f/u.test(char)) continue;
    columns +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u.test(
        char,
      )
        ? 2
        : 1;
  }
  return columns;
}
