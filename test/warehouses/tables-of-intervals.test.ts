import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { patienceMs } from '../support/patience.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { freshDatabase, sql } from '../support/warehouse-fixture.ts';

const start = '-- backfill: schedule=@daily start=2026-11-01\n';
const rows = `select * from raw.ev where day = '{{ ds }}'`;

/** Each way of filling the interval's table `mart.sh_…`; all but the first two make it where it is missing. */
const ways: Readonly<Record<string, string>> = {
  delete_insert: `delete from mart.sh_{{ ds_nodash }}; insert into mart.sh_{{ ds_nodash }} ${rows};`,
  truncate_insert: `truncate mart.sh_{{ ds_nodash }}; insert into mart.sh_{{ ds_nodash }} ${rows};`,
  drop_create_as: `drop table if exists mart.sh_{{ ds_nodash }}; create table mart.sh_{{ ds_nodash }} as ${rows};`,
  drop_create_insert: `drop table if exists mart.sh_{{ ds_nodash }};
    create table mart.sh_{{ ds_nodash }} (day date, id int, v int); insert into mart.sh_{{ ds_nodash }} ${rows};`,
  make_if_missing: `create table if not exists mart.sh_{{ ds_nodash }} (day date, id int, v int);
    delete from mart.sh_{{ ds_nodash }}; insert into mart.sh_{{ ds_nodash }} ${rows};`,
  swap: `drop table if exists mart.sh_new_{{ ds_nodash }}; create table mart.sh_new_{{ ds_nodash }} as ${rows};
    drop table if exists mart.sh_{{ ds_nodash }}; alter table mart.sh_new_{{ ds_nodash }} rename to sh_{{ ds_nodash }};`,
  swap_keeping: `drop table if exists mart.sh_old_{{ ds_nodash }}; create table mart.sh_new_{{ ds_nodash }} as ${rows};
    alter table if exists mart.sh_{{ ds_nodash }} rename to sh_old_{{ ds_nodash }};
    alter table mart.sh_new_{{ ds_nodash }} rename to sh_{{ ds_nodash }};
    drop table if exists mart.sh_old_{{ ds_nodash }};`,
  select_into: `drop table if exists mart.sh_{{ ds_nodash }};
    select * into mart.sh_{{ ds_nodash }} from raw.ev where day = '{{ ds }}';`,
  quoted: `delete from "mart"."sh_{{ ds_nodash }}"; insert into mart."sh_{{ ds_nodash }}" ${rows};`,
  formatted: `delete from mart.sh_{{ data_interval_start.strftime('%Y%m%d') }};
    insert into mart.sh_{{ data_interval_start.strftime('%Y%m%d') }} ${rows};`,
};

const readers: Readonly<Record<string, readonly [query: string, days: readonly string[]]>> = {
  same: [`select '{{ ds }}'::date, count(*) from mart.sh_{{ ds_nodash }}`, ['10', '11']],
  formatted: [`select '{{ ds }}'::date, count(*) from mart.sh_{{ logical_date.strftime('%Y%m%d') }}`, ['10', '11']],
  before: [`select '{{ ds }}'::date, count(*) from mart.sh_{{ yesterday_ds_nodash }}`, ['11', '12']],
  both: [
    `select '{{ ds }}'::date, count(*) from (select * from mart.sh_{{ ds_nodash }} union all
     select * from mart.sh_{{ macros.ds_format(macros.ds_add(ds, -1), '%Y-%m-%d', '%Y%m%d') }}) both_days`,
    ['10', '11', '12'],
  ],
};

