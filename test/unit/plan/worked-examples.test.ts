import { describe, expect, it } from 'vitest';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import {
  at,
  cadence,
  codes,
  days,
  end,
  floor,
  listed,
  own,
  range,
  request,
  start,
  startsOf,
  task,
  window,
} from './planning.ts';

const daily = cadence('day', 'UTC', '2024-01-01', '2025-01-10');
const monthly = cadence('month', 'UTC', '2024-01-01', '2025-01-10');
const rolling7 = window(start(days(-6)), end());
const from = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => new Date(at(first) + index * 86_400_000).toISOString().slice(5, 10));

describe('runs that are picked one by one', () => {
  const tasks = [task('orders', daily), task('roll7', daily, { orders: rolling7 }), task('other', daily)];
  const picked = (only: readonly string[], names = ['orders', 'other']) =>
    makePlan(tasks, { ...request(names, range('2024-03-01', '2024-04-01')), only });

  it('are all that is selected, and what reads them follows', () => {
    const plan = picked(['orders@2024-03-04T00:00:00Z', 'orders@2024-03-06T00:00:00Z', 'other@2024-03-20T00:00:00Z']);
    expect(startsOf(plan, 'orders')).toEqual(['03-04', '03-06']);
    expect(startsOf(plan, 'other')).toEqual(['03-20']);
    expect(startsOf(plan, 'roll7')).toEqual(from('2024-03-04', 9));
    expect(codes(plan)).not.toContain('empty-selection');
  });

  it('that are not there stand against the plan', () => {
    const plan = picked(['orders@2024-03-04T00:00:00Z', 'orders@2024-03-06T12:00:00Z'], ['orders']);
    expect(plan.findings.find(({ code }) => code === 'empty-selection')).toMatchObject({
      severity: 'error',
      message: 'No finished run of the range is orders@2024-03-06T12:00:00Z.',
    });
    expect(codes(picked(['orders@2024-05-04T00:00:00Z'], ['orders']))).toContain('empty-selection');
  });
});

