import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planStatement } from '../../../src/core/warehouse/port/transaction-control.ts';

const kind = (text: string) => planStatement(text).kind;

describe("what ends or cannot be in the unit's transaction", () => {
  test.each([
    ['BEGIN', 'drop'],
    ['  begin ;', 'drop'],
    ['-- first\n/* a /* nested */ remark */ Start Transaction', 'drop'],
    ['COMMIT AND CHAIN', 'drop'],
    ['end', 'drop'],
    ['', 'drop'],
    [' ;\n-- nothing', 'drop'],
    ['set transaction isolation level serializable', 'drop'],
    ['set session characteristics as transaction read only', 'drop'],
    ['rollback', 'refuse'],
    ['ABORT WORK', 'refuse'],
    ['rollback to savepoint mine', 'refuse'],
    ['ROLLBACK WORK TO mine', 'refuse'],
    ['savepoint mine', 'run'],
    ['savepoint backfill_unit', 'refuse'],
    ['release savepoint backfill_unit', 'refuse'],
    ["commit prepared 'x'", 'refuse'],
    ["prepare transaction 'x'", 'refuse'],
    ['prepare plan as select 1', 'run'],
    ['vacuum', 'refuse'],
    ['discard all', 'refuse'],
    ['discard temp', 'refuse'],
    ['discard plans', 'run'],
    ["set temp_buffers = '16MB'", 'drop'],
    ['set local temp_buffers to 2000', 'drop'],
    ['reset temp_buffers', 'drop'],
    ["set work_mem = '16MB'", 'run'],
    ["set transaction_isolation = 'serializable'", 'drop'],
    ['create unique index concurrently on t (a)', 'refuse'],
    ['drop index concurrently i', 'refuse'],
    ['create index i on t (concurrent)', 'run'],
    ['create database x', 'refuse'],
    ['create table x (a int)', 'run'],
    ['reindex table concurrently t', 'refuse'],
    ['alter system set work_mem = 1', 'refuse'],
    ['copy t from stdin', 'refuse'],
    ['COPY (select 1) TO  STDOUT', 'refuse'],
    ["copy t from '/file'", 'run'],
    ['\\copy t from file', 'refuse'],
    ['call p()', 'run'],
    ['select 1 -- commit', 'run'],
    ['insert into begin_log select 1', 'run'],
    ['with x as (select 1) select * from x', 'run'],
    ['(select 1)', 'run'],
  ])('%j: %s', (text, expected) => {
    expect(kind(text)).toBe(expected);
  });

  test('a dropped isolation clause is said, a plain BEGIN is not', () => {
    expect(planStatement('BEGIN ISOLATION LEVEL SERIALIZABLE')).toMatchObject({
      note: expect.stringContaining('SERIALIZABLE'),
    });
    expect(planStatement('BEGIN')).toEqual({ kind: 'drop', note: undefined });
  });

  test.each([
    ['set transaction read only', /: its transaction writes the record of the rerun too\.$/],
    ['begin isolation level serializable read only', /rerun too, and a rerun works at READ COMMITTED\.$/],
    ['set temp_buffers = 800', /: it has to come before the first temporary table/],
  ])('%s is left out for its own reason', (text, note) =>
    expect(planStatement(text)).toMatchObject({ note: expect.stringMatching(note) }),
  );

  test.each([
    ['discard all', 'DISCARD ALL cannot run inside a transaction.'],
    ['discard temporary', 'DISCARD TEMP would drop the copies'],
  ])('%s is refused for its own reason', (text, reason) =>
    expect(planStatement(text)).toMatchObject({ reason: expect.stringContaining(reason) }),
  );

  test('any text gets an answer', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => ['run', 'drop', 'refuse'].includes(kind(text))));
    fc.assert(
      fc.property(fc.array(fc.constantFrom('/*', '*/', '--', '\n', ';', 'begin', ' ', '\\', "'")), (parts) =>
        ['run', 'drop', 'refuse'].includes(kind(parts.join(''))),
      ),
    );
  });
});
