import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSuppressions } from '../../../src/core/lint/source/suppressions.ts';

const known = new Set(['plain-insert', 'wall-clock']);
const read = (file: string, text: string) => {
  const found = readSuppressions(file, text, known);
  return {
    unknown: found.unknown.map(({ at, word }) => `${word}@${text.slice(at.start, at.end)}`),
    suppressed: (rule: string, needle: string) => found.suppresses(rule, text.indexOf(needle)),
  };
};

describe('next line', () => {
  test.each([
    ['-- backfill-disable-next-line plain-insert: by hand\nINSERT'],
    ['--backfill-disable-next-line plain-insert\nINSERT'],
    ['/* backfill-disable-next-line plain-insert: why */\nINSERT'],
    ['/*\n * backfill-disable-next-line plain-insert: why\n */\nINSERT'],
    ['{# backfill-disable-next-line plain-insert: why #}\nINSERT'],
    ['-- backfill-disable-next-line plain-insert: why\r\nINSERT'],
    ['-- backfill-disable-next-line plain-insert: a\n\n-- backfill-disable-next-line wall-clock: b\nINSERT'],
    ['-- backfill-disable-next-line wall-clock, plain-insert: both\nINSERT'],
  ])('%j', (text) => {
    const { suppressed, unknown } = read('a.sql', text);
    expect(suppressed('plain-insert', 'INSERT')).toBe(true);
    expect(unknown).toEqual([]);
  });

  test('reaches one line only, and one rule only', () => {
    const { suppressed } = read('a.sql', '-- backfill-disable-next-line plain-insert: x\nINSERT\nDELETE');
    expect(suppressed('wall-clock', 'INSERT')).toBe(false);
    expect(suppressed('plain-insert', 'DELETE')).toBe(false);
  });
});

describe('whole file', () => {
  test.each([
    ['a.sql', 'INSERT;\n-- backfill-disable plain-insert: feed'],
    ['a.py', 'x = "INSERT"\n# backfill-disable plain-insert'],
    ['a.py', 'x = """INSERT\n-- backfill-disable plain-insert: in the SQL of a string\n"""'],
    ['a.py', "x = '''INSERT /* backfill-disable plain-insert */'''"],
  ])('%s %j', (file, text) => {
    expect(read(file, text).suppressed('plain-insert', 'INSERT')).toBe(true);
  });
});

describe('never more than was named', () => {
  test.each([
    ['-- backfill-disable plain-inserts', 'plain-inserts@plain-inserts'],
    ['-- backfill-disable plain-insert because it is fine', 'because@because it@it is@is fine@fine'],
    ['-- backfill-disable-next-line', '@backfill-disable-next-line'],
    ['-- backfill-disable', '@backfill-disable'],
    ['-- backfill-disable: all', '@backfill-disable'],
    ['-- backfill-disable all', 'all@all'],
    ['-- backfill-disable *', '*@*'],
  ])('%j', (text, words) => {
    const { unknown, suppressed } = read('a.sql', `${text}\nINSERT`);
    expect(unknown.join(' ')).toBe(words);
    expect(suppressed('wall-clock', 'INSERT')).toBe(false);
  });

  test.each([
    ['a.sql', "SELECT '-- backfill-disable plain-insert'; INSERT"],
    ['a.sql', 'SELECT "-- backfill-disable plain-insert"; INSERT'],
    ['a.sql', 'SELECT $$ -- backfill-disable plain-insert\n $$; INSERT'],
    ['a.sql', '-- we do not backfill-disable plain-insert here\nINSERT'],
    ['a.sql', '-- backfill-disabled plain-insert\nINSERT'],
    ['a.py', 'x = "# backfill-disable plain-insert"; INSERT'],
    ['a.py', 'backfill_disable = 1  # see backfill-disable plain-insert\nINSERT'],
  ])('%s %j says nothing', (file, text) => {
    const { unknown, suppressed } = read(file, text);
    expect(suppressed('plain-insert', 'INSERT')).toBe(false);
    expect(unknown).toEqual([]);
  });

  test('whatever is written, only known rules are suppressed and every unknown word has its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('a.sql', 'a.py'), (rest, file) => {
        const text = `${file === 'a.py' ? '#' : '--'} backfill-disable ${rest}\nINSERT`;
        const found = readSuppressions(file, text, known);
        for (const { at, word } of found.unknown) if (word !== '') expect(text.slice(at.start, at.end)).toBe(word);
        expect(found.suppresses('made-up', text.length - 1)).toBe(false);
      }),
    );
  });
});
