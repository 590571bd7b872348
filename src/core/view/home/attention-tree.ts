import type { RunSummary } from '../../ledger/ledger-store.ts';
import type { SliceState } from '../../ledger/slice-states.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import { taskOfUnit } from '../../plan/model/unit-id.ts';
import { formatWall } from '../../time/intervals/format-interval.ts';
import { instant } from '../../time/zones/instant.ts';
import { counted } from '../words/counted.ts';
import { escapeMarkdown } from '../words/markdown.ts';
import { timeAgo } from '../words/time-ago.ts';
import type { HomeIcon, HomeNode, HomeTask } from './home-node.ts';
import { slicesByTask } from './known-slices.ts';
import { runNode, standingOf } from './runs-list.ts';
import { stateIcons, stateWords } from './slice-marks.ts';

export interface AttentionInput {
  readonly states: readonly SliceState[];
  readonly runs: readonly RunSummary[];
  readonly tasks: readonly HomeTask[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A line with the lines below it. */
export interface AttentionNode extends HomeNode {
  readonly children: readonly AttentionNode[];
}

/** Groups of more than this are closed at first. */
const mostOpen = 20;

/** What waits for a person, the gravest first: held, failed, runs that were cut off, stale. */
export function attentionTree(input: AttentionInput): readonly AttentionNode[] {
  const tasks = new Map(input.tasks.map((task) => [task.task, task]));
  const inState = (...states: readonly SliceState['state'][]): readonly SliceState[] =>
    input.states.filter(({ state }) => states.includes(state));
  const leaf = (slice: SliceState): AttentionNode => sliceLine(slice, tasks, input.now, true);
  const stale = [...slicesByTask(inState('stale'))];
  return [
    ...group('held', 'Held for a decision', stateIcons.held, inState('held').map(leaf)),
    ...group('failed', 'Failed', stateIcons.failed, inState('failed', 'halfway').map(leaf)),
    ...group(
      'lost',
      'Cut off',
      { name: 'debug-disconnect', color: 'charts.yellow' },
      input.runs
        .filter((run) => standingOf(run) === 'cut-off')
        .map((run) => ({ ...runNode(run, input.now, tasks), id: `lost ${run.run}`, children: [] })),
    ),
    ...group(
      'stale',
      'Stale',
      stateIcons.stale,
      stale.length === 1
        ? (stale[0]?.[1] ?? []).map(leaf)
        : stale.map(([task, slices]) => taskGroup(task, slices, tasks, input.now)),
    ),
  ];
}

/** How many wait for a decision, not only for a rerun. */
export const urgentCount = (groups: readonly AttentionNode[]): number =>
  groups.filter(({ id }) => id !== 'group stale').reduce((sum, { children }) => sum + children.length, 0);

function group(
  id: string,
  label: string,
  icon: HomeIcon,
  children: readonly AttentionNode[],
): readonly AttentionNode[] {
  if (children.length === 0) return [];
  const units = children.flatMap((child) => child.units);
  const count = Math.max(units.length, children.length);
  return [
    {
      id: `group ${id}`,
      label,
      description: String(count),
      tooltip: `${label}: ${count}`,
      icon,
      traits: ['group', ...(units.length > 0 ? (['plannable'] as const) : [])],
      opens: children.length > mostOpen ? 'on-demand' : 'at-once',
      spoken: `${label}, ${count}`,
      units,
      children,
    },
  ];
}

function taskGroup(
  task: TaskId,
  slices: readonly SliceState[],
  tasks: ReadonlyMap<TaskId, HomeTask>,
  now: number,
): AttentionNode {
  const children = slices.map((slice) => sliceLine(slice, tasks, now, false));
  const units = children.flatMap((child) => child.units);
  const description = counted(slices.length, 'slice');
  return {
    id: `stale ${task}`,
    label: task,
    description,
    tooltip: `**${escapeMarkdown(task)}** · ${description}`,
    icon: { name: 'table', color: 'charts.yellow' },
    traits: ['task', ...(units.length > 0 ? (['plannable'] as const) : [])],
    opens: 'on-demand',
    spoken: `${task}, ${description} stale`,
    task,
    units,
    children,
  };
}

function sliceLine(
  { unit, state, why, run, at }: SliceState,
  tasks: ReadonlyMap<TaskId, HomeTask>,
  now: number,
  isNamed: boolean,
): AttentionNode {
  const task = taskOfUnit(unit);
  const known = tasks.get(task);
  const label = `${isNamed ? `${task} · ` : ''}${startInWords(unit, known?.zone ?? 'UTC')}`;
  const reason = known === undefined ? 'its task is not in the workspace any more' : why;
  const isPlannable = known?.detail === '';
  const opensRun = state !== 'stale';
  return {
    id: `attention ${unit}`,
    label,
    description: reason,
    tooltip: [
      `**${escapeMarkdown(label)}** · ${stateWords[state]}`,
      ...(reason === '' ? [] : [escapeMarkdown(reason)]),
      `Run \`${run}\`, ${timeAgo(at, now)}`,
    ].join('\n\n'),
    icon: stateIcons[state],
    traits: [
      'slice',
      ...(isPlannable ? (['plannable'] as const) : []),
      ...(state === 'held' ? (['held'] as const) : []),
    ],
    opens: 'never',
    spoken: `${label}, ${stateWords[state]}${reason === '' ? '' : `, ${reason}`}`,
    task,
    run: opensRun ? run : undefined,
    units: isPlannable ? [unit] : [],
    children: [],
  };
}

/** The start of a unit's interval as a person would type it, in the zone of its pipeline. */
function startInWords(unit: UnitId, zone: string): string {
  const iso = unit.slice(unit.lastIndexOf('@') + 1);
  const at = Date.parse(iso);
  return Number.isNaN(at) ? iso : formatWall(instant(at), zone).replace(/ 00:00$/, '');
}
