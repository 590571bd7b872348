import { expect, test } from 'vitest';
import { findGaps, findOpen } from '../../../src/core/run/survey/find-gaps.ts';

const said = (rows: readonly number[], season?: number) =>
  findGaps(
    rows.map((count, index) => ({ unit: String(index), rows: count })),
    season,
  ).map(({ unit, kind, rows: count, usual }) => `${unit} ${kind} ${count} ${usual}`);

test('an interval without a row is missing, also at the end; what comes before the first row is not', () => {
  expect(said([0, 0, 100, 110, 0, 90, 100, 100, 0])).toEqual(['4 missing 0 100', '8 missing 0 100']);
});

test('an empty table has no gaps', () => {
  expect(said([0, 0, 0])).toEqual([]);
  expect(said([])).toEqual([]);
});

test('far fewer or more rows than around it are odd, where enough are usual', () => {
  expect(said([100, 100, 100, 20, 100, 100, 400, 100])).toEqual(['3 odd 20 100', '6 odd 400 100']);
  expect(said([9, 9, 9, 1, 9, 9, 9])).toEqual([]);
  expect(said([1, 1, 1, 50, 1, 1, 1])).toEqual(['3 odd 50 1']);
  expect(said([100, 10])).toEqual([]);
});

test('among intervals that hardly differ, one that came twice or by half is odd; among others it is one of them', () => {
  const steady = Array.from({ length: 28 }, (_, day) => 1000 + (day % 3));
  for (const season of [undefined, 7]) {
    expect(said(steady.with(12, 2000), season)).toEqual([expect.stringMatching(/^12 odd 2000 100\d$/)]);
    expect(said(steady.with(12, 500), season)).toEqual([expect.stringMatching(/^12 odd 500 100\d$/)]);
    expect(said(steady.with(12, 1400), season)).toEqual([]);
    expect(said(steady, season)).toEqual([]);
  }
  const restless = Array.from({ length: 28 }, (_, day) => 1000 + ((day * 389) % 700));
  expect(said(restless.with(12, 2400))).toEqual([]);
  // Few of them may be alike by chance.
  expect(said([100, 100, 200, 100])).toEqual([]);
  const weeks = Array.from({ length: 35 }, (_, day) => (day % 7 === 6 ? 500 : 1000));
  expect(said(weeks, 7)).toEqual([]);
  expect(said(weeks.with(20, 1000), 7)).toEqual([]);
});

test('a day that is like those of other weeks is not odd', () => {
  const weeks: readonly number[] = Array.from({ length: 28 }, (_, day) => (day % 7 === 6 ? 20 : 100));
  expect(said(weeks)).toEqual(['6 odd 20 100', '13 odd 20 100', '20 odd 20 100', '27 odd 20 100']);
  expect(said(weeks, 7)).toEqual([]);
  expect(said(weeks.with(13, 1), 7)).toEqual(['13 odd 1 100']);
});

test('what too few others are there to judge by is open, and not as usual', () => {
  const open = (rows: readonly number[], season?: number) =>
    findOpen(
      rows.map((count, index) => ({ unit: String(index), rows: count })),
      season,
    ).map(({ unit, rows: count, usual }) => `${unit} ${count} ${usual}`);
  const nine = [100, 100, 100, 100, 2, 100, 1000, 100, 100];
  expect(open(nine, 7)).toEqual(['4 2 100', '6 1000 100']);
  expect(said(nine, 7)).toEqual([]);
  expect(open(nine)).toEqual([]);
  expect(open([100, 3, 0])).toEqual(['0 100 undefined', '1 3 undefined']);
  expect(open([0, 0, 100, 100, 90, 100])).toEqual([]);
  expect(
    open(
      Array.from({ length: 41 }, (_, day) => (day === 20 ? 2 : 100)),
      7,
    ),
  ).toEqual([]);
});