describe('worked examples', () => {
  it('plans a rolling seven-day child seven times for one day', () => {
    const plan = makePlan(
      [task('orders', daily), task('roll7', daily, { orders: rolling7 })],
      request(['orders'], range('2024-03-04', '2024-03-05')),
    );
    expect(startsOf(plan, 'orders')).toEqual(['03-04']);
    expect(startsOf(plan, 'roll7')).toEqual(from('2024-03-04', 7));
    expect(plan.widened).toEqual([
      {
        task: 'roll7',
        from: at('2024-03-04'),
        to: at('2024-03-11'),
        because: 'it reads 2024-03-04 to 2024-03-10 (for 2024-03-10) of orders',
      },
    ]);
  });

  it('carries a rolling window over the end of a month into both months', () => {
    const plan = makePlan(
      [task('orders', daily), task('roll7', daily, { orders: rolling7 }), task('month', monthly, { roll7: own })],
      request(['orders'], range('2024-03-28', '2024-03-29')),
    );
    expect(startsOf(plan, 'roll7')).toEqual(from('2024-03-28', 7));
    expect(startsOf(plan, 'month')).toEqual(['03-01', '04-01']);
  });

  it.each([
    ['2024-03-10', 23],
    ['2024-11-03', 25],
  ])('counts the hours of the clock change on %s', (day, hours) => {
    const zone = 'America/New_York';
    const next = from(day, 2)[1];
    const plan = makePlan(
      [
        task('hours', cadence('hour', zone, '2024-01-01', '2024-12-30'), {}, { zone }),
        task('day', cadence('day', zone, '2024-01-01', '2024-12-30'), { hours: own }, { zone }),
      ],
      request(
        ['hours'],
        range(`${day}T${day < '2024-06' ? '05' : '04'}:00:00Z`, `2024-${next}T${day < '2024-06' ? '04' : '05'}:00:00Z`),
      ),
    );
    expect(startsOf(plan, 'hours')).toHaveLength(hours);
    expect(new Set(plan.units.map((unit) => unit.id)).size).toBe(hours + 1);
    expect(startsOf(plan, 'day')).toHaveLength(1);
    expect(plan.units.at(-1)?.waitsFor).toEqual([{ task: 'hours', first: 0, last: hours - 1 }]);
  });

  it('plans every coarser interval once', () => {
    const plan = makePlan(
      [
        task('hourly', cadence('hour', 'UTC', '2024-01-01', '2024-12-30')),
        task('daily', daily, { hourly: own }),
        task('weekly', cadence('week', 'UTC', '2024-01-01', '2024-12-30'), { daily: own }),
        task('monthly', monthly, { daily: own }),
      ],
      request(['hourly'], range('2024-04-29', '2024-05-03')),
    );
    expect([...plan.byTask].map(([id, units]) => [id, units.length])).toEqual(
      expect.arrayContaining([
        ['hourly', 96],
        ['daily', 4],
        ['weekly', 1],
        ['monthly', 2],
      ]),
    );
  });

  it('redoes everything after an interval of a cumulative task, one at a time', () => {
    const cumulative = task('total', daily, { total: window(undefined, start()) });
    const plan = makePlan(
      [cumulative],
      request(['total'], range('2024-05-01', '2024-05-02'), { now: at('2024-05-10T07:00:00Z') }),
    );
    expect(startsOf(plan, 'total')).toEqual(from('2024-05-01', 9));
    expect(plan.units.map((unit) => unit.waitsFor)).toEqual([
      [],
      ...Array.from({ length: 8 }, (_, index) => [{ task: 'total', first: index, last: index }]),
    ]);
    expect(plan.units.map((unit) => unit.reasons.map(({ kind }) => kind))).toEqual([
      ['selected'],
      ...Array.from({ length: 8 }, () => ['own-tail']),
    ]);
    expect(codes(plan)).toEqual(['missing-previous']);
  });

  it('dirties every later interval of a child that reads everything so far', () => {
    const plan = makePlan(
      [task('o', daily), task('total', daily, { o: window(undefined, end()) })],
      request(['o'], range('2024-05-01', '2024-05-02'), { now: at('2024-05-10T07:00:00Z') }),
    );
    expect(startsOf(plan, 'total')).toEqual(from('2024-05-01', 9));
  });

  it('maps a UTC day to the two New York days that it overlaps', () => {
    const zone = 'America/New_York';
    const plan = makePlan(
      [task('utc', daily), task('local', cadence('day', zone, '2024-01-01', '2024-12-30'), { utc: own }, { zone })],
      request(['utc'], range('2024-06-05', '2024-06-06')),
    );
    expect(startsOf(plan, 'local')).toEqual(['06-04T04:00', '06-05T04:00']);
  });

  it('redoes a month to date up to the end of the month', () => {
    const plan = makePlan(
      [task('o', daily), task('mtd', daily, { o: window(start(floor('month')), end()) })],
      request(['o'], range('2024-03-28', '2024-03-29')),
    );
    expect(startsOf(plan, 'mtd')).toEqual(from('2024-03-28', 4));
  });

  it('interleaves a chain with a lag, oldest interval first', () => {
    const plan = makePlan(
      [task('o', daily), task('a', daily, { o: own }), task('b', daily, { a: window(start(days(-1)), end()) })],
      request(['o'], range('2024-06-01', '2024-06-04')),
    );
    expect(listed(plan)).toEqual([
      ...['o 06-01', 'a 06-01', 'b 06-01', 'o 06-02', 'a 06-02', 'b 06-02'],
      ...['o 06-03', 'a 06-03', 'b 06-03', 'b 06-04'],
    ]);
  });

  it('dirties earlier intervals where a window reads ahead', () => {
    const plan = makePlan(
      [task('o', daily), task('lead', daily, { o: window(start(), end(days(1))) })],
      request(['o'], range('2024-06-05', '2024-06-06')),
    );
    expect(startsOf(plan, 'lead')).toEqual(['06-04', '06-05']);
    expect(listed(plan)).toEqual(['o 06-05', 'lead 06-04', 'lead 06-05']);
  });

  it('plans ten years with rolling, weekly and monthly children', () => {
    const long = cadence('day', 'UTC', '2013-01-01', '2025-02-01');
    const plan = makePlan(
      [
        task('day', long),
        task('roll30', long, { day: window(start(days(-29)), end()) }),
        task('week', cadence('week', 'UTC', '2013-01-01', '2025-02-01'), { roll30: own }),
        task('month', cadence('month', 'UTC', '2013-01-01', '2025-02-01'), { roll30: own }),
      ],
      request(['day'], range('2014-01-01', '2023-12-29')),
    );
    expect(plan.units).toHaveLength(7974);
    expect(plan.findings).toEqual([]);
  });
});
