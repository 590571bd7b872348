import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RangeSlice, ReadWindow, SliceFact } from '../../../src/core/lineage/facts/facts.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import type { PlannableTask, PlanRequest } from '../../../src/core/plan/model/plan-request.ts';
import { unitId } from '../../../src/core/plan/model/unit-id.ts';
import { slicesOverlap } from '../../../src/core/run/jobs/slices/slices-overlap.ts';
import type { TimeExpression } from '../../../src/core/time/expressions/time-expression.ts';
import type { Grid } from '../../../src/core/time/intervals/grid.ts';
import { type Instant, instant } from '../../../src/core/time/zones/instant.ts';
import { lawRuns } from '../../support/laws.ts';
import { bruteForcePlan, hasCycle, leftOut, nameOf } from './brute-force.ts';
import {
  type Cadence,
  cadence,
  days,
  end,
  floor,
  gridOfIntervals,
  offset,
  own,
  start,
  task,
  unbounded,
  unknown,
  window,
  write,
} from './planning.ts';

const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe'] as const;
const hourMs = 3_600_000;
/** From tick to tick, at the tick, or the hours before it. */
type Shape = 'tiling' | 'moments' | { readonly before: number };
const grids = new Map<string, Grid>();
const gridFor = (unit: Cadence, zone: string, shape: Shape = 'tiling', later = 0): Grid => {
  const key = JSON.stringify([unit, zone, shape, later]);
  const to = unit === 'hour' ? '2024-04-09' : '2024-06-03';
  const known = grids.get(key);
  if (known !== undefined) return known;
  const made = shaped(cadence(unit, zone, '2024-02-26', to, shape === 'moments'), shape, later);
  grids.set(key, made);
  return made;
};

/** Every tick some hours later, or with a data interval of a fixed length that ends there. */
function shaped(grid: Grid, shape: Shape, later: number): Grid {
  const all = grid.overlapping(instant(Date.UTC(2024, 0, 1)), instant(Date.UTC(2025, 0, 1)));
  const back = typeof shape === 'string' ? 0 : shape.before * hourMs;
  const moved = (at: number): Instant => instant(at + later * hourMs - back);
  return gridOfIntervals(
    all.map(({ start, next, data }) => ({
      start: moved(start),
      next: moved(next),
      data: { start: moved(start), end: back > 0 ? moved(start + back) : moved(data.end) },
    })),
  );
}

const shiftBy = fc.record({
  days: fc.integer({ min: 0, max: 9 }),
  hours: fc.integer({ min: 0, max: 5 }),
  months: fc.constantFrom(0, 0, 0, 1),
});
const windowIn = (zone: string): fc.Arbitrary<ReadWindow> =>
  fc
    .tuple(
      fc.constantFrom('own', 'rolling', 'to-date', 'lag', 'lead', 'cumulative', 'open', 'unbounded', 'unknown'),
      shiftBy,
      fc.constantFrom('day', 'week', 'month'),
    )
    .map(([kind, { days: count, hours, months }, unit]) => {
      const step = (sign: 1 | -1) => ({
        kind: 'shift' as const,
        offset: offset({ days: sign * count, months: sign * months, ms: sign * hours * 3_600_000 }),
        zone,
      });
      switch (kind) {
        case 'rolling':
          return window(start(step(-1)), end());
        case 'to-date':
          return window(start(floor(unit as 'day', zone)), end());
        case 'lag':
          return window(start(step(-1)), end(step(-1)));
        case 'lead':
          return window(start(), end(step(1)));
        case 'cumulative':
          return window(undefined, end());
        case 'open':
          return window(start(step(-1)), undefined);
        case 'unbounded':
          return unbounded;
        case 'unknown':
          return unknown;
        default:
          return own;
      }
    });

const sliceIn = (zone: string): fc.Arbitrary<SliceFact> =>
  fc
    .tuple(
      fc.constantFrom('own', 'own', 'day', 'day', 'day before', 'rolling', 'to-date', 'unknown', 'whole'),
      fc.constantFrom('UTC', zone),
      fc.integer({ min: 1, max: 3 }),
    )
    .map(([kind, calendar, back]): SliceFact => {
      const slice = (lo: TimeExpression, hi: TimeExpression): SliceFact => ({
        kind: 'range',
        column: 'ts',
        lo,
        hi,
        predicate: undefined,
      });
      const day = floor('day', calendar);
      switch (kind) {
        case 'day':
          return slice(start(day), start(day, days(1, calendar)));
        case 'day before':
          return slice(start(day, days(-back, calendar)), start(day, days(1 - back, calendar)));
        case 'rolling':
          return slice(start(days(-back, calendar)), end());
        case 'to-date':
          return slice(start(floor('month', calendar)), end());
        case 'unknown':
          return { kind: 'unknown', reason: 'no bound' };
        case 'whole':
          return { kind: 'whole-table' };
        default:
          return slice(start(), end());
      }
    });

