import { describe, expect, test } from 'vitest';
import type { RunSummary } from '../../../src/core/ledger/ledger-store.ts';
import type { SliceState } from '../../../src/core/ledger/slice-states.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { attentionTree, urgentCount } from '../../../src/core/view/home/attention-tree.ts';
import { ledgerHeading, silentNode } from '../../../src/core/view/home/connection-node.ts';
import type { HomeNode, HomeTask } from '../../../src/core/view/home/home-node.ts';
import { slicesByTask, slicesOfLedgers } from '../../../src/core/view/home/known-slices.ts';
import { dagNodes, sliceNodes, taskNodes } from '../../../src/core/view/home/pipelines-tree.ts';
import { runNodes, standingOf } from '../../../src/core/view/home/runs-list.ts';
import { timeAgo } from '../../../src/core/view/words/time-ago.ts';

const now = Date.UTC(2026, 10, 30, 12);
const hour = 3_600_000;
const task = (id: string, patch: Partial<HomeTask> = {}): HomeTask => {
  const [dag = '', name = ''] = id.split('.');
  return { task: id, dag, name, detail: '', zone: 'UTC', ...patch };
};
const slice = (unit: string, state: SliceState['state'], patch: Partial<SliceState> = {}): SliceState => ({
  unit,
  state,
  rows: 1111,
  at: instant(now - 2 * hour),
  why: state === 'fresh' ? '' : `why ${state}`,
  run: 'r1',
  ...patch,
});
const run = (id: string, counts: RunSummary['counts'], patch: Partial<RunSummary> = {}): RunSummary => ({
  run: id,
  title: `run ${id}`,
  createdAt: instant(now - hour),
  createdBy: 'ann',
  counts,
  task: 'shop.clean',
  workedOnBy: undefined,
  ...patch,
});
const said = ({ label, description }: HomeNode): string => `${label} | ${description}`;

const tasks = [task('shop.clean'), task('shop.copy', { detail: 'Python is not run from here' }), task('bank.book')];
const states = [
  slice('shop.clean@2026-11-28T00:00:00Z', 'fresh'),
  slice('shop.clean@2026-11-29T00:00:00Z', 'stale'),
  slice('shop.clean@2026-11-27T00:00:00Z', 'held'),
];
const byId = new Map(tasks.map((one) => [one.task, one]));
const input = { tasks, slices: slicesByTask(states), filter: '', staleOnly: false };

describe('the tree of pipelines', () => {
  test('has DAGs by name with what is wrong in them, and their tasks as the file has them', () => {
    expect(dagNodes(input).map(said)).toEqual(['bank | 1 task', 'shop | 2 tasks · 1 held · 1 stale']);
    expect(taskNodes('shop', input).map(said)).toEqual(['clean | 1 held · 1 stale', 'copy | not run from here']);
    expect(dagNodes(input)[1]?.icon.color).toBe('charts.orange');
  });

  test('is filtered by parts of names, and by what is not current', () => {
    expect(dagNodes({ ...input, filter: 'CLE' }).map(({ label }) => label)).toEqual(['shop']);
    expect(taskNodes('shop', { ...input, filter: 'shop' }).map(({ label }) => label)).toEqual(['clean', 'copy']);
    expect(taskNodes('shop', { ...input, staleOnly: true }).map(({ label }) => label)).toEqual(['clean']);
    expect(dagNodes({ ...input, slices: undefined, staleOnly: true })).toEqual([]);
  });

  const cells = ['2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30'].map((label, index) => ({
    unit: `shop.clean@${label}T00:00:00Z`,
    from: label,
    to: label,
    label,
    open: index === 3,
  }));
  const grid = { task: 'shop.clean', name: 'clean', layout: 'days', cells, more: false } as const;
  const asked = { ...input, grid, noGrid: undefined, isRunnable: true, running: new Set<string>(), now };

  test('has the newest interval of a task first, with state and reason', () => {
    expect(sliceNodes(asked).map(said)).toEqual([
      '2026-11-30 | not over yet',
      '2026-11-29 | stale: why stale',
      '2026-11-28 | 1,111 rows, 2 h ago',
      '2026-11-27 | held: why held',
    ]);
    const [open, stale, , held] = sliceNodes(asked);
    expect(open?.units).toEqual([]);
    expect(stale).toMatchObject({ units: ['shop.clean@2026-11-29T00:00:00Z'], run: undefined });
    // What is held is looked at in its run.
    expect(held).toMatchObject({ run: 'r1', traits: ['slice', 'plannable', 'held'] });
  });

  test('says nothing of slices where no ledger was asked, and which are at work now', () => {
    const unasked = sliceNodes({ ...asked, slices: undefined, running: new Set([cells[1]?.unit ?? '']) });
    expect(unasked.map(said)).toEqual([
      '2026-11-30 | not over yet',
      '2026-11-29 | ',
      '2026-11-28 | running',
      '2026-11-27 | ',
    ]);
  });

  test('shows what is not current alone, and says where nothing is', () => {
    expect(sliceNodes({ ...asked, staleOnly: true }).map(({ label }) => label)).toEqual(['2026-11-29', '2026-11-27']);
    expect(sliceNodes({ ...asked, staleOnly: true, slices: new Map() }).map(said)).toEqual([
      'Every slice of it that is known is current. | ',
    ]);
    expect(sliceNodes({ ...asked, grid: { ...grid, cells: [] }, noGrid: 'it waits for an asset' }).map(said)).toEqual([
      'it waits for an asset | ',
    ]);
  });

  test('leads to the calendar where there are older ones', () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...(cells[0] as (typeof cells)[number]),
      unit: `shop.clean@${index}`,
      label: String(index),
    }));
    const nodes = sliceNodes({ ...asked, grid: { ...grid, cells: many } });
    expect(nodes).toHaveLength(31);
    expect(nodes.at(-1)).toMatchObject({ label: 'Older ones are in its calendar', task: 'shop.clean' });
  });
});

