import { describe, expect, test } from 'vitest';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { type Instant, instant } from '../../../src/core/time/zones/instant.ts';
import { type CalendarGrid, calendarGrid } from '../../../src/core/view/page/range/calendar-view.ts';
import { rangePresets } from '../../../src/core/view/page/range/presets.ts';
import { factsOf } from '../../support/check-files.ts';

const now = instant(Date.UTC(2026, 10, 29, 12));

function grid(schedule: string, zone = 'Europe/Berlin', at = now, before?: Instant): CalendarGrid {
  const file = `import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("shop", schedule="${schedule}", start_date=pendulum.datetime(2026, 1, 1, tz="${zone}"), catchup=False):
    SQLExecuteQueryOperator(task_id="clean", conn_id="w", sql="DELETE FROM mart.t WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}'")
`;
  const [task] = plannableTasks(factsOf({ 'dags/shop.py': file }), (text) => text);
  if (task === undefined) throw new Error('no task was read');
  return calendarGrid(task, 'clean', at, task.zone, before);
}

describe('the intervals of a task', () => {
  test('of days are those since the start, oldest first, with the one that is not finished at the end', () => {
    const { layout, cells, more } = grid('0 0 * * *');
    expect([layout, more]).toEqual(['days', false]);
    expect(cells[0]).toMatchObject({ from: '2026-01-01', to: '2026-01-02', open: false });
    expect(cells.at(-2)).toMatchObject({ label: '2026-11-28', from: '2026-11-28', to: '2026-11-29', open: false });
    expect(cells.at(-1)).toMatchObject({ label: '2026-11-29', open: true });
  });

  test('a night in which the clocks go back is one day, typed as bare dates', () => {
    expect(grid('0 0 * * *').cells.find(({ label }) => label === '2026-10-25')).toMatchObject({
      unit: 'shop.clean@2026-10-24T22:00:00Z',
      from: '2026-10-25',
      to: '2026-10-26',
    });
  });

  test('of hours are 25 on the day of a clock change, and the two that are alike are told apart', () => {
    const { layout, cells, more } = grid('0 * * * *', 'Europe/Berlin', instant(Date.UTC(2026, 9, 27)));
    expect([layout, more]).toEqual(['hours', true]);
    const day = cells.filter(({ from }) => from.startsWith('2026-10-25'));
    expect(day).toHaveLength(25);
    expect(new Set(day.map(({ from }) => from)).size).toBe(25);
  });

  test('of working days leave the week-end out', () => {
    const { layout, cells } = grid('0 0 * * 1-5', 'UTC');
    expect(layout).toBe('days');
    expect(cells.length).toBeGreaterThan(200);
  });

  test.each([
    ['0 0 1 * *', '2026-10'],
    ['0 0 * * 1', '2026-11-16 00:00 – 2026-11-23 00:00'],
  ])('of %s stand on a strip', (schedule, last) => {
    const { layout, cells } = grid(schedule, 'UTC');
    expect(layout).toBe('strip');
    expect(cells.filter(({ open }) => !open).at(-1)?.label).toBe(last);
  });

  test('older ones are those before', () => {
    const { cells } = grid('0 * * * *', 'UTC', now, instant(Date.UTC(2026, 10, 1)));
    expect(cells.at(-1)).toMatchObject({ from: '2026-10-31T23:00', to: '2026-11-01', open: false });
  });
});

describe('presets', () => {
  const days = (states: readonly string[], last = '2026-11-29') =>
    states.map((state, index) => {
      const at = (offset: number): string =>
        new Date(Date.parse(`${last}T00:00Z`) - (states.length - 1 - index - offset) * 86_400_000)
          .toISOString()
          .slice(0, 10);
      return { unit: `a.b@${at(0)}`, from: at(0), to: at(1), label: at(0), state, open: false };
    });
  const offered = (intervals: ReturnType<typeof days>) =>
    rangePresets(intervals, true).map(({ label, from, to }) => `${label} ${from} ${to}`);

  test('are of what is there: months that lie in it, stale ones, what failed last', () => {
    const states = Array.from({ length: 60 }, (_, index) =>
      index === 10 || index === 20 ? 'stale' : index === 50 ? 'failed' : 'fresh',
    );
    expect(offered(days(states))).toEqual([
      'Last day 2026-11-29 2026-11-30',
      'Last 7 2026-11-23 2026-11-30',
      'October 2026-10-01 2026-11-01',
      'This quarter 2026-10-01 2026-11-30',
      'Since last failure 2026-11-20 2026-11-30',
      'All stale · 2 2026-10-11 2026-10-22',
    ]);
  });

  test('all of a state are exactly those, and a range where they follow each other', () => {
    const states = ['fresh', 'missing', 'fresh', 'missing', 'missing', 'fresh', 'stale', 'stale', 'fresh'];
    const of = (label: string) => rangePresets(days(states), true).find((preset) => preset.label.startsWith(label));
    expect(of('Fill what is missing')).toEqual({
      label: 'Fill what is missing · 3',
      from: '2026-11-22',
      to: '2026-11-26',
      only: ['a.b@2026-11-22', 'a.b@2026-11-24', 'a.b@2026-11-25'],
    });
    expect(of('All stale')).toEqual({ label: 'All stale · 2', from: '2026-11-27', to: '2026-11-29' });
  });

  test('on the last day of a month that month is whole', () => {
    expect(
      offered(
        days(
          Array.from({ length: 40 }, () => 'fresh'),
          '2026-11-30',
        ),
      ),
    ).toContain('November 2026-11-01 2026-12-01');
  });

  test('what would reach before the first interval is not offered, and nothing of nothing', () => {
    expect(offered(days(['fresh', 'fresh']))).toEqual(['Last day 2026-11-29 2026-11-30']);
    expect(offered([])).toEqual([]);
  });
});