const someTask = (index: number): fc.Arbitrary<PlannableTask> =>
  fc
    .record({
      unit: fc.constantFrom<Cadence>('hour', 'day', 'day', 'week', 'month'),
      zone: fc.constantFrom(...zones),
      selfRead: fc.constantFrom(false, false, false, true),
      shape: fc.constantFrom<Shape>('tiling', 'tiling', 'tiling', 'moments', { before: 6 }, { before: 24 * 7 }),
      later: fc.constantFrom(0, 0, 8.5, 22),
      refresh: fc.constantFrom(false, false, false, true),
    })
    .chain(({ unit, zone, selfRead, shape, later, refresh }) =>
      fc
        .record({
          reads: fc.array(fc.tuple(fc.integer({ min: 0, max: Math.max(0, index - 1) }), windowIn(zone)), {
            maxLength: 2,
          }),
          after: fc.array(fc.tuple(fc.integer({ min: 0, max: Math.max(0, index - 1) }), fc.constantFrom(0, -1, 23)), {
            maxLength: 1,
          }),
          slice: sliceIn(zone),
        })
        .map(({ reads, after, slice }) => {
          const name = `t${index}`;
          const parents = index === 0 ? [] : reads;
          const own = selfRead && !refresh;
          const written = refresh ? write(name, { kind: 'whole-table' }, 'full_replace') : write(name, slice);
          return task(
            name,
            gridFor(unit, zone, shape, later),
            {},
            {
              zone,
              reads: [
                ...parents.map(([parent, read]) => ({ parent: `t${parent}`, table: `t${parent}`, window: read })),
                ...(own ? [{ parent: name, table: name, window: window(undefined, start()) }] : []),
              ],
              after: (index === 0 ? [] : after).map(([parent, hours]) => ({
                parent: `t${parent}`,
                shift: hours === 0 ? undefined : offset({ ms: hours * 3_600_000 }),
              })),
              writes: [written],
              ...(refresh ? { fullRefresh: true } : slice.kind === 'whole-table' ? { lastRunWins: [] } : {}),
            },
          );
        }),
    );

const hourOf = (from: string, to: string): fc.Arbitrary<number> =>
  fc
    .integer({ min: Date.parse(`${from}T00:00:00Z`) / 1_800_000, max: Date.parse(`${to}T00:00:00Z`) / 1_800_000 })
    .map((half) => half * 1_800_000);

/** A request; `every`: of what it selects only each so manieth interval, days that do not follow each other. */
type Asked = PlanRequest & { readonly every?: number | undefined };

const someRequest = (count: number): fc.Arbitrary<Asked> =>
  fc
    .record({
      tasks: fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 2 }),
      from: hourOf('2024-03-01', '2024-04-03'),
      hours: fc.integer({ min: 1, max: 90 }),
      byDate: fc.boolean(),
      downstream: fc.constantFrom(true, true, true, false),
      expandUnbounded: fc.boolean(),
      now: hourOf('2024-03-20', '2024-04-08'),
      without: fc.oneof(
        { weight: 3, arbitrary: fc.constant<number[]>([]) },
        { weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 2 }) },
      ),
      every: fc.constantFrom(undefined, undefined, undefined, 2, 3),
    })
    .map(({ tasks, from, hours, byDate, downstream, expandUnbounded, now, without, every }) => ({
      tasks: tasks.map((index) => `t${index}`),
      selection: byDate
        ? { kind: 'logical-dates', first: instant(from), last: instant(from + hours * 3_600_000) }
        : { kind: 'data-range', from: instant(from), to: instant(from + hours * 3_600_000) },
      downstream,
      without: without.map((index) => `t${index}`),
      every,
      expandUnbounded,
      allowAppend: false,
      now: instant(now),
    }));

const acyclic = fc
  .integer({ min: 1, max: 5 })
  .chain((count) =>
    fc.tuple(fc.tuple(...Array.from({ length: count }, (_, index) => someTask(index))), someRequest(count)),
  );

