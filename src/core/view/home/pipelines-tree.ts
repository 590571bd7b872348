import type { TaskId } from '../../pipeline/model/model.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import type { CalendarCell, CalendarGrid } from '../page/range/calendar-view.ts';
import { counted } from '../words/counted.ts';
import { escapeMarkdown } from '../words/markdown.ts';
import { timeAgo } from '../words/time-ago.ts';
import type { HomeNode, HomeTask } from './home-node.ts';
import type { KnownSlice, SlicesByTask } from './known-slices.ts';
import { countsInWords, isNotCurrent, type ShownState, stateIcons, stateWords, worstOf } from './slice-marks.ts';

/** What the tree of pipelines is made of. */
export interface PipelinesInput {
  readonly tasks: readonly HomeTask[];
  /** `undefined`: no ledger was asked, or it did not answer. */
  readonly slices: SlicesByTask | undefined;
  /** Part of a DAG's or a task's name; empty: all. */
  readonly filter: string;
  /** Only what is stale, held or failed. */
  readonly staleOnly: boolean;
}

/** Slices that are listed below a task; its page has all of them. */
export const mostSlices = 30;

/** The DAGs with a task that is wanted, by name. */
export function dagNodes(input: PipelinesInput): readonly HomeNode[] {
  const dags = new Map<string, HomeTask[]>();
  for (const task of wanted(input)) {
    const known = dags.get(task.dag);
    if (known === undefined) dags.set(task.dag, [task]);
    else known.push(task);
  }
  return [...dags]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([dag, tasks]): HomeNode => {
      const slices = tasks.flatMap(({ task }) => input.slices?.get(task) ?? []);
      const counts = countsInWords(slices);
      const description = [counted(tasks.length, 'task'), ...(counts === '' ? [] : [counts])].join(' · ');
      return {
        id: `dag ${dag}`,
        label: dag,
        description,
        tooltip: `**${escapeMarkdown(dag)}** · ${escapeMarkdown(description)}`,
        icon: { name: 'type-hierarchy-sub', ...colorOf(slices) },
        traits: ['dag'],
        opens: input.filter === '' && !input.staleOnly ? 'on-demand' : 'at-once',
        spoken: `DAG ${dag}, ${description}`,
        units: [],
      };
    });
}

/** The tasks of a DAG that are wanted, as the file has them. */
export function taskNodes(dag: string, input: PipelinesInput): readonly HomeNode[] {
  return wanted(input)
    .filter((task) => task.dag === dag)
    .map(({ task, name, detail }): HomeNode => {
      const slices = input.slices?.get(task) ?? [];
      const isRunnable = detail === '';
      const counts = countsInWords(slices);
      const settled = slices.length === 0 ? '' : 'current';
      const description = isRunnable ? counts || settled : ['not run from here', counts].filter(Boolean).join(' · ');
      return {
        id: `task ${task}`,
        label: name,
        description,
        tooltip: `**${escapeMarkdown(task)}**${isRunnable ? '' : `\n\nNot run from here: ${escapeMarkdown(detail)}`}`,
        icon: { name: isRunnable ? 'table' : 'circle-slash', ...colorOf(slices) },
        traits: ['task', ...(isRunnable ? (['runnable'] as const) : [])],
        opens: 'on-demand',
        spoken: `task ${name}, ${description === '' ? 'nothing known of its slices' : description}`,
        task,
        units: [],
      };
    });
}

