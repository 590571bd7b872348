import type { Severity } from '../../../core/lint/model/finding.ts';
import { rangeFinder } from './findings-range.ts';
import type { FindingsReport } from './findings-report.ts';

const commands: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'notice',
  hint: 'notice',
};

/** Workflow commands that GitHub Actions turns into annotations on the changed lines. */
export function checkGithub(report: FindingsReport): string {
  const ranges = rangeFinder(report.text);
  const findings = report.findings.map((finding) => {
    const { start, end } = ranges.range(finding.at);
    // An annotation over several lines takes no columns.
    const columns = start.line === end.line ? `,col=${start.column},endColumn=${end.column}` : '';
    const place = `file=${property(finding.at.file)},line=${start.line},endLine=${end.line}${columns}`;
    const text = `${finding.message} ${report.help(finding.rule)}`;
    return `::${commands[finding.severity]} ${place},title=${property(finding.rule)}::${data(text)}\n`;
  });
  const problems = report.problems.map((problem) => {
    const place = problem.at ? ` file=${property(problem.at.file)},line=${ranges.range(problem.at).start.line}` : '';
    return `::${commands[problem.severity]}${place}::${data(problem.message)}\n`;
  });
  return [...findings, ...problems].join('');
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
