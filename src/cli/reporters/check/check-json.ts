import { rangeFinder } from './findings-range.ts';
import type { FindingsReport } from './findings-report.ts';

/** The JSON contract of `check`, version 1. */
export function checkJson(report: FindingsReport): string {
  const ranges = rangeFinder(report.text);
  const findings = report.findings.map((finding) => ({
    rule: finding.rule,
    severity: finding.severity,
    message: finding.message,
    file: finding.at.file,
    range: ranges.range(finding.at),
    help: report.help(finding.rule),
    related: finding.related.map(({ message, at }) => ({ message, file: at.file, range: ranges.range(at) })),
    fixes: finding.fixes.map((fix) => ({
      title: fix.title,
      preferred: fix.preferred,
      edits: fix.edits.map((edit) => ({ file: edit.file, range: ranges.range(edit), newText: edit.newText })),
    })),
  }));
  const problems = report.problems.map((problem) => ({
    severity: problem.severity,
    message: problem.message,
    ...(problem.at && { file: problem.at.file, range: ranges.range(problem.at) }),
  }));
  return `${JSON.stringify({ version: 1, findings, problems }, null, 2)}\n`;
}