/** Two daily tasks that read each other, so that a lag is expanded to a fixed point or units wait in a circle. */
const mutual = fc
  .tuple(
    fc.constantFrom(...zones),
    someRequest(3),
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: -3, max: 3 }),
    windowIn('UTC'),
    fc.constantFrom(0, 8.5),
    fc.constantFrom<Shape>('tiling', 'tiling', 'moments'),
    fc.constantFrom('none', 'none', 'first', 'second'),
    fc.boolean(),
  )
  .map(([zone, request, lagA, lagB, third, later, shape, refreshed, inOrder]) => {
    const moved = (count: number) => {
      const lo = start(floor('day', zone), days(count, zone));
      return window(lo, start(floor('day', zone), days(count + 1, zone)));
    };
    const grid = gridFor('day', zone, shape, later);
    const day: SliceFact = {
      kind: 'range',
      column: 'ts',
      lo: start(floor('day', zone)),
      hi: start(floor('day', zone), days(1, zone)),
      predicate: undefined,
    };
    const whole = { writes: [write('t0', { kind: 'whole-table' }, 'full_replace')], fullRefresh: true } as const;
    const of = (name: string, which: string) =>
      refreshed === which
        ? { zone, ...whole, writes: [{ ...whole.writes[0], table: name }] }
        : { zone, writes: [write(name, day)] };
    // Where the first comes before the second in each run, it reads what earlier runs of that wrote.
    const first = task('t0', grid, { t1: moved(lagA) }, of('t0', 'first') as Partial<PlannableTask>);
    const tasks = [
      inOrder ? { ...first, reads: first.reads.map((read) => ({ ...read, earlierRuns: true })) } : first,
      task('t1', grid, { t0: moved(lagB) }, of('t1', 'second') as Partial<PlannableTask>),
      task('t2', gridFor('week', 'UTC'), { t1: third }),
    ];
    return [tasks, request] as const;
  });

/** A stage that is emptied and filled in each run and read on the way, with something before it and behind it. */
const staged = fc
  .tuple(
    fc.constantFrom(...zones),
    someRequest(6),
    fc.constantFrom(0, 7, 22),
    fc.constantFrom<Shape>('tiling', 'tiling', 'moments'),
    windowIn('UTC'),
    windowIn('UTC'),
    fc.boolean(),
    fc.constantFrom(own, unbounded, unknown),
  )
  .map(([zone, request, later, shape, before, behind, snapshot, aside]) => {
    const grid = gridFor('day', zone, shape, later);
    const day: RangeSlice = {
      kind: 'range',
      column: 'ts',
      lo: start(floor('day')),
      hi: start(floor('day'), days(1)),
      predicate: undefined,
    };
    const shared = { zone, pickedBy: [day], ...(snapshot ? { lastRunWins: ['t1', 't2'] } : {}) };
    const stage = (parent: string, sameRun: 'filled' | 'emptied') => ({ parent, table: 't1', window: own, sameRun });
    const tasks = [
      task('t0', gridFor('hour', 'UTC')),
      task(
        't1',
        grid,
        {},
        { ...shared, writes: [write('t1', { kind: 'whole-table' }, 'full_replace')], usedBy: ['t2', 't3', 't5'] },
      ),
      task(
        't2',
        grid,
        { t0: before },
        { ...shared, writes: [write('t1', day, 'append')], after: [{ parent: 't1', shift: undefined }] },
      ),
      task(
        't3',
        grid,
        {},
        {
          zone,
          pickedBy: [day],
          reads: [stage('t1', 'emptied'), stage('t2', 'filled'), { parent: 't5', table: 't5', window: aside }],
          writes: [write('t3', day)],
        },
      ),
      task('t4', gridFor('day', 'UTC'), { t3: behind }),
      // Made of the stage as well, and read on the way: a calendar, say.
      task(
        't5',
        grid,
        {},
        {
          zone,
          pickedBy: [day],
          reads: [stage('t1', 'emptied'), stage('t2', 'filled')],
          writes: [write('t5', day, 'append')],
        },
      ),
    ];
    return [tasks, request] as const;
  });

const waitsOf = (plan: Plan, position: number): Set<string> => {
  const names = new Set<string>();
  for (const { task: id, first, last } of plan.units[position]?.waitsFor ?? []) {
    for (let index = first; index <= last; index++) {
      const unit = plan.units[plan.byTask.get(id)?.[index] ?? -1];
      if (unit === undefined) throw new Error(`${id} has no unit ${index}`);
      names.add(nameOf(unit.task, unit.start));
    }
  }
  return names;
};

function meant(tasks: readonly PlannableTask[], { every, ...request }: Asked): PlanRequest {
  if (every === undefined) return request;
  const [from, to] = [instant(Date.UTC(2024, 0, 1)), instant(Date.UTC(2025, 0, 1))];
  const only = tasks
    .filter(({ id }) => request.tasks.includes(id))
    .flatMap(({ id, grid }) => (grid?.overlapping(from, to) ?? []).map(({ start: first }) => unitId(id, first)));
  return { ...request, only: only.filter((_, index) => index % every === 0) };
}

