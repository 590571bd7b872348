import { describe, expect, it } from 'vitest';
import { planCounts, planSummary, reasonInWords } from '../../../src/core/plan/explain.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { Selection } from '../../../src/core/plan/model/plan-request.ts';
import { planJson } from '../../../src/core/plan/plan-json.ts';
import {
  at,
  cadence,
  codes,
  days,
  end,
  gridOf,
  listed,
  offset,
  own,
  range,
  request,
  start,
  startsOf,
  task,
  unbounded,
  unknown,
  window,
  write,
} from './planning.ts';

const daily = cadence('day', 'UTC', '2024-01-01', '2025-01-10');
const hourly = cadence('hour', 'UTC', '2024-01-01', '2024-03-01');
const monthly = cadence('month', 'UTC', '2024-01-01', '2025-01-10');
const oneDay = range('2024-05-01', '2024-05-02');

describe('selection', () => {
  it('takes an hour for an hour, its end excluded', () => {
    const plan = makePlan([task('h', hourly)], request(['h'], range('2024-02-01T08:00:00Z', '2024-02-01T09:00:00Z')));
    expect(startsOf(plan, 'h')).toEqual(['02-01T08:00']);
  });

  it('takes a whole year with its last day', () => {
    const plan = makePlan(
      [task('d', daily)],
      request(['d'], range('2024-01-01', '2025-01-01'), { now: at('2025-01-05') }),
    );
    expect(startsOf(plan, 'd')).toHaveLength(366);
    expect(startsOf(plan, 'd').at(-1)).toBe('12-31');
  });

  it('takes logical dates by start, both included', () => {
    const plan = makePlan(
      [task('d', daily)],
      request(['d'], { kind: 'logical-dates', first: at('2024-05-01'), last: at('2024-05-03') }),
    );
    expect(startsOf(plan, 'd')).toEqual(['05-01', '05-02', '05-03']);
  });

  it('takes the month that holds a day, and says that it is wider', () => {
    const plan = makePlan([task('m', monthly)], request(['m'], oneDay));
    expect(startsOf(plan, 'm')).toEqual(['05-01']);
    expect(plan.widened).toEqual([
      {
        task: 'm',
        from: at('2024-05-01'),
        to: at('2024-06-01'),
        because: 'what its runs write reaches beyond the range that was given',
      },
    ]);
  });

  it('takes only finished intervals', () => {
    const plan = makePlan(
      [task('d', daily)],
      request(['d'], range('2024-05-01', '2024-05-04'), { now: at('2024-05-03T23:59:59Z') }),
    );
    expect(startsOf(plan, 'd')).toEqual(['05-01', '05-02']);
  });

  it('takes a run of no width as soon as its tick has passed, and its readers with it', () => {
    const ticks = [2, 3, 4, 5, 6].map((day) => at(`2026-11-0${day}T05:00:00Z`));
    const tasks = [task('z', gridOf(ticks, true)), task('reader', gridOf(ticks, true), { z: own })];
    const dates: Selection = {
      kind: 'logical-dates',
      first: at('2026-11-03'),
      last: at('2026-11-05T23:00:00Z'),
    };
    const planAt = (now: string) => makePlan(tasks, request(['z'], dates, { now: at(now) }));
    const plan = planAt('2026-11-04T06:00:00Z');
    expect(startsOf(plan, 'z')).toEqual(['11-03T05:00', '11-04T05:00']);
    expect(startsOf(plan, 'reader')).toEqual(['11-03T05:00', '11-04T05:00']);
    const cut = plan.findings.find(({ code }) => code === 'not-finished');
    expect(cut?.message).toContain('2026-11-05T05:00:00Z');
    expect(startsOf(planAt('2026-11-04T04:59:59Z'), 'z')).toEqual(['11-03T05:00']);
    expect(startsOf(planAt('2026-11-04T05:00:00Z'), 'z')).toEqual(['11-03T05:00', '11-04T05:00']);
    expect(planAt('2026-11-03T04:00:00Z').findings).toMatchObject([
      { code: 'empty-selection', message: expect.stringContaining('ends at 2026-11-03T05:00:00Z') },
    ]);
  });

  it('takes an interval whose data ends before the next one begins once its data has ended', () => {
    const [one, two] = [at('2024-05-01'), at('2024-05-02')];
    const early = { start: one, next: two, data: { start: one, end: at('2024-05-01T20:00:00Z') } };
    const grid = { ...gridOf([one, two]), containing: () => early, overlapping: () => [early] };
    const planAt = (now: string) => makePlan([task('g', grid)], request(['g'], oneDay, { now: at(now) }));
    expect(planAt('2024-05-01T20:00:00Z').units).toHaveLength(1);
  });

  it('plans every fine interval inside a coarse parent', () => {
    const plan = makePlan([task('m', monthly), task('d', daily, { m: own })], request(['m'], oneDay));
    expect(startsOf(plan, 'd')).toHaveLength(31);
  });

  it.each([
    ['no schedule', task('d', undefined), oneDay, 'it has no schedule'],
    ['a range that is turned around', task('d', daily), range('2024-05-02', '2024-05-01'), 'no later than it starts'],
    ['an empty range', task('d', daily), range('2024-05-02', '2024-05-02'), 'the first moment not included'],
    [
      'a range before the first interval',
      task('d', daily),
      range('2023-05-01', '2023-05-02'),
      'no run of its schedule writes data of',
    ],
    ['an interval that is not finished', task('d', daily), range('2024-12-31', '2025-01-01'), 'is not finished'],
    [
      'logical dates between ticks',
      task('d', daily),
      { kind: 'logical-dates', first: at('2024-05-01T01:00:00Z'), last: at('2024-05-01T02:00:00Z') } as const,
      'no tick',
    ],
  ])('says why nothing is selected: %s', (_, one, selection, reason) => {
    const plan = makePlan([one], request(['d'], selection));
    expect(plan.units).toEqual([]);
    expect(plan.findings).toEqual([
      { code: 'empty-selection', severity: 'error', message: expect.stringContaining(reason), task: 'd' },
    ]);
  });

  it('says once where a range is cut because what follows is not finished', () => {
    const found = (selection: Selection) =>
      makePlan(
        [task('d', daily), task('e', daily)],
        request(['d', 'e'], selection, { now: at('2024-05-03T12:00:00Z') }),
      ).findings;
    const dates = (last: string): Selection => ({ kind: 'logical-dates', first: at('2024-05-01'), last: at(last) });
    const said = { code: 'not-finished', severity: 'info', message: expect.stringContaining('2024-05-03T00:00:00Z') };
    expect(found(range('2024-05-01', '2024-05-03'))).toEqual([]);
    expect(found(range('2024-05-01', '2024-05-04'))).toEqual([{ ...said, task: undefined }]);
    expect(found(dates('2024-05-02'))).toEqual([]);
    expect(found(dates('2024-05-03'))).toHaveLength(1);
  });

  it('names a task that is not there, and no task at all', () => {
    expect(makePlan([], request(['x'], oneDay)).findings[0]?.message).toContain('called x');
    expect(makePlan([], request([], oneDay)).findings[0]?.code).toBe('empty-selection');
  });
});

