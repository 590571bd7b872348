import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadWindow } from '../../../src/core/lineage/facts/facts.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import type { PlannableTask, PlanRequest } from '../../../src/core/plan/model/plan-request.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { lawRuns } from '../../support/laws.ts';
import { bruteForcePlan, hasCycle, nameOf } from './brute-force.ts';
import { type Cadence, cadence, end, floor, offset, own, start, task, unbounded, unknown, window } from './planning.ts';

const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe'] as const;
const grids = new Map<string, ReturnType<typeof cadence>>();
const gridFor = (unit: Cadence, zone: string, zeroWidth = false): ReturnType<typeof cadence> => {
  const key = `${unit} ${zone} ${zeroWidth}`;
  const to = unit === 'hour' ? '2024-04-09' : '2024-06-03';
  const grid = grids.get(key) ?? cadence(unit, zone, '2024-02-26', to, zeroWidth);
  grids.set(key, grid);
  return grid;
};

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
    .map(([kind, { days, hours, months }, unit]) => {
      const step = (sign: 1 | -1) => ({
        kind: 'shift' as const,
        offset: offset({ days: sign * days, months: sign * months, ms: sign * hours * 3_600_000 }),
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

const someTask = (index: number): fc.Arbitrary<PlannableTask> =>
  fc
    .record({
      unit: fc.constantFrom<Cadence>('hour', 'day', 'day', 'week', 'month'),
      zone: fc.constantFrom(...zones),
      selfRead: fc.constantFrom(false, false, false, true),
      zeroWidth: fc.constantFrom(false, false, true),
    })
    .chain(({ unit, zone, selfRead, zeroWidth }) =>
      fc
        .record({
          reads: fc.array(fc.tuple(fc.integer({ min: 0, max: Math.max(0, index - 1) }), windowIn(zone)), {
            maxLength: 2,
          }),
          after: fc.array(fc.tuple(fc.integer({ min: 0, max: Math.max(0, index - 1) }), fc.constantFrom(0, -1, 23)), {
            maxLength: 1,
          }),
        })
        .map(({ reads, after }) => {
          const name = `t${index}`;
          const parents = index === 0 ? [] : reads;
          return task(
            name,
            gridFor(unit, zone, zeroWidth),
            {},
            {
              zone,
              reads: [
                ...parents.map(([parent, read]) => ({ parent: `t${parent}`, table: `t${parent}`, window: read })),
                ...(selfRead ? [{ parent: name, table: name, window: window(undefined, start()) }] : []),
              ],
              after: (index === 0 ? [] : after).map(([parent, hours]) => ({
                parent: `t${parent}`,
                shift: hours === 0 ? undefined : offset({ ms: hours * 3_600_000 }),
              })),
            },
          );
        }),
    );

const hourOf = (from: string, to: string): fc.Arbitrary<number> =>
  fc
    .integer({ min: Date.parse(`${from}T00:00:00Z`) / 1_800_000, max: Date.parse(`${to}T00:00:00Z`) / 1_800_000 })
    .map((half) => half * 1_800_000);

const someRequest = (count: number): fc.Arbitrary<PlanRequest> =>
  fc
    .record({
      tasks: fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: 2 }),
      from: hourOf('2024-03-01', '2024-04-03'),
      hours: fc.integer({ min: 1, max: 90 }),
      byDate: fc.boolean(),
      downstream: fc.constantFrom(true, true, true, false),
      expandUnbounded: fc.boolean(),
      now: hourOf('2024-03-20', '2024-04-08'),
    })
    .map(({ tasks, from, hours, byDate, downstream, expandUnbounded, now }) => ({
      tasks: tasks.map((index) => `t${index}`),
      selection: byDate
        ? { kind: 'logical-dates', first: instant(from), last: instant(from + hours * 3_600_000) }
        : { kind: 'data-range', from: instant(from), to: instant(from + hours * 3_600_000) },
      downstream,
      without: [],
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
    someRequest(2),
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: -3, max: 3 }),
    windowIn('UTC'),
  )
  .map(([zone, request, lagA, lagB, third]) => {
    const moved = (days: number) => {
      const step = { kind: 'shift' as const, offset: offset({ days }), zone };
      return window(start(step), end(step));
    };
    const grid = gridFor('day', zone);
    const tasks = [
      task('t0', grid, { t1: moved(lagA) }, { zone }),
      task('t1', grid, { t0: moved(lagB) }, { zone }),
      task('t2', gridFor('week', 'UTC'), { t1: third }),
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

function agrees(tasks: readonly PlannableTask[], request: PlanRequest): void {
  const plan = makePlan(tasks, request);
  const expected = bruteForcePlan(tasks, request);
  const planned = plan.units.map((unit) => nameOf(unit.task, unit.start));
  expect([...planned].sort()).toEqual([...expected.keys()].sort());
  for (const [position, name] of planned.entries()) {
    expect([...waitsOf(plan, position)].sort(), name).toEqual([...(expected.get(name)?.waitsFor ?? [])].sort());
  }
  const cyclic = plan.findings.some(({ code }) => code === 'cycle');
  expect(cyclic).toBe(hasCycle(expected));
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
    expect(end, `${name} comes before a ready unit with an earlier end`).toBe(earliest);
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

  it('for tasks that read each other', () => {
    fc.assert(
      fc.property(mutual, ([tasks, request]) => agrees(tasks, request)),
      { numRuns: lawRuns(60) },
    );
  });
});