function agrees(tasks: readonly PlannableTask[], asked: Asked): void {
  const request = meant(tasks, asked);
  const plan = makePlan(tasks, request);
  const all = bruteForcePlan(tasks, request);
  const expected = leftOut(all, request.without);
  const planned = plan.units.map((unit) => nameOf(unit.task, unit.start));
  expect([...planned].sort()).toEqual([...expected.keys()].sort());
  const cyclic = plan.findings.some(({ code }) => code === 'cycle');
  expect(cyclic).toBe(hasCycle(all));
  // In a circle nobody can say what comes before a unit that is left out.
  for (const [position, name] of cyclic && all.size > expected.size ? [] : planned.entries()) {
    expect([...waitsOf(plan, position)].sort(), name).toEqual([...(expected.get(name)?.waitsFor ?? [])].sort());
  }
  if (cyclic) return;

  const waiting = new Map([...expected].map(([name, unit]) => [name, unit.waitsFor.size]));
  const waiters = new Map<string, string[]>();
  for (const [name, { waitsFor }] of expected) {
    for (const other of waitsFor) waiters.set(other, [...(waiters.get(other) ?? []), name]);
  }
  const ready = new Set([...waiting].filter(([, count]) => count === 0).map(([name]) => name));
  for (const name of planned) {
    expect(ready.has(name), `${name} comes before something that it waits for`).toBe(true);
    const end = expected.get(name)?.next ?? 0;
    const earliest = Math.min(...[...ready].map((other) => expected.get(other)?.next ?? Infinity));
    // The order of the rest stays as it was with those that are left out.
    if (all.size === expected.size) expect(end, `${name} comes before a ready unit with an earlier end`).toBe(earliest);
    ready.delete(name);
    for (const other of waiters.get(name) ?? []) {
      const left = (waiting.get(other) ?? 0) - 1;
      waiting.set(other, left);
      if (left === 0) ready.add(other);
    }
  }
}

describe('a plan is what trying every pair of intervals gives', () => {
  it('for tasks without circles', () => {
    fc.assert(
      fc.property(acyclic, ([tasks, request]) => agrees(tasks, request)),
      { numRuns: lawRuns(120) },
    );
  });

  it('for a stage of each run', () => {
    fc.assert(
      fc.property(staged, ([tasks, request]) => agrees(tasks, request)),
      { numRuns: lawRuns(60) },
    );
  });

  it('for tasks that read each other', () => {
    fc.assert(
      fc.property(mutual, ([tasks, request]) => agrees(tasks, request)),
      { numRuns: lawRuns(60) },
    );
  });
});

/** Some of the tasks write the table of the first one too. */
const shared = fc
  .tuple(acyclic, fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 2 }))
  .map(([[tasks, request], which]): readonly [readonly PlannableTask[], PlanRequest] => [
    tasks.map((one, index) =>
      which.includes(index) ? { ...one, writes: one.writes.map((written) => ({ ...written, table: 't0' })) } : one,
    ),
    request,
  ]);

/** The newest intervals first: the same units, no wait forgotten, and rows that several intervals write in the order of old. */
function keepsWhatCounts(tasks: readonly PlannableTask[], request: PlanRequest): void {
  const oldest = makePlan(tasks, request);
  const newest = makePlan(tasks, { ...request, order: 'newest' });
  expect(newest.units.map(({ id }) => id).sort()).toEqual(oldest.units.map(({ id }) => id).sort());
  if (oldest.findings.some(({ code }) => code === 'cycle')) return;
  const place = (plan: Plan): ReadonlyMap<string, number> =>
    new Map(plan.units.map((unit, position) => [nameOf(unit.task, unit.start), position]));
  const [was, is] = [place(oldest), place(newest)];
  for (const [position, { task: id, start: from }] of newest.units.entries()) {
    const waits = waitsOf(newest, position);
    for (const other of waitsOf(oldest, was.get(nameOf(id, from)) ?? -1)) expect(waits).toContain(other);
    for (const other of waits) expect(is.get(other)).toBeLessThan(position);
  }
  for (const a of newest.units) {
    for (const b of newest.units) {
      if (a.next === b.next || !slicesOverlap(a.slices, b.slices)) continue;
      const [first, second] = [nameOf(a.task, a.start), nameOf(b.task, b.start)];
      const before = (order: ReadonlyMap<string, number>) => (order.get(first) ?? 0) < (order.get(second) ?? 0);
      expect(before(is), `${first} before ${second}`).toBe(before(was));
    }
  }
}

describe('the newest intervals first', () => {
  it.each([
    ['tasks without circles', acyclic, 80],
    ['tasks that write rows of each other', shared, 80],
    ['a stage of each run', staged, 40],
    ['tasks that read each other', mutual, 40],
  ] as const)('changes no order that counts, for %s', (_, arbitrary, runs) => {
    fc.assert(
      fc.property(arbitrary, ([tasks, request]) => keepsWhatCounts(tasks, request)),
      { numRuns: lawRuns(runs) },
    );
  });
});
