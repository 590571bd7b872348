import { describe, expect, test } from 'vitest';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import { detailLine } from '../../../src/core/view/page/detail-line.ts';
import { type ChartInput, chartView } from '../../../src/core/view/page/outcome/chart-view.ts';
import { stopsOf } from '../../../src/core/view/page/outcome/stops.ts';
import { totalsView } from '../../../src/core/view/page/outcome/totals-view.ts';
import { unitRows } from '../../../src/core/view/page/outcome/unit-rows.ts';
import type { PlanGrid } from '../../../src/core/view/page/plan-view.ts';

const figures = (rows: number, rowChecksum: string) => ({
  rows,
  rowChecksum,
  keyChecksum: undefined,
  algorithm: 'a',
  duplicateKeys: undefined,
});

const slice = (patch: Partial<SliceDiff> = {}): SliceDiff => ({
  table: 'mart.clean',
  column: 'day',
  from: undefined,
  to: undefined,
  before: figures(100, 'x'),
  after: figures(100, 'y'),
  added: 0,
  removed: 0,
  changed: 20,
  columns: [{ column: 'net', rows: 20 }],
  samples: [],
  method: 'key',
  key: ['id'],
  leftOut: [],
  causes: [],
  ...patch,
});

const units = ['a', 'b', 'c'];
const plan = {
  purpose: { kind: 'run' },
  units: units.map((id) => ({ id, task: 'shop.clean' })),
  rows: [
    { task: 'shop.clean', name: 'clean', units: [0, 1, 2], tables: ['mart.clean'], engine: undefined, left: undefined },
    { task: 'shop.sums', name: 'sums', units: [], tables: [], engine: undefined, left: 'left out' },
  ],
} as unknown as PlanGrid;

describe('figures of a unit', () => {
  test('are those of all of its slices; a share is of the rows of before or after, whichever are more', () => {
    expect(unitRows([slice(), slice({ added: 50, changed: 0, after: figures(150, 'z') })])).toEqual({
      before: 200,
      after: 250,
      added: 50,
      removed: 0,
      changed: 20,
      share: 70 / 250,
    });
  });

  test('without a key a changed row is one removed and one added, and the share stays one at most', () => {
    const rows = unitRows([slice({ method: 'multiset', added: 100, removed: 100, changed: undefined })]);
    expect(rows).toMatchObject({ changed: 0, share: 1 });
  });

  test('what was not compared has no share, and nothing looked at has no figures', () => {
    expect(
      unitRows([slice({ method: 'none', added: undefined, removed: undefined, changed: undefined })]),
    ).toMatchObject({ share: undefined, before: 100 });
    expect(unitRows([])).toBeUndefined();
  });
});

describe('the chart', () => {
  const rows = [
    unitRows([slice()]),
    unitRows([slice({ before: figures(80, 'x'), after: figures(20, 'y') })]),
    undefined,
  ];
  const unasked: ChartInput = {
    plan,
    task: 'shop.clean',
    mode: undefined,
    states: [],
    rows: [],
    now: new Map(),
    isConnected: true,
    isAsked: true,
    slicesOf: () => [],
    survey: undefined,
    chosen: undefined,
  };
  const chart = (mode: 'run' | 'preview' | undefined, states: readonly UnitState[], now = new Map<string, number>()) =>
    chartView({ ...unasked, mode, states, rows: mode === undefined ? [] : rows, now });

  test('held slices count as before, and stand where they would be', () => {
    const view = chart('run', ['changed', 'held', 'waiting']);
    expect(view).toMatchObject({ title: 'What changed in clean', totals: { before: 180, after: 180 } });
    expect(view?.points).toEqual([
      { index: 0, before: 100, after: 100, look: 'changed' },
      { index: 1, before: 80, after: 20, look: 'held' },
      { index: 2, before: undefined, after: undefined, look: 'open' },
    ]);
  });

  test('before anything is compared the present rows stand alone', () => {
    const view = chart(undefined, [], new Map([['b', 7]]));
    expect(view).toMatchObject({
      title: 'What is there now in clean',
      sides: { before: 'now', after: undefined },
      totals: { before: 7, after: undefined },
      note: 'as last counted',
    });
  });

  test('nothing known is said, and is no zero', () => {
    const view = chart(undefined, []);
    expect(view).toMatchObject({ totals: undefined, note: expect.stringContaining('Not known') });
    expect(chart('preview', ['changed', 'unchanged', 'unchanged'])?.sides.after).toBe('would be');
  });

  test('a task without slices in the plan has none', () => {
    expect(chartView({ ...unasked, task: 'shop.sums' })).toBeUndefined();
  });

  test('says of what is not known whether the database was asked', () => {
    const note = (isAsked: boolean) => chartView({ ...unasked, isAsked })?.note;
    expect(note(true)).toBe('Not known: no run from here has made these slices yet.');
    expect(note(false)).toBe('Not known: the database has not told yet what is there.');
    expect(chartView({ ...unasked, isAsked: false, isConnected: false })?.note).toBe(
      'Not known before a warehouse is connected.',
    );
  });
});

