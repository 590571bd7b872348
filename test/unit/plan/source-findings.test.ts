import { describe, expect, test } from 'vitest';
import type { DeclaredSource } from '../../../src/core/lineage/facts/declared-sources.ts';
import type { ReadWindow } from '../../../src/core/lineage/facts/facts.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { PlannableTask, PlanRequest, SourceRead } from '../../../src/core/plan/model/plan-request.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { type PipelineText, workspace } from '../lineage/workspace.ts';
import { at, cadence, days, end, own, range, request, start, task, unbounded, unknown, window } from './planning.ts';

const grid = cadence('day', 'UTC', '2024-01-01', '2024-07-01');
const now = at('2024-06-30T12:00:00Z');
const kept = (words: string, offset: { days?: number; months?: number }): DeclaredSource => ({
  table: 'raw.events',
  retention: { words, offset: { months: 0, days: 0, ms: 0, ...offset } },
  mutable: false,
  snapshots: undefined,
});
const thirty = kept('30 days', { days: 30 });
const shops: DeclaredSource = { table: 'raw.shops', retention: undefined, mutable: true, snapshots: undefined };

const reading = (source: DeclaredSource, read: ReadWindow, more: Partial<SourceRead> = {}): SourceRead => ({
  source,
  window: read,
  writers: [],
  makes: undefined,
  ...more,
});

function found(
  sources: readonly SourceRead[],
  from: string,
  to: string,
  more: Partial<PlanRequest> = {},
  changes: Partial<PlannableTask> = {},
): readonly string[] {
  const plan = makePlan(
    [task('t', grid, {}, { sources, ...changes })],
    request(['t'], range(from, to), { now, ...more }),
  );
  return plan.findings
    .filter(({ code }) => code === 'retention' || code === 'mutable-source')
    .map(({ severity, message }) => `${severity} ${message}`);
}

describe('retention', () => {
  // 30 days before now: 2024-05-31T12:00Z.
  test('what is kept is silent', () => {
    expect(found([reading(thirty, own)], '2024-06-01', '2024-06-30')).toEqual([]);
    expect(found([reading(kept('6 months', { months: 6 }), own)], '2024-01-01', '2024-06-30')).toEqual([]);
  });

  test('what is gone stops the plan, and says how many intervals lose what', () => {
    expect(found([reading(thirty, own)], '2024-05-29', '2024-06-10')).toEqual([
      'error t reads what is gone: raw.events keeps 30 days, so that its rows from before 2024-05-31T12:00:00Z are gone at the source. Of the 3 intervals from 2024-05-29T00:00:00Z, the last from 2024-05-31T00:00:00Z, 2 would find none of their rows and come out empty, 1 would find only some of their rows and come out too small.',
    ]);
  });

  test('a rolling window reaches further back than its interval', () => {
    const rolling = window(start(days(-6)), end());
    expect(found([reading(thirty, rolling)], '2024-06-06', '2024-06-30')[0]).toContain(
      'The interval from 2024-06-06T00:00:00Z would find only some of its rows and come out too small.',
    );
    expect(found([reading(thirty, rolling)], '2024-06-07', '2024-06-30')).toEqual([]);
  });

  test('a calendar month back is a calendar month', () => {
    const month = kept('1 month', { months: 1 });
    expect(found([reading(month, own)], '2024-05-30', '2024-06-30')[0]).toContain('before 2024-05-30T12:00:00Z');
    expect(found([reading(month, own)], '2024-05-31', '2024-06-30')).toEqual([]);
  });

  test('it is let through when asked, and where Airflow runs the task', () => {
    expect(found([reading(thirty, own)], '2024-05-01', '2024-05-02', { allowExpired: true })[0]).toMatch(/^warning /);
    const airflow = { executor: { kind: 'airflow', reason: 'Python' } } as const;
    expect(found([reading(thirty, own)], '2024-05-01', '2024-05-02', {}, airflow)[0]).toMatch(/^warning /);
  });

  test.each([
    ['cumulative', window(undefined, end())],
    ['unbounded', unbounded],
    ['unknown', unknown],
    ['longer than what is kept', window(start(days(-60)), end())],
  ])('a %s read never finds all: said for intervals of old, not for the last one', (_, read) => {
    expect(found([reading(thirty, read)], '2024-06-20', '2024-06-30')).toEqual([
      'warning t reads all that there is: raw.events keeps 30 days, so that its rows from before 2024-05-31T12:00:00Z are gone at the source. The 9 intervals from 2024-06-20T00:00:00Z, the last from 2024-06-28T00:00:00Z would find less than on schedule.',
    ]);
    expect(found([reading(thirty, read)], '2024-06-29', '2024-06-30')).toEqual([]);
  });

  test('rows that the plan makes anew are not gone', () => {
    const load = task('load', grid);
    const sources = [reading({ ...thirty, table: 'load' }, own, { writers: ['load'] })];
    const reader = task('t', grid, { load: own }, { sources });
    const retained = (tasks: readonly string[]) =>
      makePlan([load, reader], request(tasks, range('2024-05-01', '2024-05-03'), { now })).findings.filter(
        ({ code }) => code === 'retention',
      ).length;
    expect(retained(['load'])).toBe(0);
    expect(retained(['load', 't'])).toBe(0);
    expect(retained(['t'])).toBe(1);
  });

  test('the worse of two windows counts', () => {
    const sources = [reading(thirty, own), reading(thirty, window(start(days(-1)), end()))];
    expect(found(sources, '2024-06-01', '2024-06-02')[0]).toContain('would find only some');
  });
});

