import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { progressText } from '../../../src/cli/reporters/run/progress-writer.ts';
import { difference, runText } from '../../../src/cli/reporters/run/run-text.ts';
import { cutToWidth, displayWidth } from '../../../src/cli/reporters/text/display-width.ts';
import { durationText } from '../../../src/cli/reporters/text/duration-text.ts';
import { textTable } from '../../../src/cli/reporters/text/text-table.ts';
import { colorsWanted } from '../../../src/cli/terminal/process-shell.ts';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import type { SliceFigures } from '../../../src/core/diff/slice-figures.ts';
import { runJson } from '../../../src/core/run/stored/run-json.ts';
import type { RunResult, RunUnit } from '../../../src/core/run/unit/run-result.ts';

const plain = pc.createColors(false);
const painted = pc.createColors(true);

describe('widths', () => {
  test.each([
    ['abc', 3],
    ['Größe', 5],
    ['表', 2],
    ['🙂', 2],
    ['e\u0301', 1],
    [painted.red('abc'), 3],
    ['', 0],
  ])('%j', (text, width) => expect(displayWidth(text)).toBe(width));

  test('cutting never splits a character or goes over', () => {
    expect(cutToWidth('short', 10)).toBe('short');
    expect(cutToWidth('abcdef', 4)).toBe('abc…');
    expect(displayWidth(cutToWidth('表表表表', 4))).toBeLessThanOrEqual(4);
    expect(cutToWidth('a🙂🙂', 3)).toBe('a…');
  });

  test('columns stay under each other with colours and wide characters', () => {
    const lines = textTable(
      [{ title: 'name' }, { title: 'n', align: 'right' }, { title: 'never' }, { title: 'last' }],
      [
        [painted.green('表'), '7', '', 'x'],
        ['abcdef', '1000', '', 'y'],
      ],
      { width: 500, paintTitle: (text) => text },
    );
    expect(lines).toEqual(['name       n  last', `${painted.green('表')}         7  x`, 'abcdef  1000  y']);
  });
});

test('in a narrow terminal the last cell gets a line of its own', () => {
  const rows = [
    ['a', 'because of this and that'],
    ['bb', ''],
  ];
  expect(textTable([{ title: 'unit' }, { title: 'why' }], rows, { width: 20, paintTitle: (text) => text })).toEqual([
    'unit',
    'a',
    '    because of this and that',
    'bb',
  ]);
});

test.each([
  [400, '0.4 s'],
  [12_400, '12 s'],
  [185_000, '3 min 05 s'],
  [7_620_000, '2 h 07 min'],
])('%d ms is %s', (ms, text) => expect(durationText(ms)).toBe(text));

test('progress says how far, how fast and how long', () => {
  const progress = {
    finished: 12,
    total: 66,
    running: 2,
    failed: 1,
    held: 0,
    blocked: 3,
    elapsedMs: 15_000,
    unitsPerMinute: 48,
    remainingMs: 65_000,
  };
  expect(progressText(progress)).toBe(
    '[###-----------------] 12/66 · 2 running · 1 failed · 3 blocked · 48 a minute · about 1 min 05 s left',
  );
  expect(
    progressText({
      ...progress,
      finished: 0,
      failed: 0,
      blocked: 0,
      unitsPerMinute: undefined,
      remainingMs: undefined,
    }),
  ).toBe('[--------------------] 0/66 · 2 running');
});

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, true, false],
])('colours with %j on a terminal: %j → %j', (env, terminal, wanted) =>
  expect(colorsWanted(env, terminal)).toBe(wanted),
);

const figures = (rows: number, rowChecksum: string): SliceFigures => ({
  rows,
  rowChecksum,
  keyChecksum: `k${rowChecksum}`,
  algorithm: 'a',
  duplicateKeys: 0,
});
const slice: SliceDiff = {
  table: 'mart.sales',
  column: 'day',
  from: '2026-11-28T00:00:00Z',
  to: '2026-11-29T00:00:00Z',
  before: figures(10, '0123456789abcdef'),
  after: figures(11, 'fedcba9876543210'),
  added: 1,
  removed: 0,
  changed: 2,
  columns: [{ column: 'amount', rows: 2 }],
  samples: [
    { kind: 'added', key: { id: '9' }, before: undefined, after: { id: '9', amount: null } },
    { kind: 'changed', key: { id: '1' }, before: { id: '1', amount: '5' }, after: { id: '1', amount: '-5' } },
    { kind: 'changed', key: { id: '2' }, before: { id: '2', amount: '6' }, after: { id: '2', amount: '-6' } },
  ],
  method: 'key',
  key: ['id'],
  leftOut: [],
  causes: [],
};
const unit = (changes: Partial<RunUnit>): RunUnit => ({
  unit: 'shop.sales@2026-11-28T00:00:00Z',
  state: 'changed',
  attempts: 1,
  message: undefined,
  durationMs: 1200,
  slices: [],
  ran: true,
  error: undefined,
  cancelConfirmed: undefined,
  notes: [],
  ...changes,
});
const result = (changes: Partial<RunResult>): RunResult => ({
  run: 'r1',
  preview: false,
  outcome: 'done',
  refusal: undefined,
  problem: undefined,
  units: [unit({ slices: [slice] })],
  durationMs: 1200,
  ...changes,
});