describe('downstream', () => {
  const chain = [task('a', daily), task('b', daily, { a: own }), task('c', daily, { b: own })];

  it('never adds parents', () => {
    expect(listed(makePlan(chain, request(['b'], oneDay)))).toEqual(['b 05-01', 'c 05-01']);
  });

  it('is left out when it is not wanted, but order is kept among what was selected', () => {
    expect(listed(makePlan(chain, request(['c', 'b'], oneDay, { downstream: false })))).toEqual(['b 05-01', 'c 05-01']);
  });

  it('keeps order through a task that was left out, and says that it stays stale', () => {
    const plan = makePlan(chain, request(['a'], oneDay, { without: ['b'] }));
    expect(listed(plan)).toEqual(['a 05-01', 'c 05-01']);
    expect(plan.units[1]?.waitsFor).toEqual([{ task: 'a', first: 0, last: 0 }]);
    expect(plan.findings).toEqual([
      {
        code: 'stale',
        severity: 'warning',
        message: 'b was left out: 1 interval of it stays stale. c will read them as they are.',
        task: 'b',
      },
    ]);
  });

  it('follows an edge without a table to the same logical date, and says so', () => {
    const plan = makePlan(
      [task('a', daily), task('b', daily, {}, { after: [{ parent: 'a', shift: undefined }] })],
      request(['a'], oneDay),
    );
    expect(listed(plan)).toEqual(['a 05-01', 'b 05-01']);
    expect(plan.units[1]?.reasons).toEqual([{ kind: 'by-order', parent: 'a' }]);
    expect(reasonInWords({ kind: 'by-order', parent: 'a' })).toBe('follows a by order, not by data');
  });

  it("moves the logical date by a sensor's delta", () => {
    const child = task('d', daily, {}, { after: [{ parent: 'h', shift: offset({ ms: 23 * 3_600_000 }) }] });
    const pick = (hour: string) =>
      listed(
        makePlan(
          [task('h', hourly), child],
          request(['h'], range(`2024-02-01T${hour}:00:00Z`, `2024-02-01T${hour}:59:00Z`)),
        ),
      );
    expect(pick('23')).toEqual(['h 02-01T23:00', 'd 02-01']);
    expect(pick('22')).toEqual(['h 02-01T22:00']);
  });

  it('widens to what a slice reaches, where a task rewrites more than its interval', () => {
    const rolling = { kind: 'range', column: 'ts', lo: start(days(-2)), hi: end(), predicate: undefined } as const;
    const plan = makePlan(
      [task('a', daily, {}, { writes: [write('a', rolling)] }), task('b', daily, { a: own })],
      request(['a'], oneDay),
    );
    expect(startsOf(plan, 'b')).toEqual(['04-29', '04-30', '05-01']);
    expect(plan.units[0]?.slices).toEqual([
      { table: 'a', column: 'ts', from: at('2024-04-29'), to: at('2024-05-02'), mode: 'delete+insert' },
    ]);
  });

  it('ends a table that is rewritten as a whole with its newest interval', () => {
    const full = task(
      'full',
      daily,
      {},
      { writes: [write('full', { kind: 'whole-table' }, 'full_replace')], lastRunWins: [] },
    );
    const plan = makePlan([full], request(['full'], oneDay, { now: at('2024-05-04T01:00:00Z') }));
    expect(startsOf(plan, 'full')).toEqual(['05-01', '05-03']);
    expect(plan.widened[0]?.because).toContain('rewrites its whole table');
  });
});

