import { expect, test } from 'vitest';
import { onlyEmpties } from '../../../src/core/run/tables/only-empties.ts';
import type { JobSlice } from '../../../src/core/run/unit/unit-job.ts';

const target = { slice: { table: 'stage.a' } as JobSlice, qualified: 'stage.a' };
const empties = (...texts: readonly string[]) =>
  onlyEmpties(
    texts.map((text) => ({ text, at: undefined })),
    target,
  );

test.each([
  ['truncate stage.a'],
  ['TRUNCATE TABLE stage.a, stage.b'],
  ['delete from stage.a'],
  ['truncate stage.a', 'insert into log select 1'],
])('all that it does is to empty the table: %s', (...texts) => expect(empties(...texts)).toBe(true));

test.each([
  ["delete from stage.a where day = '2026-11-01'"],
  ['truncate stage.a', 'insert into stage.a select 1'],
  ['truncate stage.b'],
  ['truncate stage.a', 'call fill()'],
  ['with gone as (delete from stage.a returning *) insert into stage.a select * from gone where false'],
])('it may do more, or has a condition: %s', (...texts) => expect(empties(...texts)).toBe(false));
