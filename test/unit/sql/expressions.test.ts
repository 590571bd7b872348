import { describe, expect, test } from 'vitest';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import type { SqlExpression } from '../../../src/core/sql/model/expression.ts';
import { readOne } from './support.ts';

/** An expression written as a list, with the text of its leaves: what was understood, at a glance. */
function shape(expression: SqlExpression, sql: string): unknown {
  const inner = (one: SqlExpression) => shape(one, sql);
  const text = sql.slice(expression.start, expression.end);
  switch (expression.kind) {
    case 'column':
      return expression.qualifier === undefined ? expression.name : `${expression.qualifier}.${expression.name}`;
    case 'literal':
    case 'star':
    case 'hole':
    case 'template-string':
      return `${expression.kind} ${text}`;
    case 'interval': {
      const { amount, parts } = expression;
      return [
        'interval',
        amount === undefined ? '?' : `${amount.months}m ${amount.days}d ${amount.ms}ms`,
        ...parts.map(inner),
      ];
    }
    case 'cast':
      return ['cast', inner(expression.operand), expression.type];
    case 'at-time-zone':
      return ['at', inner(expression.operand), inner(expression.zone)];
    case 'call':
      return [`${expression.name}()`, ...expression.arguments.map(inner), ...(expression.window ? ['over'] : [])];
    case 'binary':
      return [expression.operator, inner(expression.left), inner(expression.right)];
    case 'unary':
      return [expression.operator, inner(expression.operand)];
    case 'between':
      return [
        expression.negated ? 'not between' : 'between',
        inner(expression.operand),
        inner(expression.low),
        inner(expression.high),
      ];
    case 'in':
      return [
        expression.negated ? 'not in' : 'in',
        inner(expression.operand),
        ...expression.list.map(inner),
        ...(expression.query ? ['query'] : []),
      ];
    case 'exists':
      return [expression.negated ? 'not exists' : 'exists'];
    case 'subquery':
      return ['subquery'];
    case 'case':
    case 'opaque':
      return [expression.kind, ...expression.parts.map(inner)];
  }
}

function read(text: string, dialect: DialectName = 'postgres'): { shape: unknown; text: string } {
  const sql = `SELECT ${text} AS x FROM t`;
  const item = readOne(sql, dialect).query?.select[0];
  if (item === undefined) throw new Error(text);
  expect(item.name).toBe('x');
  return { shape: shape(item.expression, sql), text: sql.slice(item.expression.start, item.expression.end) };
}

describe('expressions', () => {
  test.each<[string, unknown]>([
    ['a + b * c - d', ['-', ['+', 'a', ['*', 'b', 'c']], 'd']],
    ['a OR b AND NOT c = d', ['or', 'a', ['and', 'b', ['not', ['=', 'c', 'd']]]]],
    ['-a ^ 2', ['^', ['-', 'a'], 'literal 2']],
    ["ts AT TIME ZONE 'UTC'::text", ['at', 'ts', ['cast', "literal 'UTC'", 'text']]],
    [
      "x.ts::timestamp(6) with time zone - interval '1 day 02:00'",
      ['-', ['cast', 'x.ts', 'timestamp(6) with time zone'], ['interval', '0m 1d 7200000ms']],
    ],
    [
      'cast(a AS numeric(10,2)) BETWEEN 1 AND 2 + 3 AND b',
      ['and', ['between', ['cast', 'a', 'numeric(10,2)'], 'literal 1', ['+', 'literal 2', 'literal 3']], 'b'],
    ],
    [
      'a BETWEEN SYMMETRIC 3 AND 1',
      ['or', ['between', 'a', 'literal 3', 'literal 1'], ['between', 'a', 'literal 1', 'literal 3']],
    ],
    ['a NOT BETWEEN SYMMETRIC b AND c', ['and', ['not between', 'a', 'b', 'c'], ['not between', 'a', 'c', 'b']]],
    ['a BETWEEN ASYMMETRIC 3 AND 1', ['between', 'a', 'literal 3', 'literal 1']],
    ["date '2026-01-01'", ['cast', "literal '2026-01-01'", 'date']],
    ['count(DISTINCT a) FILTER (WHERE b) OVER (PARTITION BY c ORDER BY d)', ['count()', 'a', 'b', 'c', 'd', 'over']],
    ['a NOT IN (1, 2) IS NOT TRUE', ['is not true', ['not in', 'a', 'literal 1', 'literal 2']]],
    ['a IN (SELECT b FROM u)', ['in', 'a', 'query']],
    ['NOT EXISTS (SELECT 1)', ['not exists']],
    ['((SELECT 1) + 2)', ['+', ['subquery'], 'literal 2']],
    ['CASE a WHEN 1 THEN b ELSE c END', ['case', 'a', 'literal 1', 'b', 'c']],
    ['a IS DISTINCT FROM b', ['is distinct from', 'a', 'b']],
    ["a ->> 'b' || c", ['||', ['->>', 'a', "literal 'b'"], 'c']],
    ['(a, b)', ['opaque', 'a', 'b']],
    ['ARRAY[1, a][2]', ['opaque', ['opaque', 'literal 1', 'a'], 'literal 2']],
    ['current_date - 1', ['-', ['current_date()'], 'literal 1']],
    ['extract(epoch FROM a)', ['extract()', 'epoch', 'a']],
    ["interval '3' month", ['interval', '3m 0d 0ms']],
    ["interval '1 fortnight'", ['interval', '?']],
    ["interval 'P1DT2H'", ['interval', '0m 1d 7200000ms']],
    ["interval '1.5 days'", ['interval', '?']],
    ["interval '-2 weeks'", ['interval', '0m -14d 0ms']],
    ['interval', 'interval'],
    ['a LIKE b ESCAPE c', ['like', 'a', ['escape', 'b', 'c']]],
    ['f(a => 1, b := c)', ['f()', ['=>', 'a', 'literal 1'], [':=', 'b', 'c']]],
  ])('%s', (text, expected) => {
    const got = read(text);
    expect(got.shape).toEqual(expected);
    if (!text.startsWith('(')) expect(got.text).toBe(text);
  });

  test.each<[DialectName, string, unknown]>([
    ['mysql', 'a || b && c', ['or', 'a', ['and', 'b', 'c']]],
    ['mysql', 'a - INTERVAL 7 DAY', ['-', 'a', ['interval', '0m 7d 0ms']]],
    ['mysql', 'INTERVAL n DAY', ['interval', '?', 'n']],
    ['mysql', "INTERVAL '1 2' DAY_HOUR", ['interval', '?']],
    ['snowflake', 'src:a.b::int', ['cast', ['opaque', 'src'], 'int']],
    ['snowflake', 'a = :b', ['=', 'a', ['opaque']]],
    ['bigquery', 'SAFE_CAST(a AS STRING)', ['cast', 'a', 'string']],
    ['bigquery', 'DATE_SUB(d, INTERVAL 1 MONTH)', ['date_sub()', 'd', ['interval', '1m 0d 0ms']]],
    ['spark', 'transform(a, x -> x + 1)', ['transform()', 'a', ['->', 'x', ['+', 'x', 'literal 1']]]],
    ['duckdb', "{'a': b, 'c': [1]}", ['opaque', "literal 'a'", 'b', "literal 'c'", ['opaque', 'literal 1']]],
    ['trino', "INTERVAL '7' DAY", ['interval', '0m 7d 0ms']],
    ['trino', "TIMESTAMP '2026-01-01 00:00:00'", ['cast', "literal '2026-01-01 00:00:00'", 'timestamp']],
  ])('%s: %s', (dialect, text, expected) => {
    expect(read(text, dialect).shape).toEqual(expected);
  });
});

