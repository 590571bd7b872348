import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { ReviewedPlan } from '../../core/run/reviewed/plan-file.ts';
import { readPlanFile } from '../../core/run/reviewed/plan-file-text.ts';
import { digest } from '../../node/digest.ts';
import { type Shell, UsageError } from '../terminal/shell.ts';
import type { SelectionOptions } from './selection.ts';

/** Options that say what a plan is; a plan file has said all of it. */
const saidByPlan: readonly (keyof SelectionOptions)[] = [
  'from',
  'to',
  'logicalDates',
  'unit',
  'downstream',
  'without',
  'expandUnbounded',
  'allowAppend',
  'allowExpired',
  'now',
  'order',
];

/** The plan file of `--plan`. Throws {@link UsageError} for one that is not whole, and for words that would change it. */
export function reviewedPlan(
  name: string | undefined,
  words: readonly string[],
  command: Command,
  shell: Shell,
): ReviewedPlan | undefined {
  if (name === undefined) {
    if (words.length === 0)
      throw new UsageError('no task is named', 'name a task, or a reviewed plan with --plan FILE');
    return undefined;
  }
  const said = saidByPlan.filter((option) => command.getOptionValueSource(option) === 'cli');
  const [option] = said;
  if (words.length > 0 || option !== undefined) {
    const what = words[0] ?? command.options.find((one) => one.attributeName() === option)?.long ?? '';
    throw new UsageError(
      `${what}: the plan file says what runs`,
      `leave it out, or plan anew: backfill plan … --out ${name}`,
    );
  }
  const path = resolve(shell.cwd, name);
  if (!existsSync(path) || !statSync(path).isFile()) throw new UsageError(`there is no plan file ${name}`);
  const read = readPlanFile(readFileSync(path, 'utf8'), digest);
  if (!read.ok) throw new UsageError(`${name} ${read.reason}`, read.remedy);
  return { name, file: read.file, seal: read.seal };
}
