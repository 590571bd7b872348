import { describe, expect, test } from 'vitest';
import { upsertKeys } from '../../../src/core/run/tables/upsert-keys.ts';

const keysOf = (...texts: readonly string[]) =>
  upsertKeys(texts.map((text) => ({ text, at: undefined }))).map(
    ({ table, columns, onePerKey }) => `${table}(${columns.join(',')})${onePerKey ? ' once' : ''}`,
  );
const merge = (on: string, then: string) => `merge into mart.t as t using s on ${on} ${then}`;
const update = 'when matched then update set a = s.a when not matched then insert values (s.id)';

describe('upsertKeys', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['ON CONFLICT', ['insert into mart.t select * from s on conflict (id, "Day") do nothing'], ['mart.t(id,Day)']],
    [
      'behind WITH',
      ['with x as (select 1) insert into t select * from x on conflict (id) do update set a = 1'],
      ['t(id)'],
    ],
    ['a MERGE', [merge('t.id = s.id and s.day = t.day', update)], ['mart.t(id,day) once']],
    ['a MERGE that looks at more than its key', [merge('t.id = s.id and t.current', update)], ['mart.t(id)']],
    ['a MERGE that only adds', [merge('t.id = s.id', 'when not matched then insert values (s.id)')], ['mart.t(id)']],
    [
      'a MERGE that removes what its source has not',
      [merge('t.id = s.id', `${update} when not matched by source then delete`)],
      ['mart.t(id)'],
    ],
    [
      'a DELETE of the keys that come in',
      ['delete from t where id in (select id from s)', 'insert into t select * from s'],
      ['t(id)'],
    ],
    ['of several columns', ['delete from t where (a, b) in (select a, b from s)'], ['t(a,b)']],
    ['with USING', ["delete from mart.t using s where t.id = s.id and t.day = '2026-11-01'"], ['mart.t(id)']],
  ])('finds the key of %s', (_what, texts, keys) => {
    expect(keysOf(...texts)).toEqual(keys);
  });

  const upsert = 'insert into mart.t select * from s on conflict (id) do update set a = 1';
  test.each<[string, readonly string[]]>([
    ['that has no key', ["delete from t where day = '2026-11-01'", 'insert into t select * from s']],
    ['without the columns of a conflict', ['insert into t select * from s on conflict do nothing']],
    ['that deletes its interval first', ["delete from t where day = '2026-11-01'", upsert]],
    ['that is emptied first, by whatever name', ['truncate mart.t', upsert]],
    [
      'that is deleted from within the statement',
      [`with gone as (delete from mart.t where day = '2026-11-01') ${upsert}`],
    ],
    ['that is made anew', ['drop table if exists mart.t', 'create table mart.t (id int primary key)', upsert]],
    ['that keeps what a DELETE names', ['delete from t where id not in (select id from s)']],
  ])('leaves a table alone %s', (_what, texts) => {
    expect(keysOf(...texts)).toEqual([]);
  });

  test('of a constraint that stands for its columns the name is known', () => {
    const text = 'insert into t select * from s on conflict on constraint "T_key" do update set a = 1';
    expect(upsertKeys([{ text, at: undefined }])).toMatchObject([{ table: 't', columns: [], constraint: 'T_key' }]);
  });

  test('another table that is emptied does not count', () => {
    expect(keysOf('truncate stage.t', 'delete from mart.other', upsert)).toEqual(['mart.t(id)']);
  });
});
