import { expect, test } from 'vitest';
import { isQualified, lastNamePart, namePart, nameParts } from '../../../src/core/sql/model/name-parts.ts';
import { quoteTableName } from '../../../src/core/warehouse/dialects/postgres/quote.ts';

test.each([
  ['daily', ['daily']],
  ['mart.daily', ['mart', 'daily']],
  ['"mart.daily"', ['mart.daily']],
  ['public."mart.daily"', ['public', 'mart.daily']],
  ['"a.b"."c"".d"', ['a.b', 'c".d']],
  ['db..daily', ['db', '', 'daily']],
  ['Mart.Daily', ['Mart', 'Daily']],
])('%s is made of its parts', (name, parts) => {
  expect(nameParts(name)).toEqual(parts);
  expect(lastNamePart(name)).toBe(parts.at(-1));
  expect(isQualified(name)).toBe(parts.length > 1);
  expect(quoteTableName(name)).toBe(parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.'));
});

test('a part is quoted where it would be read as two', () => {
  expect([namePart('daily'), namePart('mart.daily'), namePart('a"b')]).toEqual(['daily', '"mart.daily"', '"a""b"']);
});
