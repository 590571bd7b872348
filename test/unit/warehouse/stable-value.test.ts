import { expect, test } from 'vitest';
import { stableValue, type TypeRow } from '../../../src/core/warehouse/dialects/postgres/stable-value.ts';

const type = (oid: string, parts: Partial<TypeRow>): TypeRow => ({
  oid,
  name: `t${oid}`,
  short: `t${oid}`,
  kind: 'b',
  base: '0',
  element: '0',
  array: false,
  sendable: true,
  builtIn: false,
  fields: null,
  ...parts,
});
const types = new Map(
  [
    type('23', { name: 'integer', builtIn: true }),
    type('1', { kind: 'e' }),
    type('2', { kind: 'd', base: '23' }),
    type('3', { array: true, element: '1' }),
    type('4', { array: true, element: '2' }),
    type('5', {
      kind: 'c',
      fields: [
        { name: 'x', typeOid: '2' },
        { name: 'y"z', typeOid: '1' },
      ],
    }),
    type('6', { array: true, element: '5' }),
    type('7', { sendable: false, builtIn: true }),
    type('8', { kind: 'd', base: '3' }),
    type('9', { kind: 'd', base: '9' }),
    type('10', { kind: 'r' }),
  ].map((row) => [row.oid, row]),
);

test.each([
  ['a built-in type as it is', '23', ['%'], false],
  ['an enum as text', '1', ['(%)::pg_catalog.text'], false],
  ['a domain as its base', '2', ['(%)::integer'], false],
  ['an array of enums as texts', '3', ['(%)::pg_catalog.text[]'], false],
  ['an array of domains as an array of the base', '4', ['(%)::integer[]'], false],
  [
    'a composite field by field',
    '5',
    ['pg_catalog.num_nulls(%)', '((%)."x")::integer', '((%)."y""z")::pg_catalog.text'],
    false,
  ],
  ['an array of composites as text', '6', ['(%)::pg_catalog.text'], true],
  ['what has no binary form as text', '7', ['(%)::pg_catalog.text'], true],
  ['a domain over an array of enums', '8', ['((%)::t3)::pg_catalog.text[]'], false],
  ["a range of one's own as text", '10', ['(%)::pg_catalog.text'], true],
  ['a type nobody knows as text', '404', ['(%)::pg_catalog.text'], true],
  ['a ring of types ends', '9', undefined, true],
])('%s', (_what, oid, expressions, textual) => {
  const value = stableValue(oid, types);
  expect(value.textual).toBe(textual);
  if (expressions) expect(value.expressions).toEqual(expressions);
});
