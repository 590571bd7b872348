import type { Colors } from 'picocolors/types';
import { evidenceInWords, type TableVerdict } from '../../../core/run/observed/judge-observations.ts';
import type { LineageTable, TaskLineage } from '../../../core/run/observed/lineage-events.ts';
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
    lineage,
  }: {
    readonly declared: string | undefined;
    readonly hasScheduler: boolean;
    /** Why no run of it is watched, in words. */
    readonly whyNot: string | undefined;
    /** What the OpenLineage events of its Airflow say; `undefined`: none were named. */
    readonly lineage?: TaskLineage | undefined;
  },
  colors: Colors,
): string {
  const events = lineage === undefined ? [] : eventLines(task, lineage, verdicts);
  const told = events.length === 0 ? '' : `${events.join('\n')}\n`;
  if (observations.length === 0 && whyNot !== undefined) return `${task} is not watched: ${whyNot}\n${told}`;
  if (observations.length === 0)
    return `${told}${task} was not watched yet: ${hasScheduler ? '' : 'name your Airflow under schedulers in backfill.yaml and '}have it run from here, for two intervals or more (backfill run ${task} --from … --to …)\n`;
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
  return [
    `${task}: ${plural(observations.length, 'run')} seen, whoever wrote`,
    ...runs,
    ...lines,
    ...events,
    ...end,
    '',
  ].join('\n');
}

/** Tables that its events name, and the lines for those of which no more is known. */
function eventLines(task: string, lineage: TaskLineage, verdicts: readonly TableVerdict[]): readonly string[] {
  const { runs, reads, writes, unread, older = 0 } = lineage;
  const of = ({ table, where, runs: named }: LineageTable): string =>
    `${table} (${where}${named === runs ? '' : `, in ${named} of them`})`;
  const clear = new Set(verdicts.flatMap(({ kind, table }) => (kind === 'clear' ? [table] : [])));
  const draft = {
    task,
    complete: false,
    reads: reads.map(({ table }) => ({ table, column: undefined })),
    writes: writes.filter(({ table }) => !clear.has(table)).map(({ table }) => ({ table, column: undefined })),
  };
  return [
    runs === 0
      ? 'events     none of OpenLineage is of a run of it that ended well'
      : `events     by OpenLineage, in ${plural(runs, 'run')}: reads ${reads.map(of).join(', ') || 'nothing'}; writes ${writes.map(of).join(', ') || 'nothing'}`,
    ...(older === 0 ? [] : [`           ${plural(older, 'older event')} of the collector were not looked at`]),
    ...(unread === 0 ? [] : [`           ${plural(unread, 'line')} of them hold no event`]),
    ...(draft.reads.length + draft.writes.length === 0
      ? []
      : [
          'they name tables and no rows; for backfill.yaml, once the time columns are filled in:',
          declarationYaml([draft]).trimEnd(),
        ]),
  ];
}