describe('the list of runs', () => {
  test('tells how each one stands, and what can be done with it', () => {
    const runs = [
      run('a', { changed: 12, unchanged: 23 }),
      run('b', { waiting: 3, changed: 2 }, { workedOnBy: 'bob in VS Code' }),
      run('c', { waiting: 3, changed: 2 }),
      run('d', { held: 1, blocked: 4 }),
      run('e', { failed: 1, changed: 1, blocked: 2 }),
      run('f', { unchanged: 4 }),
    ];
    expect(runs.map(standingOf)).toEqual(['changed', 'live', 'cut-off', 'held', 'failed', 'unchanged']);
    const nodes = runNodes(runs, now, byId);
    expect(nodes.map(({ description }) => description)).toEqual([
      '12 changed · 23 unchanged · 1 h ago · run a',
      'bob in VS Code is at work on it · 2 changed · 3 not run · 1 h ago · run b',
      'cut off · 2 changed · 3 not run · 1 h ago · run c',
      '1 held · 4 behind them · 1 h ago · run d',
      '1 changed · 1 failed · 2 behind them · 1 h ago · run e',
      '4 unchanged · 1 h ago · run f',
    ]);
    expect(nodes.map(({ traits }) => traits.join(' '))).toEqual([
      'run undoable',
      'run live',
      'run resumable undoable',
      'run resumable',
      'run resumable undoable',
      'run',
    ]);
  });

  test('has the task and the figures first, so that a narrow side bar cuts neither off', () => {
    const titled = (title: string, patch: Partial<RunSummary> = {}): RunSummary =>
      run('a', { changed: 12 }, { title, ...patch });
    const nodes = (runs: readonly RunSummary[], known = byId) => runNodes(runs, now, known).map(said);
    expect(
      nodes([
        titled('shop.clean 2026-11-01 to 2026-11-30 with downstream'),
        titled('undo of 20261130-210848-f76kkb'),
        titled('shop.* 2026-11-01 to 2026-11-30'),
        titled('something else', { task: undefined }),
        titled('gone.task 2026-11-01 to 2026-11-30', { task: 'gone.task' }),
      ]),
    ).toEqual([
      'clean | 12 changed · 1 h ago · 2026-11-01 to 2026-11-30 with downstream',
      'undo of clean | 12 changed · 1 h ago',
      'clean | 12 changed · 1 h ago · shop.* 2026-11-01 to 2026-11-30',
      'something else | 12 changed · 1 h ago',
      'gone.task | 12 changed · 1 h ago · 2026-11-01 to 2026-11-30',
    ]);
    // Two DAGs may each have a task of a name.
    const namesakes = new Map([...byId, ['bank.clean', task('bank.clean')]]);
    expect(nodes([titled('undo of r0')], namesakes)).toEqual(['undo of shop.clean | 12 changed · 1 h ago']);
    expect(runNodes([titled('undo of r0')], now, byId)[0]?.tooltip).toContain('**undo of r0**');
  });
});