/** What the slices of a task are made of. */
export interface SlicesInput extends Pick<PipelinesInput, 'slices' | 'staleOnly'> {
  readonly grid: CalendarGrid;
  /** Why it has no intervals, where that is known. */
  readonly noGrid: string | undefined;
  readonly isRunnable: boolean;
  /** Units that runs of this window are at. */
  readonly running: ReadonlySet<UnitId>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The recent intervals of a task, newest first, with what is known of each. */
export function sliceNodes(input: SlicesInput): readonly HomeNode[] {
  const { grid, slices, staleOnly } = input;
  if (grid.cells.length === 0) return [note(grid.task, input.noGrid ?? 'It has no interval that has ended yet.')];
  const known = new Map((slices?.get(grid.task) ?? []).map((slice) => [slice.unit, slice]));
  const cells = staleOnly
    ? grid.cells.filter(({ unit }) => {
        const slice = known.get(unit);
        return slice !== undefined && isNotCurrent(slice);
      })
    : grid.cells;
  const shown = cells.slice(-mostSlices).reverse();
  const left = cells.length - shown.length;
  if (shown.length === 0) return [note(grid.task, 'Every slice of it that is known is current.')];
  return [
    ...shown.map((cell) => sliceNode(cell, known.get(cell.unit), input)),
    ...(left > 0 || grid.more ? [older(grid.task)] : []),
  ];
}

function sliceNode(cell: CalendarCell, slice: KnownSlice | undefined, input: SlicesInput): HomeNode {
  const { unit, label, open } = cell;
  const state: ShownState = input.running.has(unit) ? 'running' : (slice?.state ?? 'never');
  const said = open
    ? 'not over yet'
    : state === 'never' && input.slices === undefined
      ? ''
      : state === 'fresh' && slice !== undefined
        ? [...(slice.rows === undefined ? [] : [counted(slice.rows, 'row')]), timeAgo(slice.at, input.now)].join(', ')
        : [stateWords[state], ...(state !== 'running' && slice?.why ? [slice.why] : [])].join(': ');
  const elsewhere = open ? undefined : slice?.on;
  const description = elsewhere === undefined ? said : `${said} · on ${elsewhere}`;
  return {
    id: `slice ${unit}`,
    label,
    description,
    tooltip: [
      `**${escapeMarkdown(input.grid.task)}** · ${label}`,
      ...(description === '' ? [] : [escapeMarkdown(description)]),
      ...(slice === undefined ? [] : [`Run \`${slice.run}\`, ${timeAgo(slice.at, input.now)}`]),
    ].join('\n\n'),
    icon: open ? { name: 'watch', color: 'disabledForeground' } : stateIcons[state],
    traits: [
      'slice',
      ...(open || !input.isRunnable ? [] : (['plannable'] as const)),
      ...(state === 'held' ? (['held'] as const) : []),
    ],
    opens: 'never',
    spoken: `${label}, ${description === '' ? stateWords[state] : description}`,
    task: input.grid.task,
    run: state === 'held' || state === 'failed' || state === 'halfway' ? slice?.run : undefined,
    connection: elsewhere,
    units: open || !input.isRunnable ? [] : [unit],
  };
}

/** The page of the task has all of them. */
const older = (task: TaskId): HomeNode => ({
  ...note(task, 'Older ones are in its calendar'),
  id: `older ${task}`,
  icon: { name: 'calendar' },
  traits: ['task'],
  task,
});

const note = (task: TaskId, text: string): HomeNode => ({
  id: `note ${task}`,
  label: text,
  description: '',
  tooltip: escapeMarkdown(text),
  icon: { name: 'info' },
  traits: ['note'],
  opens: 'never',
  spoken: text,
  units: [],
});

function colorOf(slices: readonly KnownSlice[]): { readonly color?: string } {
  const worst = worstOf(slices);
  const color = worst === undefined || worst === 'fresh' ? undefined : stateIcons[worst].color;
  return color === undefined ? {} : { color };
}

function wanted({ tasks, slices, filter, staleOnly }: PipelinesInput): readonly HomeTask[] {
  const part = filter.trim().toLowerCase();
  return tasks.filter(
    ({ task, dag, name }) =>
      (part === '' || dag.toLowerCase().includes(part) || name.toLowerCase().includes(part)) &&
      (!staleOnly || (slices?.get(task) ?? []).some(isNotCurrent)),
  );
}
