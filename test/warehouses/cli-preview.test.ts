import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { runCli } from '../support/run-cli.ts';
import { engines, freshDatabase, sql } from '../support/warehouse-fixture.ts';

const fixture = fileURLToPath(new URL('../fixtures/cli/shop', import.meta.url));
const now = ['--now', '2026-11-29T12:00Z'];
const one = ['--logical-dates', '2026-11-10..2026-11-10', ...now];

const tables = [
  'create schema raw',
  'create schema mart',
  'create table raw.orders (id int primary key, ordered_at timestamptz not null, shop text not null, amount numeric not null)',
  'create table mart.daily (day date, shop text, amount numeric, primary key (day, shop))',
  'create table mart.rolling3 (day date primary key, amount numeric)',
  `insert into raw.orders select n, timestamptz '2026-11-01 00:30+00' + n * interval '4 hours', 's' || n % 3, n
   from generate_series(0, 150) n`,
  'analyze raw.orders',
];

describe.each(engines)('run --preview on %s', (engine) => {
  const root = mkdtempSync(join(tmpdir(), 'backfill-preview-'));
  const connections: Record<'prod' | 'clone' | 'empty', DatabaseConnection> = {} as never;
  const env: Record<string, string> = {};
  const cli = (...words: readonly string[]) => runCli(['run', 'shop.daily', ...words], root, { env });
  const on = async (name: keyof typeof connections, ...statements: readonly string[]) => {
    const warehouse = await openWarehouse(connections[name]);
    try {
      return (await sql(warehouse, ...statements)).rows;
    } finally {
      await warehouse.close();
    }
  };
  const described = (name: keyof typeof connections, more = ''): string => {
    const connection = connections[name];
    if (connection.engine === 'pglite') return `  ${name}: { engine: pglite, directory: ${name}${more} }`;
    const { host, port, database, user } = connection;
    return `  ${name}: { host: ${host}, port: ${port}, database: ${database}, user: ${user}, password: "\${env:SHOP_PASSWORD}", sslmode: disable${more} }`;
  };
  const configure = (prod: string) =>
    writeFileSync(
      join(root, 'backfill.yaml'),
      `version: 1\nairflow: { version: 2 }\ndefaultConnection: prod\nconnections:\n${[
        described('prod', `, airflowIds: [sandbox]${prod}`),
        described('clone'),
        described('empty'),
        described('prod').replace('prod:', 'twin:'),
      ].join('\n')}\n`,
    );

  beforeAll(async () => {
    cpSync(fixture, root, { recursive: true });
    for (const name of ['prod', 'clone', 'empty'] as const) {
      const common = { name, protected: false, settings: {}, airflowIds: [] };
      if (engine === 'pglite') connections[name] = { ...common, engine, directory: join(root, name) };
      else {
        const fresh = await freshDatabase();
        connections[name] = fresh;
        env.SHOP_PASSWORD = String(fresh.password);
      }
    }
    await on('prod', ...tables);
    await on('clone', ...tables, "insert into mart.daily values ('2026-11-10', 's0', 1)");
    configure('');
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test('says before what it will cost, and looks at a single unit without writing', async () => {
    const shown = await cli(...one, '--preview');
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out).toMatch(/\nreads {3}about \d+ rows? of raw\.orders/);
    expect(shown.out).toContain('\nwrites  nothing; a run about mart.daily: ');
    expect(shown.out).toContain('\nlocks   none that reads or changes of rows wait for');
    expect(shown.out).toContain('preview on prod: 0 unchanged, 1 changed');
    expect(shown.out).not.toContain('dead row');
    const json = JSON.parse((await cli(...one, '--preview', '--format', 'json')).out);
    expect(json).toMatchObject({
      forecast: { way: 'query', locks: [], heldAtMostMs: 600_000, problem: null },
      previewed: { way: 'query', connection: 'prod', traces: { deadRows: [], sequences: [] } },
    });
  });

  test('says what a chain will lock, and what it left', async () => {
    const chain = [...one, '--downstream'];
    const shown = await cli(...chain, '--preview');
    expect(shown).toMatchObject({ code: 0 });
    expect(shown.out).toMatch(/\nlocks {3}mart\.daily, mart\.rolling3 until it ends, at most 10 min: others wait/);
    expect(shown.out).toMatch(/\nleaves {2}about .* dead rows? in mart\.daily/);
    expect(shown.out).toMatch(/note: The preview was rolled back, and left 3 dead rows in mart\.daily/);
    const json = JSON.parse((await cli(...chain, '--preview', '--format', 'json')).out);
    expect(json).toMatchObject({
      forecast: {
        way: 'transaction',
        locks: [
          { table: 'mart.daily', against: 'rows' },
          { table: 'mart.rolling3', against: 'rows' },
        ],
      },
      previewed: { way: 'transaction', traces: { sequences: [] } },
    });
    expect(await on('prod', 'select count(*) from mart.daily')).toEqual([['0']]);
  });

  test('goes to the connection that is named for it, by the command or by the configuration', async () => {
    const asked = await cli(...one, '--preview-on', 'clone');
    expect(asked).toMatchObject({ code: 0 });
    expect(asked.out).toMatch(/^target {2}.* \(connection clone\), not prod\n/);
    expect(asked.out).toContain('preview on clone: 0 unchanged, 1 changed');
    configure(', preview: clone');
    const json = JSON.parse((await cli(...one, '--downstream', '--preview', '--format', 'json')).out);
    expect(json.previewed).toMatchObject({ way: 'transaction', connection: 'clone' });
    // Only the clone has had a row in that slice.
    expect(json.units[0].slices).toMatchObject([{ rowsBefore: 1, rowsAfter: 3, added: 2, changed: 1 }]);
    // The clone is for previews: a run, and a preview that names the run's own connection, are not on it.
    expect((await cli(...one, '--preview-on', 'prod')).out).toContain('preview on prod: ');
    const run = await cli(...one, '--yes');
    expect(run.out).toMatch(/\nlocks {3}mart\.daily while each unit runs: /);
    expect(await on('prod', 'select count(*) from mart.daily')).toEqual([['3']]);
    expect(await on('clone', 'select count(*) from mart.daily')).toEqual([['1']]);
    await on('prod', 'delete from mart.daily');
  });

  test('never goes to the run’s own database where the other one cannot serve', async () => {
    configure(', preview: clone');
    // A preview makes no database.
    await on('empty', 'select 1');
    const refused = async (words: readonly string[], code: number, ...said: readonly string[]) => {
      const { out, err, code: ended } = await cli(...one, ...words);
      expect([ended, out]).toEqual([code, '']);
      for (const text of said) expect(err).toContain(text);
    };
    await refused(['--preview-on', 'colne'], 2, 'there is no connection colne; did you mean clone?');
    await refused(['--preview-on', 'empty'], 1, 'There is no mart.daily in ', '(connection empty)', 'clone of prod');
    await refused(['--preview-on', 'twin'], 1, 'twin is the same database as prod');
    configure(', preview: colne');
    await refused(['--preview'], 2, 'there is no connection colne');
    if (engine === 'pglite') return;
    configure(', preview: gone');
    const file = join(root, 'backfill.yaml');
    const gone = '  gone: { host: 127.0.0.1, port: 1, database: x, user: x, sslmode: disable }\n';
    writeFileSync(
      file,
      `version: 1\ndefaultConnection: prod\nconnections:\n${described('prod', ', airflowIds: [sandbox], preview: gone')}\n${gone}`,
    );
    await refused(['--preview'], 1, 'ECONNREFUSED');
    expect(await on('prod', 'select count(*) from mart.daily')).toEqual([['0']]);
  });
});
