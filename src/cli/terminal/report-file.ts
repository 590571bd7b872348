import { closeSync, existsSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { UnitRecord } from '../../core/ledger/ledger-store.ts';
import { recordJson } from '../../core/run/stored/run-json.ts';
import type { ReportInput } from '../../core/view/report/report-content.ts';
import { reportHtml } from '../../core/view/report/report-html.ts';
import { reportMarkdown } from '../../core/view/report/report-markdown.ts';
import { type Shell, UsageError } from './shell.ts';

export const reportOption = [
  '--report <file>',
  'write a report to hand on: .md, .html or .json by the ending of the name',
] as const;

const writers: Readonly<Record<string, (input: ReportInput) => string>> = {
  '.md': reportMarkdown,
  '.html': reportHtml,
  '.json': ({ title, target, run, results }) =>
    `${JSON.stringify({ version: 1, runId: run ?? null, title, target, units: results.map(recordJson) }, undefined, 2)}\n`,
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
  const file = resolve(shell.cwd, name);
  const folder = dirname(file);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`there is no folder ${dirname(name)} for the report`, 'make it first');
  }
  if (!canWrite(file)) throw new UsageError(`the report cannot be written to ${name}`, 'name another file');
  return {
    write: (input, results) => {
      try {
        writeFileSync(file, writer({ ...input, results }));
      } catch (error) {
        shell.err(`the report could not be written to ${name}: ${error instanceof Error ? error.message : error}\n`);
      }
    },
  };
}

/** Tried, because rights, locks and full or read-only disks are told by nothing else. */
function canWrite(file: string): boolean {
  const isThere = existsSync(file);
  try {
    closeSync(openSync(file, 'a'));
    if (!isThere) rmSync(file);
    return true;
  } catch {
    return false;
  }
}
