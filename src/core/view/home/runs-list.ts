import type { RunSummary, UnitState } from '../../ledger/ledger-store.ts';
import { undoneRun } from '../../ledger/undo-mark.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import { formatWall } from '../../time/intervals/format-interval.ts';
import { escapeMarkdown } from '../words/markdown.ts';
import { timeAgo } from '../words/time-ago.ts';
import type { HomeIcon, HomeNode, HomeTask, HomeTrait } from './home-node.ts';

/** How a run stands, as its ledger tells it. */
export type RunStanding = 'live' | 'halfway' | 'failed' | 'held' | 'cut-off' | 'changed' | 'unchanged';

/** A run of which units are left and at which nobody works was cut off, or stopped by somebody. */
export function standingOf({ counts, workedOnBy }: Pick<RunSummary, 'counts' | 'workedOnBy'>): RunStanding {
  const has = (state: UnitState): boolean => (counts[state] ?? 0) > 0;
  if (workedOnBy !== undefined) return 'live';
  if (has('unknown')) return 'halfway';
  if (has('waiting') || has('running') || has('cancelled')) return 'cut-off';
  if (has('failed')) return 'failed';
  if (has('held')) return 'held';
  return has('changed') ? 'changed' : 'unchanged';
}

const icons: Readonly<Record<RunStanding, HomeIcon>> = {
  live: { name: 'sync~spin', color: 'charts.blue' },
  halfway: { name: 'error', color: 'charts.red' },
  failed: { name: 'error', color: 'charts.red' },
  held: { name: 'debug-pause', color: 'charts.orange' },
  'cut-off': { name: 'debug-disconnect', color: 'charts.yellow' },
  changed: { name: 'pass-filled', color: 'charts.green' },
  unchanged: { name: 'pass', color: 'disabledForeground' },
};

const told: readonly (readonly [state: UnitState, words: string])[] = [
  ['changed', 'changed'],
  ['unchanged', 'unchanged'],
  ['held', 'held'],
  ['failed', 'failed'],
  ['unknown', 'stopped halfway'],
  ['blocked', 'behind them'],
];

/** Runs of a ledger, newest first as they come. `now`: milliseconds since the epoch. */
export function runNodes(
  runs: readonly RunSummary[],
  now: number,
  tasks: ReadonlyMap<TaskId, HomeTask>,
): readonly HomeNode[] {
  return runs.map((run) => runNode(run, now, tasks));
}

/** The task and the figures come first: a side bar is narrow, and what of the range has no room stands in the tooltip. */
export function runNode(summary: RunSummary, now: number, tasks: ReadonlyMap<TaskId, HomeTask>): HomeNode {
  const { run, title, counts, createdAt, createdBy, task, workedOnBy } = summary;
  const { label, rest } = shortTitle(summary, tasks);
  const standing = standingOf(summary);
  const left = (counts.waiting ?? 0) + (counts.running ?? 0) + (counts.cancelled ?? 0);
  const said = [
    ...(standing === 'live' ? [`${workedOnBy} is at work on it`] : standing === 'cut-off' ? ['cut off'] : []),
    ...told.flatMap(([state, words]) => ((counts[state] ?? 0) > 0 ? [`${counts[state]} ${words}`] : [])),
    ...(left > 0 ? [`${left} not run`] : []),
  ];
  const description = [...said, timeAgo(createdAt, now), ...(rest === '' ? [] : [rest])].join(' · ');
  const isOver = standing !== 'live';
  const canGoOn = isOver && left + (counts.failed ?? 0) + (counts.blocked ?? 0) > 0 && standing !== 'halfway';
  const traits: HomeTrait[] = ['run'];
  if (!isOver) traits.push('live');
  if (canGoOn) traits.push('resumable');
  if (isOver && (counts.changed ?? 0) > 0) traits.push('undoable');
  return {
    id: `run ${run}`,
    label,
    description,
    tooltip: [
      `**${escapeMarkdown(title)}**`,
      escapeMarkdown(said.join(' · ')),
      `Run \`${run}\` · ${formatWall(createdAt, 'UTC').slice(0, 16)} UTC · ${escapeMarkdown(createdBy)}`,
    ].join('\n\n'),
    icon: icons[standing],
    traits,
    opens: 'never',
    spoken: `run of ${title}, ${said.join(', ')}, ${timeAgo(createdAt, now)}`,
    task,
    run,
    units: [],
  };
}

/** The name of a run's first task, and what else its title says. */
function shortTitle(
  { title, task }: RunSummary,
  tasks: ReadonlyMap<TaskId, HomeTask>,
): { readonly label: string; readonly rest: string } {
  if (task === undefined) return { label: title, rest: '' };
  const name = shortName(task, tasks);
  if (undoneRun(title) !== undefined) return { label: `undo of ${name}`, rest: '' };
  if (title.startsWith(`${task} `)) return { label: name, rest: title.slice(task.length + 1) };
  return { label: name, rest: title };
}

/** Its name in its DAG, where no other DAG has a task of that name. */
function shortName(task: TaskId, tasks: ReadonlyMap<TaskId, HomeTask>): string {
  const name = tasks.get(task)?.name;
  if (name === undefined) return task;
  for (const other of tasks.values()) if (other.task !== task && other.name === name) return task;
  return name;
}