describe('what is not known', () => {
  it.each([
    ['unbounded-read', unbounded, []],
    ['unknown-window', unknown, ['unknown-window']],
  ])('is not expanded silently, but on request: %s', (code, read, left) => {
    const tasks = [task('a', daily), task('b', daily, { a: read }), task('c', daily, { b: own })];
    const now = at('2024-05-04T01:00:00Z');
    const plan = makePlan(tasks, request(['a'], oneDay, { now }));
    expect(listed(plan)).toEqual(['a 05-01']);
    expect(plan.findings).toMatchObject([{ code, severity: 'warning', task: 'b' }]);
    expect(plan.findings[0]?.message).toContain('3 intervals from 2024-05-01T00:00:00Z on can be added');
    const expanded = makePlan(tasks, request(['a'], oneDay, { now, expandUnbounded: true }));
    expect(startsOf(expanded, 'b')).toEqual(['05-01', '05-02', '05-03']);
    expect(startsOf(expanded, 'c')).toEqual(['05-01', '05-02', '05-03']);
    expect(codes(expanded)).toEqual(left);
  });

  it('of an unknown window neither is whether earlier intervals read what changes, however many later ones are planned', () => {
    const tasks = [task('a', daily), task('b', daily, { a: unknown })];
    const now = at('2024-05-04T01:00:00Z');
    const message = (options: object) =>
      makePlan(tasks, request(['a'], oneDay, { now, ...options })).findings[0]?.message;
    expect(message({})).toContain('whether earlier ones read what changes is not known either');
    expect(message({ expandUnbounded: true })).toContain('whether those before 2024-05-01T00:00:00Z read what changes');
    const first = { now, expandUnbounded: true };
    const whole = makePlan(tasks, request(['a'], range('2024-01-01', '2024-05-03'), first));
    expect(codes(whole)).toEqual([]);
  });

  it('a window without an upper end goes back on request only', () => {
    const tasks = [task('a', daily), task('b', daily, { a: window(start(), undefined) })];
    const plan = makePlan(tasks, request(['a'], oneDay));
    expect(startsOf(plan, 'b')).toEqual(['05-01']);
    expect(codes(plan)).toEqual(['unbounded-read']);
    expect(startsOf(makePlan(tasks, request(['a'], oneDay, { expandUnbounded: true })), 'b')).toHaveLength(122);
  });

  it('is waited for as a whole', () => {
    const tasks = [task('a', daily), task('b', daily, { a: unbounded })];
    const plan = makePlan(tasks, request(['a', 'b'], range('2024-05-01', '2024-05-03')));
    expect(plan.units.filter((unit) => unit.task === 'b').map((unit) => unit.waitsFor)).toEqual([
      [{ task: 'a', first: 0, last: 1 }],
      [{ task: 'a', first: 0, last: 1 }],
    ]);
  });

  it('does not extend a task that looks into its own table without a predicate', () => {
    const plan = makePlan([task('a', daily, { a: unbounded })], request(['a'], range('2024-05-01', '2024-05-03')));
    expect(startsOf(plan, 'a')).toEqual(['05-01', '05-02']);
    expect(plan.units[1]?.waitsFor).toEqual([{ task: 'a', first: 0, last: 0 }]);
    expect(codes(plan)).toEqual(['unbounded-read']);
  });

  it('a child without a grid is said', () => {
    const plan = makePlan([task('a', daily), task('b', undefined, { a: own })], request(['a'], oneDay));
    expect(plan.findings).toMatchObject([
      { code: 'not-runnable', task: 'b', message: expect.stringContaining('it has no schedule') },
    ]);
  });
});

