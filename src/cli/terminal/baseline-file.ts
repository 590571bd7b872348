import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AcceptedFinding, type Baseline, readBaseline, withoutAccepted } from '../../core/lint/baseline.ts';
import type { Finding } from '../../core/lint/model/finding.ts';
import { plural } from '../../core/text/plural.ts';
import { type Shell, UsageError } from './shell.ts';

/** Writes the findings that a project accepts as they are, and says how many. */
export function writeBaseline(name: string, baseline: Baseline, shell: Shell): void {
  try {
    writeFileSync(resolve(shell.cwd, name), `${JSON.stringify(baseline, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`the baseline cannot be written to ${name}`, messageOf(error));
  }
  const count = baseline.findings.reduce((sum, one) => sum + one.count, 0);
  shell.err(`${name} accepts ${plural(count, 'finding')}.\n`);
}

/** The findings that the file does not accept; those of it that are gone are said, because the file can be written anew. */
export function newFindings(
  name: string,
  findings: readonly Finding[],
  isChecked: (accepted: AcceptedFinding) => boolean,
  text: (file: string) => string | undefined,
  shell: Shell,
): readonly Finding[] {
  const read = readBaseline(textOf(name, shell));
  if (typeof read === 'string')
    throw new UsageError(`${name} is no baseline: ${read}`, 'write it anew with --write-baseline');
  const accepted = { ...read, findings: read.findings.filter(isChecked) };
  const { added, gone } = withoutAccepted(findings, accepted, text);
  if (gone > 0)
    shell.err(
      `${plural(gone, 'finding')} of ${name} ${gone === 1 ? 'is' : 'are'} gone; write it anew with --write-baseline.\n`,
    );
  return added;
}

function textOf(name: string, shell: Shell): string {
  try {
    return readFileSync(resolve(shell.cwd, name), 'utf8');
  } catch (error) {
    throw new UsageError(`the baseline ${name} cannot be read`, `${messageOf(error)}; write it with --write-baseline`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
