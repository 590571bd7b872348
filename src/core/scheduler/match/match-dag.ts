import type { Pipeline } from '../../pipeline/model/model.ts';
import { parseCron } from '../../time/schedules/cron.ts';
import { cronText } from '../../time/schedules/schedule.ts';
import type { DeployedDag } from '../port/scheduler.ts';

export const matchCodes = [
  'missing',
  'not-active',
  'import-errors',
  'paused',
  'other-tasks',
  'other-schedule',
] as const;

/** Something in which a DAG of the workspace and the one that is deployed differ, or that keeps it from running. */
export interface DagDifference {
  readonly code: (typeof matchCodes)[number];
  readonly message: string;
  readonly remedy: string;
  /** Nothing of it can be carried out there as it is. */
  readonly stops: boolean;
}

/**
 * What there is to say of a DAG of the workspace before anything of it is carried out by a scheduler that has `deployed`.
 * What cannot be compared (a schedule that is no cron on one side, a task whose id is not known) is not said to differ.
 */
export function matchDag(pipeline: Pipeline, deployed: DeployedDag | undefined): readonly DagDifference[] {
  const { id } = pipeline;
  if (deployed === undefined) {
    return [
      {
        code: 'missing',
        message: `${id} is not deployed there, or this user may not see it`,
        remedy: 'deploy its file, or give the user the right to read the DAG',
        stops: true,
      },
    ];
  }
  const found: DagDifference[] = [];
  if (!deployed.active)
    found.push({
      code: 'not-active',
      message: `${id} was deployed and its file is gone there, so that no run of it starts`,
      remedy: 'deploy its file again',
      stops: true,
    });
  if (deployed.importErrors)
    found.push({
      code: 'import-errors',
      message: `the file of ${id} that is deployed cannot be loaded any more; its last version that could is run`,
      remedy: 'look at the import errors of that Airflow',
      stops: false,
    });
  if (deployed.paused)
    found.push({
      code: 'paused',
      message: `${id} is paused there: a run of it is accepted and stays queued`,
      remedy:
        'unpause it yourself; its newest scheduled interval then runs as well, also with catchup=False, and with catchup=True all that were missed',
      stops: true,
    });
  return [...found, ...taskDifferences(pipeline, deployed), ...scheduleDifference(pipeline, deployed)];
}

function taskDifferences({ id, tasks }: Pipeline, deployed: DeployedDag): readonly DagDifference[] {
  const there = new Set(deployed.tasks.map((task) => task.id));
  const named = tasks.filter(({ executor }) => executor.kind !== 'none').map(({ name }) => name);
  const missing = named.filter((name) => !there.has(name));
  const known = new Set(tasks.map(({ name }) => name));
  // A task whose id is not known before the file runs may be any of them.
  const more = named.length < tasks.length ? [] : [...there].filter((name) => !known.has(name));
  const words = [
    ...(missing.length === 0 ? [] : [`without ${some(missing)}`]),
    ...(more.length === 0 ? [] : [`with ${some(more)}, which is not here`]),
  ];
  if (words.length === 0) return [];
  const message = `${id} is deployed ${words.join(' and ')}`;
  return [
    {
      code: 'other-tasks',
      message,
      remedy: 'deploy the file of this workspace, or check out the one that is deployed',
      stops: false,
    },
  ];
}

const some = (names: readonly string[]): string =>
  `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;

function scheduleDifference({ id, schedule }: Pipeline, deployed: DeployedDag): readonly DagDifference[] {
  const here = schedule.value;
  if (here.kind !== 'cron' || here.others !== undefined || deployed.schedule === undefined) return [];
  const [ours, theirs] = [parseCron(here.expression), parseCron(deployed.schedule)];
  if (ours.cron === undefined || theirs.cron === undefined) return [];
  if (JSON.stringify(ours.cron) === JSON.stringify(theirs.cron)) return [];
  return [
    {
      code: 'other-schedule',
      message: `${id} runs at ${deployed.schedule} there and at ${cronText(here)} here, so that their intervals differ`,
      remedy: 'deploy the file of this workspace, or check out the one that is deployed',
      stops: true,
    },
  ];
}