describe('the chart of a column', () => {
  const sum = (before: string, after: string) => [{ column: 'net', before, after }];
  const survey = {
    columns: ['net', 'tax'],
    sum: {
      of: 'net',
      by: new Map([
        ['b', '7.25'],
        ['c', '-2'],
      ]),
    },
  };
  const chart = (patch: Partial<ChartInput>) =>
    chartView({
      plan,
      task: 'shop.clean',
      mode: 'run',
      states: ['changed', 'unchanged', 'waiting'],
      rows: [unitRows([slice()]), undefined, undefined],
      now: new Map(),
      isConnected: true,
      isAsked: true,
      slicesOf: (unit) => (unit === 'a' ? [slice({ sums: sum('10.10', '9.60') })] : []),
      survey,
      chosen: undefined,
      ...patch,
    });

  test('is shown where rows are as many as before and it adds up to something else', () => {
    expect(chart({})).toMatchObject({
      measure: 'sum of net',
      measures: ['row count', 'sum of net', 'sum of tax'],
      points: [
        { before: 10.1, after: 9.6, look: 'changed' },
        { before: 7.25, after: 7.25, look: 'same' },
        { before: -2, after: undefined, look: 'open' },
      ],
      totals: { before: 15.35, after: 14.85, difference: -0.5 },
      note: undefined,
    });
    const rows = slice({ after: figures(90, 'y'), sums: sum('10.10', '9.60') });
    expect(chart({ slicesOf: () => [rows] })?.measure).toBe('row count');
    expect(chart({ chosen: 'row count' })?.measure).toBe('row count');
    expect(chart({ chosen: 'sum of gone' })?.measure).toBe('sum of net');
  });

  test('is that of what changed alone until the database has told the others', () => {
    expect(chart({ survey: undefined })).toMatchObject({
      measures: ['row count', 'sum of net'],
      totals: { before: 10.1, after: 9.6, difference: -0.5 },
      note: 'of those that changed',
    });
  });

  test('says whether it is asked for or cannot be told, and shows no sum that is no number', () => {
    const tax = { chosen: 'sum of tax', states: [], rows: [], mode: undefined } as const;
    expect(chart(tax)).toMatchObject({ totals: undefined, note: 'The database is asked what this adds up to.' });
    const none = { columns: ['tax'], sum: { of: 'tax', by: new Map() } };
    expect(chart({ ...tax, survey: none })?.note).toBe('Not known: the database could not add this up.');
    const nan = {
      columns: ['tax'],
      sum: {
        of: 'tax',
        by: new Map([
          ['a', 'NaN'],
          ['b', '3'],
        ]),
      },
    };
    expect(chart({ ...tax, survey: nan })).toMatchObject({
      points: [{ before: undefined }, { before: 3 }, {}],
      totals: { before: 3 },
    });
  });

  test('of a changed unit that was not compared nothing is said, whatever was counted since', () => {
    const counted = { columns: ['net'], sum: { of: 'net', by: new Map([['a', '5']]) } };
    expect(chart({ slicesOf: () => [], survey: counted, chosen: 'sum of net' })?.points[0]).toMatchObject({
      before: undefined,
      after: undefined,
    });
  });
});

test('while nothing has come of a run yet, no difference is said', () => {
  const now = new Map([['a', 7]]);
  const input = {
    plan,
    task: 'shop.clean',
    rows: [],
    now,
    isConnected: true,
    isAsked: true,
    slicesOf: () => [],
    survey: undefined,
    chosen: undefined,
  };
  expect(chartView({ ...input, mode: 'run', states: ['running', 'waiting', 'waiting'] })?.totals).toEqual({
    before: 7,
    after: undefined,
    difference: undefined,
  });
});

describe('totals', () => {
  const totals = (states: readonly UnitState[], slices: ReadonlyMap<string, readonly SliceDiff[]>, now = new Map()) =>
    totalsView({
      plan,
      states,
      slicesOf: (unit) => slices.get(unit) ?? [],
      now,
      untold: ['mart.clean: the count was given up after 10 s', 'mart.clean_old: it is not there'],
    });

  test('add up what changed, and what would be lost by held slices is not among it', () => {
    const held = slice({ removed: 100, changed: 0, after: figures(0, '') });
    const found = totals(
      ['changed', 'held', 'unchanged'],
      new Map([
        ['a', [slice({ added: 3 })]],
        ['b', [held]],
      ]),
    );
    expect(found).toEqual([
      {
        task: 'shop.clean',
        table: 'mart.clean',
        notCompared: undefined,
        slices: { changed: 1, held: 1, of: 3 },
        added: 3,
        removed: 0,
        changed: 20,
        columns: [{ name: 'net', rows: 20 }],
        now: undefined,
        untold: 'the count was given up after 10 s',
      },
    ]);
  });

  test('before a run they are the rows that are there, where that is known of every slice', () => {
    const part = new Map([
      ['a', 5],
      ['c', 6],
    ]);
    expect(totals([], new Map(), part)).toMatchObject([{ now: undefined, slices: { changed: 0 } }]);
    expect(totals([], new Map(), new Map([...part, ['b', 0]]))).toMatchObject([{ now: 11, slices: { changed: 0 } }]);
  });
});

test('what was held or failed is looked at first; otherwise what changed, in the order of the grid', () => {
  const rows = [{ units: [2, 0] }, { units: [1] }];
  expect(stopsOf(rows, ['changed', 'changed', 'unchanged'])).toEqual([0, 1]);
  expect(stopsOf(rows, ['changed', 'held', 'failed'])).toEqual([2, 1]);
  expect(stopsOf(rows, [])).toEqual([]);
});

test('a statement that a note advises can be carried away', () => {
  const note = 'mart.clean holds 9812 dead rows; to free them: VACUUM (ANALYZE) mart.clean;';
  expect(detailLine('vacuum', note).copy).toBe('VACUUM (ANALYZE) mart.clean;');
  expect(detailLine('reads', 'about 28,000 rows').copy).toBeUndefined();
});
