import type { Colors } from 'picocolors/types';
import { evidenceInWords, type TableVerdict } from '../../../core/run/observed/judge-observations.ts';
import type { Observation } from '../../../core/run/observed/observation.ts';
import { tableInWords } from '../../../core/run/observed/observed-in-words.ts';
import { plural } from '../../../core/text/plural.ts';
import { toIso } from '../../../core/time/zones/iso.ts';
import { observedDeclaration } from '../../../core/view/document/observed-declaration.ts';
import { declarationYaml } from '../../../node/config/edit/add-declaration.ts';

/** What was seen of a task run by run, what it tells, and the lines for `backfill.yaml`; `declared`: the file that has them now. */
export function observedText(
  task: string,
  observations: readonly Observation[],
  verdicts: readonly TableVerdict[],
  {
    declared,
    hasScheduler,
    whyNot,
  }: {
    readonly declared: string | undefined;
    readonly hasScheduler: boolean;
    /** Why no run of it is watched, in words. */
    readonly whyNot: string | undefined;
  },
  colors: Colors,
): string {
  if (observations.length === 0 && whyNot !== undefined) return `${task} is not watched: ${whyNot}\n`;
  if (observations.length === 0)
    return `${task} was not watched yet: ${hasScheduler ? '' : 'name your Airflow under schedulers in backfill.yaml and '}have it run from here, for two intervals or more (backfill run ${task} --from … --to …)\n`;
  const runs = observations.map(({ interval, tables, how }) => {
    const seen = tables.length === 0 ? 'no table was written to' : tables.map(tableInWords).join(', ');
    return `  ${toIso(interval.start)} to ${toIso(interval.end)} (${how}): ${seen}`;
  });
  const lines = verdicts.map((one) =>
    one.kind === 'clear'
      ? `${colors.green('clear')}      ${one.table}: ${evidenceInWords(one)}`
      : `${colors.yellow('not clear')}  ${one.table}: ${one.reason}`,
  );
  const draft = observedDeclaration(task, verdicts);
  const end =
    draft.writes.length === 0
      ? []
      : declared !== undefined
        ? [`${declared} says so now: ${draft.writes.map(({ table }) => table).join(', ')}`]
        : ['for backfill.yaml, or with --declare:', declarationYaml([draft]).trimEnd()];
  return [`${task}: ${plural(observations.length, 'run')} seen, whoever wrote`, ...runs, ...lines, ...end, ''].join(
    '\n',
  );
}
