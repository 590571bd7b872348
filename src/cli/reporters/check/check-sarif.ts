import type { Severity } from '../../../core/lint/model/finding.ts';
import type { Rule } from '../../../core/lint/model/rule.ts';
import type { SourceSpan } from '../../../core/text/span.ts';
import { type RangeFinder, rangeFinder } from './findings-range.ts';
import type { FindingsReport } from './findings-report.ts';

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
  hint: 'note',
};

/** SARIF 2.1.0, as code scanning services read it: one run, every rule described, fixes included. */
export function checkSarif(report: FindingsReport, rules: readonly Rule[]): string {
  const ranges = rangeFinder(report.text);
  const results = report.findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: rules.findIndex((rule) => rule.id === finding.rule),
    level: levels[finding.severity],
    message: { text: `${finding.message} ${report.help(finding.rule)}` },
    locations: [{ physicalLocation: physicalLocation(ranges, finding.at) }],
    relatedLocations: finding.related.map(({ message, at }, id) => ({
      id,
      message: { text: message },
      physicalLocation: physicalLocation(ranges, at),
    })),
    fixes: finding.fixes.map((fix) => ({
      description: { text: fix.title },
      artifactChanges: [...new Set(fix.edits.map((edit) => edit.file))].map((file) => ({
        artifactLocation: artifactLocation(file),
        replacements: fix.edits
          .filter((edit) => edit.file === file)
          .map((edit) => ({ deletedRegion: region(ranges, edit), insertedContent: { text: edit.newText } })),
      })),
    })),
  }));
  const notifications = report.problems.map((problem) => ({
    level: levels[problem.severity],
    message: { text: problem.message },
    ...(problem.at && { locations: [{ physicalLocation: physicalLocation(ranges, problem.at) }] }),
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Backfill Assistant',
            rules: rules.map((rule) => ({
              id: rule.id,
              shortDescription: { text: rule.summary },
              help: { text: rule.help },
              defaultConfiguration: { level: levels[rule.severity] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: notifications }],
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const artifactLocation = (file: string): { uri: string } => ({
  uri: file.split('/').map(encodeURIComponent).join('/'),
});

const physicalLocation = (ranges: RangeFinder, at: SourceSpan): object => ({
  artifactLocation: artifactLocation(at.file),
  region: region(ranges, at),
});

function region(ranges: RangeFinder, at: SourceSpan): object {
  const { start, end } = ranges.range(at);
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}