describe('circles', () => {
  it('of tasks are expanded where their intervals lie one behind the other', () => {
    const tasks = [task('a', daily, { b: window(start(days(-1)), end(days(-1))) }), task('b', daily, { a: own })];
    const plan = makePlan(tasks, request(['a'], oneDay, { now: at('2024-05-04T01:00:00Z') }));
    expect(listed(plan)).toEqual(['a 05-01', 'b 05-01', 'a 05-02', 'b 05-02', 'a 05-03', 'b 05-03']);
    expect(plan.findings).toEqual([]);
  });

  it('of units are an error that prints the path', () => {
    const plan = makePlan([task('a', daily, { b: own }), task('b', daily, { a: own })], request(['a'], oneDay));
    expect(plan.findings).toEqual([
      {
        code: 'cycle',
        severity: 'error',
        message: expect.stringMatching(
          /(a|b)@2024-05-01T00:00:00Z → (a|b)@2024-05-01T00:00:00Z → \1@2024-05-01T00:00:00Z/,
        ),
        task: expect.any(String),
      },
    ]);
  });
});

describe('what stands against a plan', () => {
  it('a task that cannot run blocks everything behind it and stays in the plan', () => {
    const none = { kind: 'none', reason: 'it starts a container' } as const;
    const tasks = [
      task('a', daily),
      task('b', daily, { a: own }, { executor: none }),
      task('c', daily, { b: own }),
      task('d', daily, { c: own }),
      task('e', daily, { a: own }),
    ];
    const plan = makePlan(tasks, request(['a'], oneDay));
    expect(plan.units.map((unit) => [unit.task, unit.blockedBy])).toEqual(
      expect.arrayContaining([
        ['a', undefined],
        ['b', undefined],
        ['c', 'b'],
        ['d', 'b'],
        ['e', undefined],
      ]),
    );
    expect(plan.findings).toMatchObject([
      { code: 'not-runnable', severity: 'warning', task: 'b', message: expect.stringContaining('2 units behind it') },
    ]);
    expect(planSummary(plan).find((one) => one.task === 'd')).toMatchObject({ units: 1, blocked: 1 });
  });

  it('nothing that can run is an error', () => {
    const none = { kind: 'none', reason: 'it starts a container' } as const;
    const plan = makePlan([task('a', daily, {}, { executor: none })], request(['a'], oneDay));
    expect(plan.findings).toMatchObject([{ code: 'not-runnable', severity: 'error' }]);
  });

  it('a task that only adds rows, unless the one that empties the slice runs too', () => {
    const adds = { writes: [write('t', undefined, 'append')] };
    const alone = task('add', daily, {}, adds);
    expect(makePlan([alone], request(['add'], oneDay)).findings).toMatchObject([
      { code: 'append-in-plan', severity: 'error', task: 'add' },
    ]);
    expect(makePlan([alone], request(['add'], oneDay, { allowAppend: true })).findings).toMatchObject([
      { severity: 'warning' },
    ]);
    const again = [{ column: 'n', adds: true, certainty: 'sure', at: undefined } as const];
    const sums = task('sum', daily, {}, { writes: [{ ...write('t', undefined, 'update'), again }] });
    expect(makePlan([sums], request(['sum'], oneDay)).findings).toMatchObject([
      { code: 'append-in-plan', severity: 'error', message: expect.stringContaining('adds to n of t') },
    ]);
    expect(makePlan([sums], request(['sum'], oneDay, { allowAppend: true })).findings).toMatchObject([
      { severity: 'warning' },
    ]);
    for (const [added, words] of [
      [{ takenFrom: 'q' }, 'out of q'],
      [{ behindMark: 'm' }, 'behind the mark in m'],
      [{ leavesOut: 'sure' }, 'only rows for which it finds none there'],
      [{ leavesOut: 'open' }, 'is not known'],
    ] as const) {
      const none = task('move', daily, {}, { writes: [{ ...write('t', undefined, 'append'), ...added }] });
      expect(makePlan([none], request(['move'], oneDay)).findings).toMatchObject([
        { code: 'append-in-plan', severity: 'warning', message: expect.stringContaining(words) },
      ]);
    }
    const journal = { writes: [{ ...write('t', undefined, 'append'), journal: true as const }] };
    expect(makePlan([task('add', daily, {}, journal)], request(['add'], oneDay)).findings).toEqual([]);
    const leftToAirflow = task('log', daily, {}, { ...adds, executor: { kind: 'airflow', reason: 'a shell command' } });
    const behind = { ...leftToAirflow, after: [{ parent: 'first', shift: undefined }] };
    const first = task('first', daily, {}, { writes: [write('u')] });
    expect(makePlan([first, behind], request(['first'], oneDay)).findings).toMatchObject([
      { code: 'append-in-plan', severity: 'warning', task: 'log' },
    ]);
    const pair = [
      task('clear', daily, {}, { writes: [write('t')] }),
      task('add', daily, {}, { ...adds, after: [{ parent: 'clear', shift: undefined }], pairedWith: 'clear' }),
    ];
    expect(makePlan(pair, request(['clear'], oneDay)).findings).toEqual([]);
    expect(makePlan(pair, request(['add'], oneDay)).findings[0]?.message).toContain('Select clear as well');
  });

  it('bounds that are empty under the schedule', () => {
    const empty = gridOf(
      daily.overlapping(at('2024-05-01'), at('2024-05-05')).map(({ start: tick }) => tick),
      true,
    );
    const plan = makePlan([task('z', empty, {}, { zeroWidth: true })], request(['z'], oneDay));
    expect(plan.findings).toMatchObject([{ code: 'zero-width-interval', severity: 'warning', task: 'z' }]);
    expect(plan.units[0]).toMatchObject({
      start: at('2024-05-01'),
      next: at('2024-05-02'),
      data: { start: at('2024-05-01'), end: at('2024-05-01') },
    });
  });

  it('the interval before a task that builds on its own output', () => {
    const cumulative = [task('c', daily, { c: window(undefined, start()) })];
    const now = at('2024-05-04T01:00:00Z');
    expect(makePlan(cumulative, request(['c'], oneDay, { now })).findings).toMatchObject([
      {
        code: 'missing-previous',
        severity: 'info',
        message: expect.stringContaining('2024-04-30'),
        needs: { table: 'c', column: 'ts', from: at('2024-04-30'), to: at('2024-05-01') },
      },
    ]);
    expect(makePlan(cumulative, request(['c'], range('2024-01-01', '2024-01-02'), { now })).findings).toEqual([]);
  });

  it.each([window(undefined, start()), unbounded])(
    'nothing of a journal that a task looks at before it adds to it',
    (seen) => {
      const adds = { writes: [{ ...write('j', undefined, 'append'), journal: true as const }] };
      const again = { now: at('2024-05-04T01:00:00Z'), expandUnbounded: true };
      const plan = makePlan([task('j', daily, { j: seen }, adds)], request(['j'], oneDay, again));
      expect(startsOf(plan, 'j')).toEqual(['05-01']);
      expect(plan.findings).toEqual([]);
    },
  );
});

