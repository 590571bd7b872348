import type { Pipeline, TaskId } from '../../pipeline/model/model.ts';
import type { Plan, PlanUnit, UnitId, WaitRange } from '../../plan/model/plan.ts';
import { escapePattern } from '../../text/escape-pattern.ts';
import { shellWord } from '../../text/shell-word.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import { edgeFinder, type Owner } from './edge-finder.ts';

/** A command that has tasks of one run of a DAG run again, and no others. */
export interface AirflowCommand {
  readonly text: string;
  readonly units: readonly UnitId[];
}

/** Commands that may be given one after the other; the next step has to wait until what they start has ended. */
export interface CommandStep {
  readonly commands: readonly AirflowCommand[];
  /** Units of the step that no command of an Airflow runs alone, and why in words. */
  readonly others: readonly { readonly unit: PlanUnit; readonly why: string }[];
}

/**
 * A plan as commands of the `airflow` program, in its order. Within one run Airflow keeps to the edges of the DAG, so that
 * units of a run may be cleared together; whatever else one unit waits for comes in an earlier step.
 */
export function airflowCommands(plan: Plan, owners: ReadonlyMap<TaskId, Owner>): readonly CommandStep[] {
  const steps: PlanUnit[][] = [];
  const stepOf = stepFinder(plan, owners);
  for (const [position, unit] of plan.units.entries()) {
    const step = stepOf(unit, position);
    while (steps.length <= step) steps.push([]);
    steps[step]?.push(unit);
  }
  return steps.map((units) => stepCommands(units, owners));
}

/** Asked for the units in the plan's order, once each. */
function stepFinder(plan: Plan, owners: ReadonlyMap<TaskId, Owner>): (unit: PlanUnit, position: number) => number {
  const steps: number[] = [];
  const ordered = edgeFinder(owners);
  return (unit, position) => {
    const inSameRun = (range: WaitRange): boolean => {
      const last = plan.units[plan.byTask.get(range.task)?.[range.last] ?? -1];
      return last?.data.start === unit.data.start && ordered(range.task, unit.task);
    };
    let step = 0;
    for (const range of unit.waitsFor) {
      const positions = plan.byTask.get(range.task) ?? [];
      const together = inSameRun(range);
      for (let index = range.first; index <= range.last; index++) {
        const before = steps[positions[index] ?? -1] ?? 0;
        step = Math.max(step, together && index === range.last ? before : before + 1);
      }
    }
    steps[position] = step;
    return step;
  };
}

function stepCommands(units: readonly PlanUnit[], owners: ReadonlyMap<TaskId, Owner>): CommandStep {
  const runs = new Map<string, { readonly pipeline: Pipeline; readonly at: Instant; readonly units: PlanUnit[] }>();
  const others: CommandStep['others'][number][] = [];
  for (const unit of units) {
    const pipeline = owners.get(unit.task)?.pipeline;
    if (pipeline?.format !== 'airflow') {
      others.push({ unit, why: 'is no task of an Airflow; run it with: backfill run' });
      continue;
    }
    const at = unit.data.start;
    const key = `${pipeline.id} ${at}`;
    const run = runs.get(key);
    if (run === undefined) runs.set(key, { pipeline, at, units: [unit] });
    else run.units.push(unit);
  }
  const nameOf = ({ task }: PlanUnit): string => owners.get(task)?.task.name ?? task;
  const commands: AirflowCommand[] = [];
  for (const { pipeline, at, units: ofRun } of runs.values()) {
    if (pipeline.airflowVersion === 2) {
      const text = clearCommand(pipeline.id, at, tasksPattern(ofRun.map(nameOf)));
      commands.push({ text, units: ofRun.map(({ id }) => id) });
      continue;
    }
    for (const unit of ofRun) {
      const also = alsoCleared(nameOf(unit), pipeline);
      if (also === undefined) commands.push({ text: clearCommand(pipeline.id, at, nameOf(unit)), units: [unit.id] });
      else
        others.push({
          unit,
          why: `cannot be cleared alone by a command: -t of Airflow 3 would clear ${also} too; clear it on its page`,
        });
    }
  }
  return { commands, others };
}

/**
 * Airflow 2 takes `-t` for a pattern; Airflow 3.3 for a part of a name, whatever its help says, and its older versions for a
 * pattern. A name by itself is both; here the first other task of the DAG that it would find as well.
 */
function alsoCleared(name: string, { tasks }: Pipeline): string | undefined {
  const pattern = new RegExp(name.replace(/[^A-Za-z0-9_.]/g, '\\$&'));
  return tasks.find((task) => task.name !== name && (task.name.includes(name) || pattern.test(task.name)))?.name;
}

/** Both dates are included, so that it is exactly the run of this logical date. */
const clearCommand = (dag: string, at: Instant, tasks: string): string =>
  ['airflow', 'tasks', 'clear', dag, '-s', airflowDate(at), '-e', airflowDate(at), '-t', tasks, '-y']
    .map(shellWord)
    .join(' ');

/** A date with its offset: without one Airflow takes it in its own zone. */
export const airflowDate = (at: Instant): string => toIso(at).replace(/Z$/, '+00:00');

const tasksPattern = (tasks: readonly string[]): string => {
  const names = [...new Set(tasks)].map(escapePattern);
  return names.length === 1 ? `^${names[0]}$` : `^(${names.join('|')})$`;
};

/** Makes the run of a date that has none yet; Airflow 3 makes it with all tasks of the DAG. */
export function makeRunCommand(pipeline: Pipeline, at: Instant, tasks: readonly string[]): string {
  const date = airflowDate(at);
  const words =
    pipeline.airflowVersion === 3
      ? ['airflow', 'backfill', 'create', '--dag-id', pipeline.id, '--from-date', date, '--to-date', date]
      : ['airflow', 'dags', 'backfill', pipeline.id, '-s', date, '-e', date, '-t', tasksPattern(tasks), '-i', '-y'];
  return words.map(shellWord).join(' ');
}
