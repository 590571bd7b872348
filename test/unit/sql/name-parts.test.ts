import { expect, test } from 'vitest';
import {
  isQualified,
  lastNamePart,
  namePart,
  nameParts,
  toBeWritten,
  writtenName,
} from '../../../src/core/sql/model/name-parts.ts';
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

test.each([
  ['Mart.Daily', 'mart.daily', 'mart.daily'],
  ['"My T"', 'My T', '"My T"'],
  ['Mart."My T"', 'mart.My T', 'mart."My T"'],
  ['"Mart"."a.b"', 'Mart."a.b"', '"Mart"."a.b"'],
  ['mart."a""b"', 'mart."a""b"', 'mart."a""b"'],
  ['"mart"."daily"', 'mart.daily', 'mart.daily'],
  ['mart.d_{{ ds_nodash }}', 'mart.d_{{ ds_nodash }}', 'mart.d_{{ ds_nodash }}'],
])('%s in a setting is %s, and is to be written %s', (setting, name, again) => {
  expect(writtenName(setting)).toBe(name);
  expect(toBeWritten(name)).toBe(again);
  expect(writtenName(again)).toBe(name);
});