it('is encoded as its contract says', () => {
  const tasks = [task('o', daily), task('roll', daily, { o: window(start(days(-1)), end()) })];
  const json = planJson(makePlan(tasks, request(['o'], oneDay)));
  expect(json).toMatchObject({ version: 1, horizon: '2024-12-31T00:00:00Z', findings: [] });
  expect(json.units[1]).toEqual({
    id: 'roll@2024-05-01T00:00:00Z',
    task: 'roll',
    start: '2024-05-01T00:00:00Z',
    end: '2024-05-02T00:00:00Z',
    reasons: [
      { kind: 'reads-parent', parent: 'o', table: 'o', from: '2024-05-01T00:00:00Z', to: '2024-05-02T00:00:00Z' },
    ],
    waitsFor: ['o@2024-05-01T00:00:00Z'],
    executor: 'warehouse',
    slices: [
      {
        table: 'roll',
        column: 'ts',
        from: '2024-05-01T00:00:00Z',
        to: '2024-05-02T00:00:00Z',
        mode: 'delete+insert',
      },
    ],
  });
  expect(JSON.parse(JSON.stringify(json))).toEqual(json);
});

it('is encoded in a size that grows with its units, also where each waits for all before it', () => {
  const grid = cadence('day', 'UTC', '1997-01-01', '2024-06-01');
  const tasks = [task('o', grid), task('sum', grid, { o: window(undefined, end()) })];
  const { units } = planJson(makePlan(tasks, request(['o'], range('1997-01-01', '2024-05-18'))));
  expect(units.length).toBeGreaterThan(20_000);
  expect(Math.max(...units.map(({ waitsFor }) => waitsFor.length))).toBe(100);
  const sums = units.filter((unit) => unit.task === 'sum');
  expect(sums[99]?.waitsFor).toHaveLength(100);
  expect(sums[99]).not.toHaveProperty('waitsForRanges');
  expect(sums[100]).toMatchObject({
    waitsFor: ['o@1997-01-01T00:00:00Z', 'o@1997-04-11T00:00:00Z'],
    waitsForRanges: [{ first: 'o@1997-01-01T00:00:00Z', last: 'o@1997-04-11T00:00:00Z', count: 101 }],
  });
});

