import { beforeAll, describe, expect, test } from 'vitest';
import { alteredWrites } from '../../src/core/run/preflight/again/altered-writes.ts';
import type { JobSlice } from '../../src/core/run/unit/unit-job.ts';
import { engines, job, sql, useFixture } from '../support/warehouse-fixture.ts';

const trigger = (name: string, events: string, body: string): readonly string[] => [
  `create function mart.${name}() returns trigger language plpgsql as $f$ ${body} $f$`,
  `create trigger ${name} before ${events} on mart.t for each row execute function mart.${name}()`,
];
const upsert = 'insert into mart.t select 1, 2 on conflict (id) do update set n = excluded.n';

const loud: Readonly<Record<string, readonly [ddl: readonly string[], statements: readonly string[], says: string]>> = {
  'a trigger that keeps what is deleted': [
    trigger('keeps', 'delete', 'begin return null; end'),
    ['delete from mart.t', 'insert into mart.t select 1, 2'],
    'the trigger keeps (keeps()) may keep a row that is deleted',
  ],
  'one that gives NEW back, which is NULL then': [
    trigger('gives', 'delete', 'begin return new; end'),
    ['delete from mart.t'],
    'the trigger gives (gives()) may keep a row that is deleted',
  ],
  'a trigger that adds the old value': [
    trigger('adds', 'insert or update', 'begin new.n := old.n + new.n; return new; end'),
    [upsert],
    'the trigger adds (adds()) may make the new value of a row of its old one',
  ],
  'a rule': [
    ['create rule soft as on delete to mart.t do instead update mart.t set n = 0 where id = old.id'],
    ['delete from mart.t'],
    'the rule soft does something else instead of deleting a row',
  ],
  'code that is called': [
    trigger('keeps', 'delete', 'begin return null; end'),
    ['call mart.load()'],
    'the trigger keeps (keeps()) may keep a row that is deleted',
  ],
};

const quiet: Readonly<Record<string, readonly [ddl: readonly string[], statements: readonly string[]]>> = {
  'a trigger that notes the time': [trigger('touches', 'update', 'begin new.at := now(); return new; end'), [upsert]],
  'one that keeps an old value as it is': [
    trigger('keeps', 'update', 'begin new.n := old.n; return new; end'),
    [upsert],
  ],
  'one that lets the row go': [trigger('lets', 'delete', 'begin return old; end'), ['delete from mart.t']],
  'one that tells by TG_OP': [
    trigger('tells', 'delete or update', "begin if tg_op = 'DELETE' then return old; end if; return new; end"),
    ['delete from mart.t'],
  ],
  'one for what the task does not do': [
    trigger('keeps', 'delete', 'begin return null; end'),
    ['insert into mart.t select 1, 2'],
  ],
  'one that is switched off': [
    [...trigger('keeps', 'delete', 'begin return null; end'), 'alter table mart.t disable trigger keeps'],
    ['delete from mart.t'],
  ],
  'a rule that does something beside': [
    [
      'create table mart.log (id int)',
      'create rule also as on delete to mart.t do also insert into mart.log values (old.id)',
    ],
    ['delete from mart.t'],
  ],
};

describe.each(engines)('what %s makes of writes', (engine) => {
  const fixture = useFixture(engine);
  const found = async (ddl: readonly string[], statements: readonly string[]) => {
    await sql(
      fixture.warehouse,
      'drop schema if exists mart cascade',
      'create schema mart',
      'create table mart.t (id int primary key, n int, at timestamptz)',
      ...ddl,
    );
    const session = await fixture.warehouse.connect('ledger');
    try {
      const slices = [{ ...(job().slices[0] as JobSlice), table: 'mart.t' }];
      return await alteredWrites(session, [job({ statements, slices }), job({ run: 'run-2', statements, slices })]);
    } finally {
      await session.close();
    }
  };

  beforeAll(() => sql(fixture.warehouse, 'select 1'));

  test.each(Object.entries(loud))('%s is named', async (_, [ddl, statements, says]) => {
    expect(await found(ddl, statements)).toEqual([
      {
        code: 'altered-writes',
        severity: 'warning',
        task: 'shop.sales',
        message: `shop.sales writes mart.t, where ${says}: running an interval again may then not give the same; backfill prove tries it.`,
      },
    ]);
  });

  test.each(Object.entries(quiet))('%s is not', async (_, [ddl, statements]) => {
    expect(await found(ddl, statements)).toEqual([]);
  });
});
