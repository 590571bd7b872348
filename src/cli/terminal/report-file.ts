import type { UnitRecord } from '../../core/ledger/ledger-store.ts';
import { recordJson, tablesJson } from '../../core/run/stored/run-json.ts';
import type { ReportInput } from '../../core/view/report/report-content.ts';
import { reportHtml } from '../../core/view/report/report-html.ts';
import { reportMarkdown } from '../../core/view/report/report-markdown.ts';
import { outputFile } from './output-file.ts';
import { type Shell, UsageError } from './shell.ts';

export const reportOption = [
  '--report <file>',
  'write a report to hand on: .md, .html or .json by the ending of the name',
] as const;

const writers: Readonly<Record<string, (input: ReportInput) => string>> = {
  '.md': reportMarkdown,
  '.html': reportHtml,
  '.json': ({ title, target, run, results }) =>
    `${JSON.stringify({ version: 1, runId: run ?? null, title, target, tables: tablesJson(results), units: results.map(recordJson) }, undefined, 2)}\n`,
};

/** Where a report goes and how; asked before anything runs, so that a wrong name does not cost the report. */
export function reportFile(
  name: string | undefined,
  shell: Shell,
): { write(input: Omit<ReportInput, 'results'>, results: readonly UnitRecord[]): void } | undefined {
  if (name === undefined) return undefined;
  const ending = /\.\w+$/.exec(name)?.[0].toLowerCase() ?? '';
  const writer = writers[ending];
  if (writer === undefined) {
    throw new UsageError(`${name} is no report`, `its name must end in ${Object.keys(writers).join(', ')}`);
  }
  const file = outputFile(name, 'report', shell);
  return { write: (input, results) => void file.write(writer({ ...input, results })) };
}