it('is summed up task by task', () => {
  const tasks = [task('o', daily), task('roll', daily, { o: window(start(days(-6)), end()) })];
  const plan = makePlan(tasks, request(['o'], oneDay));
  expect(planCounts(plan)).toEqual({ selected: 1, downstream: 7 });
  expect(planSummary(plan)).toMatchObject([
    { task: 'o', units: 1, reasons: ['selected'] },
    {
      task: 'roll',
      units: 7,
      from: at('2024-05-01'),
      to: at('2024-05-08'),
      gaps: false,
      reasons: ['reads o, which o rewrites'],
    },
  ]);
});

it('keeps the hashes of the code that it was made of', () => {
  const plan = makePlan([task('o', daily)], request(['o'], oneDay));
  expect([...plan.codeHashes]).toEqual([['o', 'hash of o']]);
});

describe('a stage of each run', () => {
  it('leaves what is made of it and read whole on the way in the order of the runs', () => {
    const stage = { parent: 'load', table: 'load', window: own, sameRun: 'filled' } as const;
    const tasks = [
      task(
        'load',
        daily,
        {},
        { writes: [write('load', { kind: 'whole-table' }, 'full_replace')], usedBy: ['calendar', 'sales'] },
      ),
      task('calendar', daily, {}, { reads: [stage], writes: [write('calendar', undefined, 'append')] }),
      task('sales', daily, {}, { reads: [stage, { parent: 'calendar', table: 'calendar', window: unbounded }] }),
    ];
    const plan = makePlan(tasks, request(['load'], range('2024-05-01', '2024-05-03'), { allowAppend: true }));
    expect(codes(plan)).not.toContain('cycle');
    expect(listed(plan)).toEqual([
      'load 05-01',
      'calendar 05-01',
      'sales 05-01',
      'load 05-02',
      'calendar 05-02',
      'sales 05-02',
    ]);
  });
});
