import { expect, test } from 'vitest';
import { lex } from '../../../src/core/sql/lex/lexer.ts';
import { withVariablesAsParameters } from '../../../src/core/sql/statements/body-variables.ts';
import { plainText } from '../../../src/core/template/mask/plain-text.ts';

const read = (sql: string): string =>
  withVariablesAsParameters(lex(plainText(sql), 'postgres').tokens)
    .map(({ text }) => text)
    .join(' ');

test('a variable that is compared or counted with is a parameter; a name that may be one of something else stays', () => {
  expect(read('declare v date; n int := 0; begin delete from t where day = v and k > n - 1; end')).toMatch(
    /where day = \$1 and k > \$1 - 1/,
  );
  const other =
    'declare n int; begin insert into t (k, n) select k, count(*) as n from s; update t set n = 1; perform n(1); end';
  expect(read(other)).not.toContain('$1');
  expect(read('begin for d in select 1 loop delete from t where day = d; end loop; end')).toContain('day = $1');
  expect(read('declare c cursor for select 1; begin delete from t where day = c; end')).not.toContain('$1');
});

test('declarations end with the first statement, also where they stand behind BEGIN', () => {
  const body = 'begin declare n int; insert into t values (1); create table u (k int references t on insert); end';
  expect(read(body)).not.toContain('$1');
});