describe('the ledgers of several connections', () => {
  const [fresh, stale, held] = states as [SliceState, SliceState, SliceState];

  test('speak together: the first for what it knows, the others for the rest, with their names', () => {
    const known = slicesOfLedgers(
      [
        { connection: 'office', states: [stale] },
        { connection: 'sandbox', states: [fresh, { ...stale, state: 'failed' }, held] },
      ],
      'office',
    );
    expect(known).toEqual([stale, { ...fresh, on: 'sandbox' }, { ...held, on: 'sandbox' }]);
    // Where the first one is silent, what the others say is theirs all the same.
    expect(slicesOfLedgers([{ connection: 'sandbox', states: [held] }], 'office')).toEqual([
      { ...held, on: 'sandbox' },
    ]);
  });

  test('are told apart in the tree, and lead to their own connection', () => {
    const cell = (label: string) => ({
      unit: `shop.clean@${label}T00:00:00Z`,
      from: label,
      to: label,
      label,
      open: false,
    });
    const nodes = sliceNodes({
      ...input,
      slices: slicesByTask([stale, { ...fresh, on: 'sandbox' }]),
      grid: {
        task: 'shop.clean',
        name: 'clean',
        layout: 'days',
        cells: [cell('2026-11-27'), cell('2026-11-28'), cell('2026-11-29')],
        more: false,
      },
      noGrid: undefined,
      isRunnable: true,
      running: new Set<string>(),
      now,
    });
    expect(nodes.map((node) => [said(node), node.connection])).toEqual([
      ['2026-11-29 | stale: why stale', undefined],
      ['2026-11-28 | 1,111 rows, 2 h ago · on sandbox', 'sandbox'],
      ['2026-11-27 | never run from here', undefined],
    ]);
  });

  test('say why one has not answered, and which wants a password', () => {
    const silent = (message: string, wantsPassword: boolean) =>
      silentNode('office', { kind: 'silent', message, wantsPassword });
    expect(
      [silentNode('office', { kind: 'asking' }), silent('refused\nat all', false), silent('no', true)].map(said),
    ).toEqual(['office | asking …', 'office | refused', 'office | asks for a password']);
    expect(silent('no', true).traits).toContain('locked');
    expect(silent('refused', false).traits).not.toContain('locked');
  });

  test('say of the only one why it has not answered beside the name of the view, never over its buttons', () => {
    const connection = 'office';
    const silent = (message: string, wantsPassword: boolean) =>
      ledgerHeading({ connection, kind: 'silent', message, wantsPassword });
    expect(silent('refused\nat all', false)).toEqual({ message: '', description: 'office · refused' });
    expect(silent('wrong password', true)).toEqual({ message: '', description: 'office · wrong password' });
    expect(ledgerHeading({ connection, kind: 'asking' })).toEqual({
      message: 'Asking office …',
      description: 'office',
    });
    expect(ledgerHeading({ connection, kind: 'known' })).toEqual({ message: '', description: 'office' });
    expect(ledgerHeading(undefined)).toEqual({ message: '', description: '' });
    // Nothing of the workspace's connections could be read.
    expect(
      ledgerHeading({ connection: '', kind: 'silent', message: 'not a file', wantsPassword: false }).description,
    ).toBe('not a file');
  });
});

describe('what needs somebody', () => {
  test('is grouped, the gravest first, and a group plans all of its slices', () => {
    const tree = attentionTree({
      states: [
        ...states,
        slice('shop.clean@2026-11-26T00:00:00Z', 'failed'),
        slice('shop.copy@2026-11-26T00:00:00Z', 'stale'),
      ],
      runs: [run('a', { changed: 1 }), run('c', { waiting: 1 })],
      tasks,
      now,
    });
    expect(tree.map(({ label, children }) => [label, ...children.map(said)])).toEqual([
      ['Held for a decision', 'shop.clean · 2026-11-27 | why held'],
      ['Failed', 'shop.clean · 2026-11-26 | why failed'],
      ['Cut off', 'clean | cut off · 1 not run · 1 h ago · run c'],
      ['Stale', 'shop.clean | 1 slice', 'shop.copy | 1 slice'],
    ]);
    expect(urgentCount(tree)).toBe(3);
    // What is not run from here is told, and not planned.
    expect(tree.at(-1)?.units).toEqual(['shop.clean@2026-11-29T00:00:00Z']);
  });

  test('is nothing where all is current', () => {
    expect(attentionTree({ states: states.slice(0, 1), runs: [run('a', { changed: 1 })], tasks, now })).toEqual([]);
  });

  test('names the interval in the zone of its pipeline, and says where a task is gone', () => {
    const berlin = [task('shop.clean', { zone: 'Europe/Berlin' })];
    const [stale] = attentionTree({
      states: [slice('shop.clean@2026-10-31T23:00:00Z', 'stale'), slice('shop.clean@2026-11-01T11:00:00Z', 'stale')],
      runs: [],
      tasks: berlin,
      now,
    });
    expect(stale?.children.map(({ label }) => label)).toEqual([
      'shop.clean · 2026-11-01',
      'shop.clean · 2026-11-01 12:00',
    ]);
    const [gone] = attentionTree({ states: [slice('old.task@2026-11-01T00:00:00Z', 'stale')], runs: [], tasks, now });
    expect(gone?.children.map(said)).toEqual(['old.task · 2026-11-01 | its task is not in the workspace any more']);
    expect(gone?.traits).toEqual(['group']);
  });
});

test('how long ago something was', () => {
  const ago = (ms: number): string => timeAgo(now - ms, now);
  expect([0, 59_000, 60_000, 59 * 60_000, hour, 25 * hour, 49 * hour, -hour].map(ago)).toEqual([
    'just now',
    'just now',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '1 day ago',
    '2 days ago',
    'just now',
  ]);
});