describe('template expressions', () => {
  const sql =
    "DELETE FROM m.t_{{ ds_nodash }} WHERE a = '{{ ds }}' AND b >= {{ ds }} AND c < '{{ ds }} 00:00:00' AND d = date '{{ ds }}' AND e > {{ n }} - interval '{{ k }} days' AND f = 'x'";
  const { where, target } = readOne(sql);

  test('are holes with their whole span', () => {
    expect(where.map((one) => shape(one, sql))).toEqual([
      ['=', 'a', "hole '{{ ds }}'"],
      ['>=', 'b', 'hole {{ ds }}'],
      ['<', 'c', "template-string '{{ ds }} 00:00:00'"],
      ['=', 'd', ['cast', "hole '{{ ds }}'", 'date']],
      ['>', 'e', ['-', 'hole {{ n }}', ['interval', '?', "template-string '{{ k }} days'"]]],
      ['=', 'f', "literal 'x'"],
    ]);
  });

  test('quoted and bare holes are told apart and numbered', () => {
    const right = where.map((one) => (one.kind === 'binary' ? one.right : one));
    expect(right[0]).toMatchObject({ kind: 'hole', hole: 1, quoted: true });
    expect(right[1]).toMatchObject({ kind: 'hole', hole: 2, quoted: false });
    expect(right[2]).toMatchObject({ kind: 'template-string', holes: [3] });
  });

  test('in a name make the table unknown', () => {
    expect(target).toMatchObject({ name: 'm.t_{{ ds_nodash }}', templated: true });
    expect(sql.slice(target?.start, target?.end)).toBe('m.t_{{ ds_nodash }}');
    const tables = readOne(
      'INSERT INTO {{ params.target }} SELECT * FROM {{ schema }}.orders o JOIN a.{{ x }}_v2 ON true LIMIT {{ n }}',
    );
    expect(tables.target?.templated).toBe(true);
    expect(tables.reads.map(({ name, templated }) => [name, templated])).toEqual([
      ['{{ schema }}.orders', true],
      ['a.{{ x }}_v2', true],
    ]);
  });

  test('in a number make it unknown', () => {
    const text = 'SELECT a FROM t WHERE a = 20{{ n }} AND b = 1';
    const [first, second] = readOne(text).query?.where ?? [];
    expect(first && shape(first, text)).toEqual(['=', 'a', 'template-string 20{{ n }}']);
    expect(second && shape(second, text)).toEqual(['=', 'b', 'literal 1']);
  });

  test('of constant text are code', () => {
    const text = 'SELECT a {{ "," if true else "" }} b FROM t {{ "WHERE" }} a = 1';
    const one = readOne(text);
    expect(one.outputColumns).toEqual(['a', 'b']);
    expect(one.query?.where).toHaveLength(1);
  });

  test('over several lines stay one name', () => {
    const text = 'DELETE FROM m.t_{{\n  ds_nodash\n}}_v WHERE a = {{\r\n ds }}\n';
    const one = readOne(text);
    expect(text.slice(one.target?.start, one.target?.end)).toBe('m.t_{{\n  ds_nodash\n}}_v');
    expect(one.where.map((each) => text.slice(each.start, each.end))).toEqual(['a = {{\r\n ds }}']);
  });

  test('longer than their stand-in keep the name in one piece', () => {
    const long = `{{ ${'macros.something_long('.padEnd(80, 'x')}) }}`;
    const one = readOne(`DELETE FROM m.${long}_t WHERE a = 1`);
    expect(one.target?.name).toBe(`m.${long}_t`);
    expect(one.where).toHaveLength(1);
  });
});