describe('tables that are named by the interval', { timeout: patienceMs }, () => {
  let root = '';
  let env: Record<string, string> = {};
  let onDatabase: (...statements: readonly string[]) => Promise<readonly (readonly (string | null)[])[]>;

  const write = (name: string, text: string): void => writeFileSync(join(root, `sql/${name}.sql`), start + text);
  const range = ['--from', '2026-11-10', '--to', '2026-11-12', '--now', '2026-11-29T12:00Z'];
  const cli = (verb: 'plan' | 'run' | 'prove', task: string, ...more: readonly string[]): Promise<CliResult> =>
    runCli([verb, `sql/${task}.sql`, ...range, ...more], root, { env });
  const runOf = ({ out }: CliResult): string => /run (\S+): \d+ of/.exec(out)?.[1] ?? /run (\S+):/.exec(out)?.[1] ?? '';
  const shard = (day: string) => onDatabase(`select id, v from mart.sh_202611${day} order by id`);
  const fresh = (day: string) => onDatabase(`select id, v from raw.ev where day = '2026-11-${day}' order by id`);
  const plainText = /\{\{/;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'backfill-shards-'));
    mkdirSync(join(root, 'sql'));
    const connection = await freshDatabase();
    const { host, port, database, user, password } = connection;
    env = { SHOP_PASSWORD: String(password) };
    const place = `host: ${host}, port: ${port}, database: ${database}, user: ${user}, password: "\${env:SHOP_PASSWORD}", sslmode: disable`;
    writeFileSync(join(root, 'backfill.yaml'), `version: 1\nconnections:\n  shop: { ${place} }\n`);
    onDatabase = async (...statements) => {
      const warehouse = await openWarehouse(connection);
      try {
        return (await sql(warehouse, ...statements)).rows;
      } finally {
        await warehouse.close();
      }
    };
    await onDatabase(
      'create schema raw',
      'create schema mart',
      'create table raw.ev (day date, id int, v int)',
      `insert into raw.ev select date '2026-11-10' + g % 3, g, g from generate_series(1, 30) g`,
      'create table mart.sh_20261110 (day date, id int, v int)',
      'create table mart.sh_20261111 (day date, id int, v int)',
      `insert into mart.sh_20261110 values ('2026-11-10', 1, -1)`,
      'create table mart.down (day date, n bigint)',
    );
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test.each(Object.keys(ways))('%s: compared with what stood there, kept, and undone', async (way) => {
    write('shard', ways[way] ?? '');
    const planned = await cli('plan', 'shard', '--format', 'json');
    const { units } = JSON.parse(planned.out) as { units: readonly { slices: readonly { table: string }[] }[] };
    expect(units.map(({ slices }) => slices.map(({ table }) => table))).toEqual([
      ['mart.sh_20261110'],
      ['mart.sh_20261111'],
    ]);
    const previewed = await cli('run', 'shard', '--preview');
    expect([previewed.code, previewed.out + previewed.err]).toEqual([0, expect.not.stringMatching(plainText)]);
    expect(await shard('10')).toEqual([['1', '-1']]);

    const ran = await cli('run', 'shard', '--yes');
    expect([ran.code, ran.out + ran.err]).toEqual([0, expect.not.stringMatching(plainText)]);
    expect(ran.out).toMatch(/mart\.sh_20261110 +changed +1 +→ +10 .*\+10 −1/);
    expect(ran.out).toMatch(/mart\.sh_20261111 +changed +0 +→ +10 .*\+10 −0/);
    expect([await shard('10'), await shard('11')]).toEqual([await fresh('10'), await fresh('11')]);
    const again = await cli('run', 'shard', '--yes');
    expect(again.out).toContain('2 unchanged, 0 changed');

    const undone = await runCli(['undo', runOf(ran), '--yes'], root, { env });
    expect(undone.code).toBe(0);
    expect([await shard('10'), await shard('11')]).toEqual([[['1', '-1']], []]);
  });

  test.each(Object.entries(readers))(
    'a reader by %s is planned for the tables that it names',
    async (_, [query, days]) => {
      write('shard', ways.swap ?? '');
      write('reader', `delete from mart.down where day = '{{ ds }}'; insert into mart.down ${query};`);
      await onDatabase('create table mart.sh_20261109 (like mart.sh_20261110)');
      await onDatabase('create table mart.sh_20261112 (like mart.sh_20261110)');
      const planned = await cli('plan', 'shard', '--downstream', '--format', 'json');
      const units = (JSON.parse(planned.out) as { units: readonly { id: string }[] }).units.map(({ id }) => id);
      expect(units.filter((id) => id.includes('reader')).map((id) => id.slice(-12, -10))).toEqual(days);
      const ran = await cli('run', 'shard', '--downstream', '--yes');
      expect([ran.code, ran.err.match(plainText)]).toEqual([0, null]);
      expect(ran.out).toContain(`0 unchanged, ${2 + days.length} changed`);
    },
  );

  test('a reader that names one of them, or has them behind a view, is said', async () => {
    write('shard', ways.delete_insert ?? '');
    write(
      'one',
      `delete from mart.down where day = '{{ ds }}'; insert into mart.down select day, v from mart.sh_20261110;`,
    );
    const { out } = await cli('plan', 'shard', '--downstream');
    expect(out).toContain('it reads mart.sh_20261110, the table of one interval');
    await onDatabase(
      'create view mart.all_sh as select * from mart.sh_20261110 union all select * from mart.sh_20261111',
    );
    write(
      'one',
      `delete from mart.down where day = '{{ ds }}'; insert into mart.down select day, v from mart.all_sh where day = '{{ ds }}';`,
    );
    const viaView = await cli('plan', 'shard', '--downstream');
    expect(viaView.out).toMatch(/sql\/one\.sql +2 +2026-11-10/);
  });

  test('what reads a partitioned table reads its partitions, and the other way round', async () => {
    await onDatabase(
      'create table mart.ev (day date, id int, v int) partition by range (day)',
      `create table mart.ev_20261110 partition of mart.ev for values from ('2026-11-10') to ('2026-11-11')`,
      `create table mart.ev_20261111 partition of mart.ev for values from ('2026-11-11') to ('2026-11-12')`,
    );
    const reader = (table: string) =>
      `delete from mart.down where day = '{{ ds }}'; insert into mart.down select day, count(*) from ${table} where day = '{{ ds }}' group by 1;`;
    write('part', `truncate mart.ev_{{ ds_nodash }}; insert into mart.ev_{{ ds_nodash }} ${rows};`);
    write('reader', reader('mart.ev'));
    expect((await cli('run', 'part', '--downstream', '--yes')).out).toContain('0 unchanged, 4 changed');
    write('part', `delete from mart.ev where day = '{{ ds }}'; insert into mart.ev ${rows};`);
    write('reader', reader('mart.ev_{{ ds_nodash }}'));
    const { out } = await cli('plan', 'part', '--downstream');
    expect(out).toMatch(/sql\/reader\.sql +2 +2026-11-10 .* reads mart\.ev, which sql\/part\.sql rewrites/);
  });

  test('a month’s table that each of its days rewrites is left by the newest', async () => {
    write(
      'month',
      `drop table if exists mart.m_{{ logical_date.strftime('%Y%m') }};
       create table mart.m_{{ logical_date.strftime('%Y%m') }} as select * from raw.ev where day <= '{{ ds }}';`,
    );
    const ran = await cli('run', 'month', '--yes');
    expect(ran.code).toBe(0);
    // As of the last day that is over, though only two were asked for.
    expect(ran.out).toContain('so the newest finished interval of the table has to come last');
    expect(await onDatabase('select max(day)::text from mart.m_202611')).toEqual([['2026-11-12']]);
  });

  test('a day’s rows in a month’s table are the day’s slice', async () => {
    await onDatabase('create table mart.m_202611 (day date, id int, v int)');
    const month = `mart.m_{{ logical_date.strftime('%Y%m') }}`;
    write('month', `delete from ${month} where day = '{{ ds }}'; insert into ${month} ${rows};`);
    const ran = await cli('run', 'month', '--yes');
    expect([ran.code, ran.out]).toEqual([0, expect.stringMatching(/mart\.m_202611 +changed/)]);
    expect(await onDatabase('select count(*) from mart.m_202611')).toEqual([['20']]);
  });

  test('a table that its unit makes is new, and an undo takes it away', async () => {
    write('shard', ways.swap ?? '');
    await onDatabase('drop table mart.sh_20261111');
    const ran = await cli('run', 'shard', '--yes');
    expect(ran.out).toMatch(/mart\.sh_20261111 +changed +new +→ +10/);
    const undone = await runCli(['undo', runOf(ran), '--yes'], root, { env });
    expect(undone, undone.out).toMatchObject({ code: 0 });
    expect(await onDatabase("select to_regclass('mart.sh_20261111')")).toEqual([[null]]);
    expect(await shard('10')).toEqual([['1', '-1']]);
  });

  test('a run that failed halfway is resumed on the tables of its own intervals', async () => {
    write('shard', ways.swap ?? '');
    await onDatabase('create view mart.pinned as select * from mart.sh_20261111');
    const failed = await cli('run', 'shard', '--yes');
    expect(failed.code).toBe(1);
    expect([await shard('10'), await shard('11')]).toEqual([await fresh('10'), []]);
    await onDatabase('drop view mart.pinned');
    const resumed = await runCli(['resume', runOf(failed)], root, { env });
    expect(resumed.code).toBe(0);
    expect(await shard('11')).toEqual(await fresh('11'));
  });

  test('it proves and keeps nothing', async () => {
    write('shard', ways.swap ?? '');
    const proven = await cli('prove', 'shard');
    expect([proven.code, proven.out + proven.err]).toEqual([0, expect.not.stringMatching(plainText)]);
    expect(await shard('10')).toEqual([['1', '-1']]);
  });
});