test('changed rows that are equal within tolerance are told apart', () => {
  const near: SliceDiff = {
    ...slice,
    changed: 12,
    withinTolerance: 10,
    columns: [
      { column: 'amount', rows: 12, withinTolerance: 10 },
      { column: 'share', rows: 3, withinTolerance: 3 },
      { column: 'one', rows: 1, withinTolerance: 1 },
      { column: 'note', rows: 1 },
    ],
  };
  expect(difference(near, plain)).toBe(
    '+1 −0 ~12 (10 equal within tolerance) amount 12 (10 equal within tolerance), share 3 (all equal within tolerance), ' +
      'one 1 (equal within tolerance), note 1',
  );
});

test('a finished run as text', () => {
  expect(
    runText({ result: result({}), samples: 1, width: 500 }, plain),
  ).toBe(`unit                             table       state    rows         row checksum         rows added, removed, changed
shop.sales@2026-11-28T00:00:00Z  mart.sales  changed    10  →  11  89abcdef → 76543210  +1 −0 ~2 amount 2

net change  slices     rows in changed ones  added  removed  changed
mart.sales  1 changed  10 → 11 (+1)             +1       −0       ~2

shop.sales@2026-11-28T00:00:00Z mart.sales
  + id=9 amount=NULL
  ~ id=1  amount: 5 → -5

run r1: 0 unchanged, 1 changed in 1.2 s
`);
});

test('many slices are summed up by table, and listed where that is asked for', () => {
  const same = unit({ state: 'unchanged', slices: [slice] });
  const sums = [
    { column: 'amount', before: '10.50', after: '9.25' },
    { column: 'pieces', before: '3', after: '3' },
  ];
  const changed = unit({ slices: [{ ...slice, sums }] });
  const held = unit({
    unit: 'shop.sales@2026-11-29T00:00:00Z',
    state: 'held',
    slices: [slice],
    message: 'empty\nlook',
  });
  const view = { result: result({ units: [...Array(50).fill(same), changed, held] }), samples: 0, width: 500 };
  const text = runText(view, plain);
  const lines = text.split('\n');
  expect(lines.filter((line) => line.startsWith('shop.sales@2026-11-28'))).toEqual([]);
  // What somebody has to decide about is listed.
  expect(lines.filter((line) => line.startsWith('shop.sales@2026-11-29'))).toHaveLength(1);
  expect(lines.find((line) => line.startsWith('mart.sales'))?.split(/ {2,}/)).toEqual([
    'mart.sales',
    '1 changed, 50 unchanged',
    '10 → 11 (+1)',
    '+1',
    '−0',
    '~2',
    'amount 10.5 → 9.25 (−1.25)',
  ]);
  const every = runText({ ...view, units: true }, plain).split('\n');
  expect(every.filter((line) => line.startsWith('shop.sales@2026-11-28'))).toHaveLength(51);
});

test('trouble is said with what to do, and what to type next', () => {
  const error = {
    kind: 'missing' as const,
    message: 'relation "x" does not exist',
    remedy: 'create it',
    retryable: false,
    sqlState: '42P01',
    statement: 'select *\nfrom x',
  };
  const text = runText(
    {
      result: result({
        outcome: 'failed',
        units: [
          unit({ state: 'failed', error, message: error.message }),
          unit({ unit: 'b@1', state: 'blocked', message: 'waits' }),
        ],
      }),
      samples: 0,
      width: 500,
    },
    plain,
  );
  expect(text).toBe(`failed shop.sales@2026-11-28T00:00:00Z  relation "x" does not exist
  help create it
  | select *
  | from x
blocked 1 unit of b: the first waits

run r1: 0 unchanged, 0 changed, 1 failed, 1 blocked in 1.2 s
go on with: backfill resume r1 (it sends the SQL of then; where that was changed since, it says how to plan what is left anew)
`);
  expect(
    runText(
      {
        result: result({ outcome: 'held', units: [unit({ state: 'held', message: 'came out empty' })] }),
        samples: 0,
        width: 500,
      },
      plain,
    ),
  ).toContain('backfill resume r1 --accept-held');
  expect(
    runText({ result: result({ outcome: 'cancelled' }), samples: 0, width: 500, connection: 'dw' }, plain),
  ).toContain('go on with: backfill resume r1 --connection dw\n');
  const twice = ['a@1', 'b@1'].map((name) => unit({ unit: name, state: 'failed', error, message: error.message }));
  const said = runText({ result: result({ outcome: 'failed', units: twice }), samples: 0, width: 500 }, plain);
  expect(said.match(/help create it/g)).toHaveLength(1);
  const undone = { result: result({ outcome: 'failed', units: twice }), samples: 0, width: 500, undoneBy: 'r2' };
  expect(runText(undone, plain)).toMatch(/2 failed in 1.2 s\nrun r2 has undone it\n$/);
  expect(runText({ result: result({ preview: true }), samples: 0, width: 500 }, plain)).toContain(
    'preview: 0 unchanged, 1 changed in 1.2 s; nothing was written',
  );
  const previewed = {
    way: 'transaction' as const,
    connection: 'clone',
    traces: { deadRows: [{ table: 'mart.daily', rows: 12 }], sequences: ['mart.ids'] },
  };
  expect(runText({ result: result({ preview: true }), samples: 0, width: 500, previewed }, plain)).toContain(
    `note: The preview was rolled back, and left 12 dead rows in mart.daily behind; to free them: VACUUM mart.daily;
note: The preview took numbers from mart.ids, which do not go back.
preview on clone: 0 unchanged, 1 changed in 1.2 s; nothing was written`,
  );
  expect(
    runText(
      {
        result: result({
          units: [],
          outcome: 'refused',
          refusal: { code: 'unknown-run', message: 'there is no run r1', remedy: undefined },
        }),
        samples: 0,
        width: 500,
      },
      plain,
    ),
  ).toBe('nothing was run: there is no run r1\n');
});

