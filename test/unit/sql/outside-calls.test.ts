import { expect, test } from 'vitest';
import { outsideCalls } from '../../../src/core/sql/calls/outside-calls.ts';

const names = (text: string, dynamic = false) => outsideCalls(text, dynamic).map(({ name }) => name);

test.each([
  ["select dblink('c', 'insert into t values (1)')", ['dblink']],
  ["select * from public.dblink('c', 'delete from t returning 1') as r (a int)", ['dblink']],
  ["select dblink('c', $$update t set a = 1$$)", ['dblink']],
  ["select dblink('c', q) from queries", ['dblink']],
  ["copy t to '/tmp/a.csv'", ['COPY']],
  ["copy (select a from t where b = ')' ) to program 'gzip > a'", ['COPY']],
  ["copy t (a, b) from program 'curl x'", ['COPY']],
  ["select lo_export(1, '/tmp/a'), setval('s', 1)", ['lo_export', 'setval']],
  ["select cron.schedule('* * * * *', 'select 1')", ['schedule']],
  ["select aws_s3.query_export_to_s3('select 1', uri)", ['query_export_to_s3']],
  ["select pg_background_launch('vacuum t')", ['pg_background_launch']],
  ["select content from http_post('http://a', '', 'text/plain')", ['http_post']],
  ['select pg_terminate_backend(1)', ['pg_terminate_backend']],
])('stays: %s', (text, expected) => {
  expect(names(text)).toEqual(expected);
});

test.each([
  "select * from dblink('c', 'select a from t') as r (a int)",
  "select * from dblink('c', $$ with x as (select 1) select * from x $$) as r (a int)",
  'copy t to stdout',
  'copy t from stdin',
  "copy t from '/tmp/a.csv'",
  "insert into notes values ('setval(1)')",
  '-- dblink(a)\nselect 1',
  'select setval from t',
  'select schedule(1), nextval(a)',
  'notify done',
  "select pg_notify('a', 'b')",
])('nothing stays: %s', (text) => {
  expect(names(text)).toEqual([]);
});

test('strings count where they are run as SQL', () => {
  expect(names("execute 'select dblink(' || quote_literal(c) || ')'", true)).toEqual(['dblink']);
  expect(names("execute format('copy %I to %L', t, f)", true)).toEqual(['COPY']);
  expect(names("execute 'copy t to stdout'", true)).toEqual([]);
});
