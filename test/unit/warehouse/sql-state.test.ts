import { expect, test } from 'vitest';
import { warehouseErrorOf } from '../../../src/core/warehouse/port/sql-state.ts';

test.each([
  [undefined, 'connection', true],
  ['08006', 'connection', true],
  ['57P01', 'connection', true],
  ['57P03', 'connection', true],
  ['25P03', 'timeout', true],
  ['40001', 'conflict', true],
  ['40P01', 'conflict', true],
  ['55P03', 'timeout', true],
  ['57014', 'cancelled', false],
  ['28P01', 'permission', false],
  ['28000', 'permission', false],
  ['42501', 'permission', false],
  ['42P01', 'missing', false],
  ['42601', 'syntax', false],
  ['23505', 'constraint', false],
  ['53100', 'storage', false],
  ['53300', 'connection', true],
  ['25006', 'connection', true],
  ['25P04', 'timeout', true],
  ['57P05', 'connection', true],
  ['22012', 'other', false],
  ['ZZ999', 'other', false],
])('%s is %s, retryable: %s', (sqlState, kind, retryable) => {
  expect(warehouseErrorOf({ message: 'x', sqlState })).toMatchObject({ kind, retryable });
});

test('a definition that another session changed at the same moment may be tried again', () => {
  const said = { message: 'tuple concurrently updated', sqlState: 'XX000' };
  expect(warehouseErrorOf({ ...said, catalogRace: true })).toMatchObject({ kind: 'conflict', retryable: true });
  expect(warehouseErrorOf({ ...said, catalogRace: false })).toMatchObject({ retryable: false });
});

test('the detail is told, and a hint of the server is never our advice', () => {
  const error = warehouseErrorOf({ message: 'no', detail: 'why', hint: 'Try this.', sqlState: '42P01' });
  expect(error.message).toBe("no (why); the server's hint: “Try this.”");
  expect(error.detail.hint).toMatch(/^Check the table name/);
  expect(
    warehouseErrorOf({ message: 'no', hint: 'Use DROP … CASCADE.', sqlState: '2BP01' }).detail.hint,
  ).toBeUndefined();
});