test('units that were run and not compared say why, once for all of one reason', () => {
  const reason = 'run by prod, not compared: which tables d.a writes is not known';
  const done = (day: number) => ({
    ...unit({ state: 'done', message: reason }),
    unit: `d.a@2026-11-0${day}T00:00:00Z`,
  });
  const text = runText({ result: result({ units: [done(1), done(2)] }), samples: 0, width: 500 }, plain);
  expect(text).toContain(`done 2 units, ${reason}\n`);
  expect(text).toContain('0 unchanged, 0 changed, 2 done in');
});

test('the run contract', () => {
  expect(runJson(result({}), 'postgres://db/shop')).toEqual({
    version: 1,
    runId: 'r1',
    preview: false,
    outcome: 'done',
    refusal: null,
    problem: null,
    target: 'postgres://db/shop',
    notes: [],
    forecast: null,
    previewed: null,
    tables: [
      {
        table: 'mart.sales',
        changedSlices: 1,
        unchangedSlices: 0,
        rowsBefore: 10,
        rowsAfter: 11,
        netRows: 1,
        added: 1,
        removed: 0,
        changed: 2,
        columns: [],
      },
    ],
    units: [
      {
        id: 'shop.sales@2026-11-28T00:00:00Z',
        state: 'changed',
        cause: null,
        error: null,
        attempts: 1,
        durationMs: 1200,
        notes: [],
        slices: [
          {
            table: 'mart.sales',
            column: 'day',
            from: '2026-11-28T00:00:00Z',
            to: '2026-11-29T00:00:00Z',
            rowsBefore: 10,
            rowsAfter: 11,
            keyChecksumBefore: 'k0123456789abcdef',
            keyChecksumAfter: 'kfedcba9876543210',
            rowChecksumBefore: '0123456789abcdef',
            rowChecksumAfter: 'fedcba9876543210',
            added: 1,
            removed: 0,
            changed: 2,
            withinTolerance: null,
            columns: slice.columns,
            sums: null,
            samples: slice.samples,
            causes: [],
            leftOut: [],
            surrogates: [],
            leftOver: null,
          },
        ],
      },
    ],
  });
});

test('each slice of a changed unit says its own state', () => {
  const same: SliceDiff = {
    ...slice,
    table: 'mart.aud',
    after: slice.before,
    added: 0,
    removed: 0,
    changed: 0,
    columns: [],
    samples: [],
  };
  const text = runText({ result: result({ units: [unit({ slices: [slice, same] })] }), samples: 0, width: 500 }, plain);
  expect(text).toMatch(/ mart\.sales +changed /);
  expect(text).toMatch(/ mart\.aud +unchanged +10 +→ +10 +89abcdef\n/);
});

test('what only waits for what is run elsewhere is not said to go on by a resume, which would not run it', () => {
  const error = { kind: 'refused' as const, message: 'runs Python', remedy: 'run it there', retryable: false };
  const units = [
    unit({ unit: 'd.a@1', state: 'blocked', error: { ...error, sqlState: undefined, statement: undefined } }),
    unit({ unit: 'd.b@1', state: 'blocked', slices: [] }),
  ];
  const said = (more: readonly RunUnit[]) =>
    runText({ result: result({ outcome: 'failed', units: [...units, ...more] }), samples: 0, width: 500 }, plain);
  expect(said([])).toMatch(/once it was run elsewhere: backfill done r1 d\.a@1\n$/);
  expect(said([unit({ unit: 'd.c@1', state: 'failed' })])).toContain('go on with: backfill resume r1');
});

test('what stopped halfway is not said to go on by a resume that leaves it out', () => {
  const units = [
    unit({ unit: 'd.a@1', state: 'unknown', slices: [] }),
    unit({ unit: 'd.b@1', state: 'blocked', slices: [] }),
  ];
  const halfway = runText(
    { result: result({ outcome: 'failed', units }), samples: 0, width: 500, connection: 'dw' },
    plain,
  );
  expect(halfway).toContain('go on with: backfill resume r1 --connection dw --not-atomic d.a\n');
  expect(halfway).not.toMatch(/^go on with/m);
});