describe('sources that are overwritten in place', () => {
  test('a rerun of old intervals reads their rows of now', () => {
    expect(found([reading(shops, unbounded)], '2024-06-01', '2024-06-30')).toEqual([
      'warning t reads raw.shops, which is overwritten in place: the 28 intervals from 2024-06-01T00:00:00Z, the last from 2024-06-28T00:00:00Z would be made from its rows of now, not of then, so that a rerun changes history. Where its state in each interval is kept, say so under snapshots of raw.shops in backfill.yaml.',
    ]);
  });

  test('the last finished interval reads what its run on schedule reads', () => {
    expect(found([reading(shops, unbounded)], '2024-06-29', '2024-06-30')).toEqual([]);
  });

  test('who maintains the source is not meant; who keeps its snapshots would overwrite them', () => {
    expect(found([reading(shops, unbounded, { makes: 'source' })], '2024-06-01', '2024-06-30')).toEqual([]);
    const snapshots = { table: 'h', column: 'd', date: '{{ ds }}', columns: [] };
    const makes = [reading({ ...shops, snapshots }, unbounded, { makes: 'snapshots' })];
    expect(found(makes, '2024-06-01', '2024-06-03')).toEqual([
      'error t makes the snapshots of raw.shops, which is overwritten in place: the 2 intervals from 2024-06-01T00:00:00Z, the last from 2024-06-02T00:00:00Z would replace what was kept of then by its rows of now.',
    ]);
    expect(found(makes, '2024-06-01', '2024-06-03', { allowExpired: true })[0]).toMatch(/^warning /);
  });
});

describe('sources of a workspace', () => {
  const snapshots = { table: 'raw.shops_{{ ds_nodash }}', column: undefined, date: '{{ ds }}', columns: [] };
  const sourcesOf = (tasks: PipelineText['tasks'], ...sources: readonly DeclaredSource[]) => {
    const facts = workspace({ shop: { tasks } }, new Map(), new Map(sources.map((one) => [one.table, one])));
    return Object.fromEntries(
      plannableTasks(facts, (text) => text).map(({ id, sources: read }) => [
        id.slice(5),
        read?.map(({ source, window: { kind }, makes, writers }) => [source.table, kind, makes ?? '', ...writers]),
      ]),
    );
  };
  const load = "INSERT INTO raw.events SELECT * FROM stage WHERE day = '{{ ds }}'";
  const daily = "INSERT INTO daily SELECT * FROM events e JOIN raw.shops USING (shop) WHERE e.day = '{{ ds }}'";
  const keep = 'CREATE TABLE raw.shops_{{ ds_nodash }} AS SELECT * FROM raw.shops';

  test('are found by any name, with who writes them', () => {
    expect(sourcesOf({ load, daily }, thirty, shops)).toEqual({
      load: undefined,
      daily: [
        ['raw.events', 'range', '', 'shop.load'],
        ['raw.shops', 'unbounded', ''],
      ],
    });
  });

  test('are not read where their snapshots are', () => {
    expect(sourcesOf({ daily, keep }, { ...shops, snapshots })).toEqual({
      daily: undefined,
      keep: [['raw.shops', 'unbounded', 'snapshots']],
    });
  });

  test('what is read instead is part of the code; without sources the code is what it was', () => {
    const hash = (...sources: readonly DeclaredSource[]) => {
      const facts = workspace(
        { shop: { tasks: { daily } } },
        new Map(),
        new Map(sources.map((one) => [one.table, one])),
      );
      return plannableTasks(facts, (text) => text)[0]?.codeHash;
    };
    expect(hash(shops)).toBe(hash());
    expect(hash({ ...shops, snapshots })).not.toBe(hash());
  });
});
