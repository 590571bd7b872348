import type { Pipeline, Task, TaskId } from '../../../core/pipeline/model/model.ts';
import type { PlanUnit } from '../../../core/plan/model/plan.ts';
import { airflowDate, type CommandStep, makeRunCommand } from '../../../core/scheduler/commands/airflow-commands.ts';
import { plural } from '../../../core/text/plural.ts';

/**
 * Commands that can be pasted into a shell, step by step, with what is to be known about them as comments. Nothing of a name
 * or a date can end a comment or a word.
 */
export function commandsText(
  steps: readonly CommandStep[],
  units: readonly PlanUnit[],
  owners: ReadonlyMap<TaskId, { readonly task: Task; readonly pipeline: Pipeline }>,
): string {
  const lines: string[] = [];
  for (const [index, { commands, others }] of steps.entries()) {
    if (index > 0) lines.push('');
    const count = commands.reduce((sum, command) => sum + command.units.length, 0) + others.length;
    const wait = index === 0 ? '' : `, when all of step ${index} have ended`;
    lines.push(`# step ${index + 1} of ${steps.length}: ${plural(count, 'unit')}${wait}`);
    for (const { text } of commands) lines.push(text);
    for (const { unit, why } of others) lines.push(comment(`${unit.id} ${why}`));
  }
  const made = makeLines(units, owners);
  if (made.length > 0) lines.push('', ...made);
  lines.push('', '# a run that waits for them is told with: backfill done RUN UNIT…');
  return `${lines.join('\n')}\n`;
}

/** One example for each DAG: its first date. */
function makeLines(
  units: readonly PlanUnit[],
  owners: ReadonlyMap<TaskId, { readonly task: Task; readonly pipeline: Pipeline }>,
): readonly string[] {
  const dags = new Map<
    string,
    { readonly pipeline: Pipeline; readonly first: PlanUnit; readonly tasks: Set<string> }
  >();
  for (const unit of units) {
    const owner = owners.get(unit.task);
    if (owner?.pipeline.format !== 'airflow') continue;
    const known = dags.get(owner.pipeline.id);
    if (known === undefined)
      dags.set(owner.pipeline.id, { pipeline: owner.pipeline, first: unit, tasks: new Set([owner.task.name]) });
    // The example is of one date, for which other tasks may be planned than for another.
    else if (known.first.data.start === unit.data.start) known.tasks.add(owner.task.name);
  }
  if (dags.size === 0) return [];
  const example = [...dags.values()].map(({ pipeline, first, tasks }) =>
    comment(
      `  of ${airflowDate(first.data.start)}, with ${madeWith(pipeline, tasks)}: ${makeRunCommand(pipeline, first.data.start, [...tasks])}`,
    ),
  );
  return ['# clear finds nothing where Airflow has no run of a date yet; a run is made', ...example];
}

/** Which tasks a run that is made runs. */
function madeWith({ airflowVersion, tasks }: Pipeline, planned: ReadonlySet<string>): string {
  if (airflowVersion !== 3) return 'these tasks';
  const more = tasks.flatMap(({ name }) => (planned.has(name) ? [] : [name]));
  const all = 'all tasks of the DAG';
  return more.length === 0 ? all : `${all}, so also ${more.join(', ')}, which the plan does not have for it`;
}

const comment = (text: string): string => `# ${text.replace(/[\r\n]+/g, ' ')}`;
