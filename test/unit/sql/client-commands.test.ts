import { describe, expect, it } from 'vitest';
import { decidesWork } from '../../../src/core/sql/lex/client-ends.ts';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { readSql } from '../../../src/core/sql/read-sql.ts';
import { plainText } from '../../../src/core/template/mask/plain-text.ts';

const commandsOf = (text: string, dialect: DialectName = 'postgres'): readonly string[] =>
  (readSql(plainText(text), dialect).clientCommands ?? []).map(({ start, end }) => text.slice(start, end));

describe('commands of psql', () => {
  it.each([
    '\\if true',
    '\\elif :x',
    '\\else',
    '\\endif',
    "\\copy t from 'f.csv' csv",
    '\\i more.sql',
    '\\ir more.sql',
    '\\include more.sql',
    '\\c other',
    '\\connect - loader',
    '\\gexec',
    '\\gset',
    '\\gdesc',
    '\\g out.txt',
    '\\watch 2',
    '\\q',
    '\\r',
    '\\o out.txt',
    '\\! rm -f out.txt',
    "\\set day '2026-11-01'",
    '\\set AUTOCOMMIT off',
    '\\unset AUTOCOMMIT',
    '\\encoding LATIN1',
    '\\timing \\i more.sql',
    '\\pset null - \\gexec',
    '\\somethingnew',
  ])('%s decides what is done', (command) => {
    expect(decidesWork(command)).toBe(true);
  });

  it.each([
    '\\timing on',
    '\\x',
    '\\pset pager off',
    '\\echo loading :x',
    '\\set ON_ERROR_STOP on',
    '\\set QUIET 1',
    '\\unset ECHO',
    '\\g',
    '\\gx',
    '\\o',
    '\\encoding UTF8',
    "\\encoding 'utf-8'",
    '\\dt+ mart.*',
    '\\l',
    '\\timing off \\x on',
  ])('%s only shows', (command) => {
    expect(decidesWork(command)).toBe(false);
  });

  it('are found where they stand, and not in strings, comments and other dialects', () => {
    const script =
      "\\set ON_ERROR_STOP on\n\\if true\nselect 1;\n\\endif\nselect 'a' \\gexec\n-- \\i x\nselect '\\i y';";
    expect(commandsOf(script)).toEqual(['\\if true', '\\endif', '\\gexec']);
    expect(commandsOf("select E'\\\\copy'; select $$\n\\c x\n$$; select 1 \\; select 2;")).toEqual([]);
    expect(commandsOf('select 1')).toEqual([]);
  });
});
