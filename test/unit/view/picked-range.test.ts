import { expect, test } from 'vitest';
import { pickedRange } from '../../../src/core/view/page/range/picked-range.ts';
import { at, cadence, task } from '../plan/planning.ts';

const daily = cadence('day', 'UTC', '2024-01-01', '2025-01-10');
const monthly = cadence('month', 'UTC', '2024-01-01', '2025-01-10');
const tasks = [task('orders', daily), task('month', monthly)];

test('spans what was picked, on the page of the task that comes first', () => {
  expect(at('2024-03-04')).toBe(Date.UTC(2024, 2, 4));
  expect(
    pickedRange(tasks, ['month@2024-02-01T00:00:00Z', 'orders@2024-03-06T00:00:00Z', 'orders@2024-03-04T00:00:00Z']),
  ).toEqual({
    task: 'orders',
    from: '2024-02-01',
    to: '2024-03-07',
    only: ['month@2024-02-01T00:00:00Z', 'orders@2024-03-06T00:00:00Z', 'orders@2024-03-04T00:00:00Z'],
    gone: [],
  });
});

test('names what the workspace does not have any more', () => {
  expect(pickedRange(tasks, ['orders@2024-03-04T00:00:00Z', 'orders@2024-03-04T12:00:00Z', 'old@x'])).toMatchObject({
    only: ['orders@2024-03-04T00:00:00Z'],
    gone: ['orders@2024-03-04T12:00:00Z', 'old@x'],
  });
  expect(pickedRange(tasks, ['old@x'])).toBeUndefined();
});
