import { describe, expect, test } from 'vitest';
import type { RecordedInput } from '../../../src/core/ledger/recorded-input.ts';
import { type SliceVersionRecord, staleSlices } from '../../../src/core/ledger/stale-slices.ts';
import { undoMark } from '../../../src/core/ledger/undo-mark.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

const dayMs = 86_400_000;
const start = Date.parse('2026-11-01T00:00:00Z');
const at = (day: number): string => new Date(start + day * dayMs).toISOString();

let ids = 0;
/** A version of day `day` of a table, holding `content`. */
function made(table: string, day: number, content: string, inputs: readonly RecordedInput[] = []): SliceVersionRecord {
  ids += 1;
  return {
    id: ids,
    madeAt: ids,
    run: `run-${ids}`,
    unit: `${table}@${day}`,
    task: table,
    slice: `${table}|${day}`,
    target: table,
    lower: start + day * dayMs,
    upper: start + (day + 1) * dayMs,
    rows: 1,
    rowChecksum: content,
    algorithm: 'a',
    codeHash: `code of ${table}`,
    inputs,
    committedAt: instant(start),
  };
}

/** The window of days `[from, to)` of a table as it was when these versions were its newest. */
const read = (table: string, from: number, to: number, ...versions: readonly SliceVersionRecord[]): RecordedInput => ({
  table,
  from: at(from),
  to: at(to),
  versions: versions.length === 0 ? null : versions,
});

const stale = (versions: readonly SliceVersionRecord[], codeHashes = new Map<string, string>()) =>
  staleSlices(versions, codeHashes).map(
    ({ version, reasons }) => `${version.unit} ${reasons.map((reason) => reason.kind).join(' ')}`,
  );

describe('stale slices', () => {
  test('nothing is stale right after a run', () => {
    const orders = made('orders', 1, 'x');
    expect(stale([orders, made('daily', 1, 'y', [read('orders', 1, 2, orders)])])).toEqual([]);
  });

  test('what read a table that each interval makes anew is not stale by the next interval, but by its own made again', () => {
    const whole = { slice: 'stage|', lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
    const first = { ...made('stage', 1, 'x'), ...whole };
    const daily = made('daily', 1, 'y', [read('stage', -99, 99, first)]);
    const next = { ...made('stage', 2, 'z'), ...whole };
    expect(stale([first, daily, next])).toEqual([]);
    const again = { ...made('stage', 1, 'other'), ...whole };
    expect(stale([again, daily, next])).toEqual(['daily@1 input']);
  });

  test('what read a table of unknown slices before any interval wrote it is stale by those that come before it alone', () => {
    const whole = { slice: 'stage|', lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
    const stage = (day: number) => ({ ...made('stage', day, `x${day}`), ...whole, unit: `stage@${at(day)}` });
    const daily = { ...made('daily', 2, 'y', [read('stage', 2, 3)]), unit: `daily@${at(2)}` };
    expect(stale([daily, stage(3), stage(4)])).toEqual([]);
    expect(stale([daily, stage(2), stage(3)])).toHaveLength(1);
    expect(stale([daily, stage(1)])).toHaveLength(1);
    const late = { ...daily, unit: `daily@${at(5)}` };
    expect(stale([late, stage(4)])).toHaveLength(1);
  });

  test('a slice whose run was undone is stale, and not by its code', () => {
    const daily = { ...made('daily', 1, 'y'), codeHash: undoMark('run-7') };
    expect(staleSlices([daily], new Map([['daily', 'code of daily']]))).toMatchObject([
      { reasons: [{ kind: 'undone', run: 'run-7' }] },
    ]);
  });

  test('a slice whose undo was undone is judged by the run whose rows are there again', () => {
    const orders = made('orders', 1, 'x');
    const daily = made('daily', 1, 'y', [read('orders', 1, 2, orders)]);
    const again = { ...daily, id: daily.id + 10, run: 'the undo of the undo' };
    expect(stale([orders, again], new Map([['daily', daily.codeHash]]))).toEqual([]);
    const rewritten = { ...orders, id: daily.id + 1, madeAt: daily.id + 1, rowChecksum: 'z' };
    expect(stale([rewritten, again])).toEqual(['daily@1 input']);
    expect(stale([orders, again], new Map([['daily', 'other code']]))).toEqual(['daily@1 code']);
  });

  test('a parent that was rewritten with other rows makes its child stale, and what is behind it', () => {
    const orders = made('orders', 1, 'x');
    const daily = made('daily', 1, 'y', [read('orders', 1, 2, orders)]);
    const weekly = made('weekly', 1, 'z', [read('daily', 1, 2, daily)]);
    expect(stale([made('orders', 1, 'x2'), daily, weekly])).toEqual(['daily@1 input', 'weekly@1 behind']);
  });

  test('a parent that was rewritten with the same rows does not', () => {
    const daily = made('daily', 1, 'y', [read('orders', 1, 2, made('orders', 1, 'x'))]);
    expect(stale([made('orders', 1, 'x'), daily])).toEqual([]);
  });

  test('only slices inside the read window count, at both ends', () => {
    const days = [0, 1, 2, 3].map((day) => made('orders', day, 'x'));
    const daily = made('daily', 1, 'y', [read('orders', 1, 3, ...days.slice(1, 3))]);
    const rewritten = (day: number) =>
      stale([...days.filter((_, index) => index !== day), made('orders', day, 'n'), daily]);
    expect([0, 1, 2, 3].map((day) => rewritten(day).length)).toEqual([0, 1, 1, 0]);
  });

  test('a slice of another grain that lies in the window counts', () => {
    const orders = made('orders', 1, 'x');
    const daily = made('daily', 1, 'y', [read('orders', 1, 2, orders)]);
    const month = { ...made('orders', 0, 'm'), slice: 'orders|month', upper: start + 30 * dayMs };
    expect(stale([orders, daily, month])).toEqual(['daily@1 input']);
  });

  test('an input that no run had written, and that one writes later, makes it stale', () => {
    const daily = made('daily', 1, 'y', [read('orders', 1, 2)]);
    expect(stale([daily, made('orders', 1, 'x')])).toEqual(['daily@1 input']);
  });

  test('changed code is a reason; a task that is gone is not judged by its code', () => {
    const daily = made('daily', 1, 'y');
    expect(stale([daily], new Map([['daily', 'new code']]))).toEqual(['daily@1 code']);
    expect(stale([daily], new Map([['daily', 'code of daily']]))).toEqual([]);
    expect(stale([daily], new Map([['other', 'x']]))).toEqual([]);
  });

  test('a task that reads its own day before is stale from the changed day on', () => {
    const first = made('balance', 1, 'a');
    const second = made('balance', 2, 'b', [read('balance', 1, 2, first)]);
    const third = made('balance', 3, 'c', [read('balance', 2, 3, second)]);
    expect(stale([made('balance', 1, 'a2'), second, third])).toEqual(['balance@2 input', 'balance@3 behind']);
  });

  test('an open window is not closed by accident', () => {
    const orders = made('orders', 1, 'x');
    const open = { ...read('orders', 0, 0, orders), from: '-infinity', to: 'infinity' };
    expect(
      stale([made('orders', 1, 'n'), made('orders', 9, 'x'), { ...made('all', 1, 'y', [open]), id: 0, madeAt: 0 }]),
    ).toEqual(['all@1 input']);
  });
});
