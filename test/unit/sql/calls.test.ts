import { describe, expect, it } from 'vitest';
import { callsInSql } from '../../../src/core/sql/calls/calls-in-sql.ts';
import { namedInBody } from '../../../src/core/sql/calls/named-in-sql.ts';
import { withArguments } from '../../../src/core/sql/calls/with-arguments.ts';
import { readSql } from '../../../src/core/sql/read-sql.ts';

const plain = (text: string) => ({ text, holes: [], tags: [], problem: undefined });

describe('calls in a text', () => {
  const calls = (text: string) =>
    callsInSql(plain(text), 'postgres').map(({ name, arguments: given }) => [
      name,
      ...given.map(({ start, end }) => text.slice(start, end)),
    ]);

  it.each([
    [
      'select mart.f(1, (2), g(3, 4))',
      [
        ['mart.f', '1', '(2)', 'g(3, 4)'],
        ['g', '3', '4'],
      ],
    ],
    ['select f()', [['f']]],
    ['call "Mart"."Load"(p => array[1, 2])', [['Mart.Load', 'p => array[1, 2]']]],
    ['do $$ begin perform mart.f(1); end $$', [['mart.f', '1']]],
    ["select 'f(1)' -- g(2)", []],
    ['select f(1', [['f', '1']]],
  ])('%s', (text, found) => {
    expect(calls(text)).toEqual(found);
  });
});

describe('the body of a routine for one call', () => {
  const given = (text: string | undefined) => [{ name: 'd', type: 'date', text }];

  it.each([
    ['select 1 from t where day = d', "select 1 from t where day = cast('x' as date)"],
    ['select 1 from t where day = $1', "select 1 from t where day = cast('x' as date)"],
    ['select 1 from t where day = cnt.d', "select 1 from t where day = cast('x' as date)"],
    ['select d.day from t d where d.day = $1', "select d.day from t d where d.day = cast('x' as date)"],
    ["select 'd', t.d, $2", "select 'd', t.d, $2"],
  ])('%s', (body, read) => {
    expect(withArguments(body, 'mart.cnt', given("'x'"), new Set())).toBe(read);
  });

  it('leaves names of columns, and what the call leaves out', () => {
    expect(withArguments('where d = $1', 'f', given("'x'"), new Set(['d']))).toBe("where d = cast('x' as date)");
    expect(withArguments('where day = d', 'f', given(undefined), new Set())).toBe('where day = d');
  });
});

it('a body names tables and calls, in blocks too', () => {
  const body = 'begin if exists (select 1 from a.t) then insert into b.t select f(x) from c.t; end if; end';
  expect(namedInBody(body, 'plpgsql').relations.toSorted()).toEqual(['a.t', 'b.t', 'c.t']);
  expect(namedInBody(body, 'plpgsql').routines).toContain('f');
});

it.each([
  ['exec [dbo].[load]', 'dbo.load'],
  ["EXEC dbo.load @day = '2024-01-01'", 'dbo.load'],
  ['execute dbo.load', 'dbo.load'],
  ['execute plan(1)', 'plan'],
  ["execute immediate 'select 1'", undefined],
])('%s calls what is written elsewhere', (text, routine) => {
  expect(readSql(plain(text), 'ansi').statements.map((one) => one.routine?.name)).toEqual([routine]);
});
