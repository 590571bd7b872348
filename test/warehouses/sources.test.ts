import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { substituteTables } from '../../src/core/run/jobs/snapshot-statements.ts';
import type { DatabaseConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { type Engine, engines, freshDatabase, openFixture, sql } from '../support/warehouse-fixture.ts';

const daily = `-- backfill: schedule=@daily start=2026-11-01
delete from mart.daily where day = '{{ ds }}';
insert into mart.daily (day, plan, amount)
select o.day, customers.plan, sum(o.amount) from raw.orders o join raw.customers on raw.customers.id = o.customer
where o.day = '{{ ds }}' group by 1, 2;
`;
const rolling = `-- backfill: schedule=@daily start=2026-11-01
delete from mart.rolling where day = '{{ ds }}';
insert into mart.rolling select date '{{ ds }}', sum(d.amount), count(distinct c.plan) from mart.daily d, raw.customers c
where d.day >= date '{{ ds }}' - 1 and d.day <= '{{ ds }}';
`;

const tables = [
  'create schema raw',
  'create schema mart',
  'create table raw.orders (day date not null, customer int not null, amount int not null)',
  'create table raw.customers (id int primary key, plan text not null)',
  'create table mart.daily (day date, plan text, amount int, primary key (day, plan))',
  'create table mart.rolling (day date primary key, amount bigint, plans bigint)',
  `insert into raw.orders select date '2026-11-01' + n, c, n + 1 from generate_series(0, 5) n, generate_series(1, 2) c`,
  `insert into raw.customers values (1, 'now'), (2, 'now')`,
];
/** The state of each of the first five days. */
const dailyTables = [1, 2, 3, 4, 5].map(
  (day) =>
    `create table raw.customers_2026110${day} as select id, 'plan ' || ${day} || ' of ' || id as plan from raw.customers`,
);
const history = [
  'create table raw.history (taken_on date not null, id int not null, plan text not null, primary key (taken_on, id))',
  `insert into raw.history select date '2026-11-01' + n, id, 'plan ' || n + 1 || ' of ' || id
   from raw.customers, generate_series(0, 4) n`,
];
const perDay = `
  raw.customers:
    snapshots:
      table: raw.customers_{{ ds_nodash }}
`;
const inOne = `
  raw.customers:
    snapshots: { table: raw.history, column: taken_on, columns: [id, plan] }
`;

describe.each(engines)('sources on %s', (engine: Engine) => {
  let root = '';
  let connection: DatabaseConnection;
  let env: Record<string, string> = {};

  /** What no engine does otherwise; each command opens the embedded database anew. */
  const onServer = test.runIf(engine === 'postgres');
  const cli = (...words: readonly string[]): Promise<CliResult> =>
    runCli(words[0] === 'resume' ? words : [...words, '--now', '2026-11-29T12:00Z'], root, { env });
  const days = (from: string, to: string) => ['--from', `2026-11-${from}`, '--to', `2026-11-${to}`];
  const run = (task: string, from: string, to: string, ...more: readonly string[]) =>
    cli('run', `sql/${task}.sql`, ...days(from, to), '--yes', ...more);
  const onDatabase = async (...statements: readonly string[]) => {
    const warehouse = await openWarehouse(connection);
    try {
      return (await sql(warehouse, ...statements)).rows;
    } finally {
      await warehouse.close();
    }
  };
  const configure = (sources: string): void => {
    const place =
      connection.engine === 'pglite'
        ? 'engine: pglite, directory: db'
        : `host: ${connection.host}, port: ${connection.port}, database: ${connection.database}, user: ${connection.user}, password: "\${env:SHOP_PASSWORD}", sslmode: disable`;
    writeFileSync(
      join(root, 'backfill.yaml'),
      `version: 1\nconnections:\n  shop: { ${place} }\n${sources === '' ? '' : `sources:${sources}`}`,
    );
  };

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'backfill-sources-'));
    mkdirSync(join(root, 'sql'));
    writeFileSync(join(root, 'sql/daily.sql'), daily);
    writeFileSync(join(root, 'sql/rolling.sql'), rolling);
    if (engine === 'pglite') {
      connection = {
        name: 'shop',
        protected: false,
        settings: {},
        airflowIds: [],
        engine,
        directory: join(root, 'db'),
      };
    } else {
      const fresh = await freshDatabase();
      connection = fresh;
      env = { SHOP_PASSWORD: String(fresh.password) };
    }
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  test.each([
    ['a table for each interval', perDay, dailyTables],
    ['one table for all', inOne, history],
  ])('a rerun reads the state of its interval from %s, and is the same again', async (_, sources, made) => {
    configure(sources);
    await onDatabase(...tables, ...made);
    expect((await run('daily', '02', '04')).code).toBe(0);
    expect(await onDatabase('select day, plan, amount from mart.daily order by 1, 2')).toEqual([
      ['2026-11-02', 'plan 2 of 1', '2'],
      ['2026-11-02', 'plan 2 of 2', '2'],
      ['2026-11-03', 'plan 3 of 1', '3'],
      ['2026-11-03', 'plan 3 of 2', '3'],
    ]);
    await onDatabase(`update raw.customers set plan = 'newer'`);
    expect((await run('daily', '02', '04')).out).toContain('2 unchanged, 0 changed');
    const [inputs] = await onDatabase(
      `select distinct i->>'table' from backfill_ledger.versions, json_array_elements(inputs) i where unit like '%03T%' order by 1`,
    ).then((rows) => [rows.flat()]);
    expect(inputs).toEqual([made === history ? 'raw.history' : 'raw.customers_20261103', 'raw.orders']);

    // Without the declaration it is made of the rows of now, and says that this is another thing than then.
    configure('\n  raw.customers: { mutable: true }\n');
    const now = await run('daily', '02', '04');
    expect(now.out).toContain(
      'raw.customers, which is overwritten in place: the 2 intervals from 2026-11-02T00:00:00Z',
    );
    expect(now.out).toContain('0 unchanged, 2 changed');
  });

  test('a snapshot that is missing is named before the first unit', async () => {
    configure(perDay);
    await onDatabase(...tables, ...dailyTables.slice(0, 3), `insert into mart.daily values ('2026-11-03', 'old', 1)`);
    const missing =
      'sql/daily.sql reads the snapshots of raw.customers, and for 2 intervals there is no table raw.customers_20261104, raw.customers_20261105 that may be read.';
    const tried = await run('daily', '03', '06');
    expect(tried).toMatchObject({ code: 1, out: expect.stringContaining(`missing-snapshot  ${missing}`) });
    const json = await run('daily', '03', '06', '--format', 'json');
    expect(JSON.parse(json.out)).toMatchObject({
      outcome: 'refused',
      refusal: { code: 'plan-errors', message: expect.stringContaining(missing) },
    });
    expect((await run('daily', '03', '06', '--preview')).code).toBe(1);
    expect(await onDatabase('select plan from mart.daily')).toEqual([['old']]);
    const planned = await cli('plan', 'sql/daily.sql', ...days('03', '06'), '--format', 'json');
    const codes = JSON.parse(planned.out).findings.map(({ code }: { code: string }) => code);
    // The embedded database serves one process, and a plan does not open it.
    expect(codes).toEqual(engine === 'postgres' ? ['missing-snapshot'] : []);
    expect((await run('daily', '03', '04')).code).toBe(0);
  });

  onServer('a day without a snapshot in the table of all is named too', async () => {
    configure(inOne);
    await onDatabase(...tables, ...history);
    const tried = await run('daily', '04', '07');
    expect(tried.code).toBe(1);
    expect(tried.out).toContain('for 1 interval there is no row of 2026-11-06 in raw.history.');
    expect(await onDatabase('select count(*) from mart.daily')).toEqual([['0']]);

    configure(inOne.replace('taken_on', 'taken'));
    expect((await run('daily', '04', '06')).out).toContain('for 2 intervals there is no column taken in raw.history.');
    configure(inOne.replace('raw.history', 'raw.histories'));
    expect((await run('daily', '04', '06')).out).toContain('there is no table raw.histories that may be read.');
  });

  onServer('a snapshot that lacks a column of today is said', async () => {
    configure(perDay);
    await onDatabase(
      ...tables,
      ...dailyTables,
      'alter table raw.customers add column region text',
      'alter table raw.customers_20261104 alter column plan type varchar(99)',
    );
    const { out } = await run('daily', '03', '05');
    expect(out).toContain(
      'warning schema-change  sql/daily.sql reads raw.customers_20261103 instead of raw.customers, which by now has what is not there: region.',
    );
    expect(out).toContain('there: plan as text (it is character varying(99)), region.');
  });

  onServer('what is behind runs again when its snapshot changed, not when the source did', async () => {
    configure(perDay);
    await onDatabase(...tables, ...dailyTables);
    const again = async (): Promise<string> => (await run('daily', '03', '04', '--downstream')).out;
    expect(await again()).toContain('3 changed');
    expect(await again()).toContain('1 unchanged, 0 changed, 2 skipped');
    await onDatabase(`update raw.customers set plan = 'newer'`);
    expect(await again()).toContain('1 unchanged, 0 changed, 2 skipped');
    await onDatabase(`update raw.customers_20261104 set plan = 'one'`);
    expect(await again()).toContain('1 unchanged, 1 changed, 1 skipped');
  });

  test('a table that changed inside the range says since which slices, and what that does', async () => {
    configure('');
    await onDatabase(...tables);
    const findings = async (from: string, to: string): Promise<readonly string[]> => {
      const { out } = await run('daily', from, to, '--preview');
      return out.split('\n').filter((line) => line.includes('schema-change'));
    };
    expect((await run('daily', '01', '04')).code).toBe(0);
    expect(await findings('01', '06')).toEqual([]);
    await onDatabase(
      'alter table mart.daily add column note text',
      'alter table mart.daily alter column amount type bigint',
      'alter table raw.orders add column shop text',
    );
    expect(await findings('01', '06')).toEqual([
      expect.stringMatching(
        /^warning schema-change {2}mart\.daily has changed since 3 slices of it in this plan were last written \(run \S+, \S+\): added note text; changed amount from integer to bigint\. /,
      ),
      expect.stringMatching(
        /^info schema-change {2}raw\.orders has changed since 3 slices of this plan .*: added shop text\. /,
      ),
    ]);
    // What is written again has the schema of today, also where its rows came out the same.
    expect((await run('daily', '01', '03')).code).toBe(0);
    expect((await findings('01', '06'))[0]).toContain('since 1 slice of it in this plan was last written');
    expect(await findings('01', '03')).toEqual([]);
    expect(await findings('04', '06')).toEqual([]);

    // Versions that an older program wrote have a hash of the schema and the names of the columns.
    await onDatabase(`update backfill_ledger.versions set diff = (diff::jsonb - 'schema')::json, inputs = '[]'`);
    expect(await findings('01', '06')).toEqual([
      expect.stringContaining('since 1 slice of it in this plan was last written'),
    ]);
    expect((await findings('01', '06'))[0]).toContain(': added note. Their rows');
  });

  onServer('a task that builds on its own earlier rows says where there are none', async () => {
    writeFileSync(
      join(root, 'sql/total.sql'),
      `-- backfill: schedule=@daily start=2026-11-01
delete from mart.rolling where day = '{{ ds }}';
insert into mart.rolling select date '{{ ds }}', coalesce(max(amount), 0) + 1, 0 from mart.rolling
where day >= date '{{ ds }}' - 1 and day < '{{ ds }}';
`,
    );
    configure('');
    await onDatabase(...tables, `insert into mart.rolling values ('2026-11-24', 5, 0)`);
    const said = async (from: string): Promise<readonly string[]> => {
      const { code, out } = await run('total', from, '29', '--preview');
      expect(code).toBe(0);
      return out.split('\n').filter((line) => line.startsWith('warning missing-previous'));
    };
    expect(await said('27')).toEqual([
      'warning missing-previous  mart.rolling has no row of the interval before the first planned one (day from 2026-11-26T00:00:00Z to 2026-11-27T00:00:00Z), and sql/total.sql builds on its own earlier output: it would begin with nothing. Begin with an interval before the gap.',
    ]);
    expect(await said('25')).toEqual([]);
    expect(await said('01')).toEqual([]);
    const { out } = await run('total', '27', '29', '--format', 'json');
    expect((await cli('resume', JSON.parse(out).runId)).code).toBe(0);
  });

  onServer('a zone of sessions that nobody told is said where it decides what is read', async () => {
    configure('');
    const moments = 'create table raw.events (at timestamptz not null, amount int not null)';
    await onDatabase(...tables, moments, `insert into raw.events values ('2026-11-02 03:00+00', 1)`);
    const byDay = daily.replace('raw.orders o', `(select at::date as day, 1 as customer, amount from raw.events) o`);
    writeFileSync(join(root, 'sql/events.sql'), byDay);
    const said = async (task: string): Promise<boolean> => {
      const { code, out } = await run(task, '02', '04', '--preview');
      expect(code).toBe(0);
      return out.includes('warning session-zone  Sessions of this server are in ');
    };
    expect(await said('events')).toBe(false);
    const [[database = ''] = []] = await onDatabase('select current_database()');
    const session = (zone: string) => onDatabase(`alter database "${database}" set timezone to '${zone}'`);
    // The plan asks the server, and reads the days of its zone.
    for (const zone of ['America/New_York', 'Europe/London', '<+03>-03']) {
      await session(zone);
      expect(await said('events'), zone).toBe(false);
    }
    await session('EST5EDT4,M3.2.0,M11.1.0');
    expect(await said('events')).toBe(true);
    // A date is one in every zone.
    expect(await said('daily')).toBe(false);
    await session('Etc/UTC');
    expect(await said('events')).toBe(false);
    await session('America/New_York');
    const yaml = readFileSync(join(root, 'backfill.yaml'), 'utf8');
    writeFileSync(join(root, 'backfill.yaml'), yaml.replace(/ \}\n/, ', settings: { TimeZone: America/New_York } }\n'));
    expect(await said('events')).toBe(false);
  });

  onServer('a server that confirms what it may lose is said once, until the connection says otherwise', async () => {
    configure('');
    await onDatabase(...tables);
    const said = async (): Promise<number> => {
      const { code, out } = await run('daily', '02', '04');
      expect(code).toBe(0);
      return out.match(/^warning loose-commits {2}synchronous_commit is off/gm)?.length ?? 0;
    };
    expect(await said()).toBe(0);
    const [[database = ''] = []] = await onDatabase('select current_database()');
    await onDatabase(`alter database "${database}" set synchronous_commit to off`);
    expect(await said()).toBe(1);
    const yaml = readFileSync(join(root, 'backfill.yaml'), 'utf8');
    writeFileSync(join(root, 'backfill.yaml'), yaml.replace(/ \}\n/, ', settings: { synchronous_commit: "on" } }\n'));
    expect(await said()).toBe(0);
  });

  onServer('rows that the source does not keep stop a run, unless asked for', async () => {
    configure('\n  raw.orders: { retention: 26 days }\n');
    await onDatabase(...tables);
    const tried = await run('daily', '02', '06');
    expect(tried.code).toBe(1);
    expect(tried.err).toContain('Of the 2 intervals from 2026-11-02T00:00:00Z');
    expect(tried.err).toContain('help leave those intervals out, or let them run on what is left with --allow-expired');
    expect(await onDatabase('select count(*) from mart.daily')).toEqual([['0']]);
    expect((await run('daily', '02', '06', '--allow-expired')).code).toBe(0);
    expect((await run('daily', '04', '06')).code).toBe(0);
  });
});

describe.each(engines)('a copy of a source on %s', (engine: Engine) => {
  const copies = [
    { of: ['c', 's.c'], sql: 's.copy' },
    { of: ['c', 's.c'], sql: '(select "id", "n", "x Y" from s.history where "on" = \'2026-11-01\')' },
  ];
  const queries = [
    'select * from s.c order by id',
    'select s.c.id, c.n, s.c."x Y" from s.c order by s.c.id',
    'select count(*), sum(c.n) from c',
    'select c.*, d.id from s.c, c as d where c.id = d.n order by 1, 4',
    'select (c).n, c::text from s.c order by 1',
    'select a.n, b.n from c a join s.c b using (id) order by 1',
    'select id, (select max(c.n) from c where c.id <= o.id) from s.c o order by 1',
    'with c2 as (select * from c), c as (select id from c2) select * from c order by 1',
    'select x.id from (select * from s.c) x where exists (select from c where c.n = x.id) order by 1',
    'select id from c union all select n from s.c order by 1',
    'select * from c as k (a, b) order by a',
    'select id from (c join s.c d using (id)) order by 1',
    'select c.id from c left join lateral (select * from s.c i where i.n = c.id) l on true order by 1',
    'with m as (update t set v = c.n from s.c where c.id = t.id returning v) select * from m order by 1',
    'select json_agg(c order by c.id) from s.c',
    'select id from c natural join s.c as d order by 1',
    "select s.c.id from s.c where (s.c.id, 's.c.id') in (select c.id, 's.c.id' from c) order by s.c.id -- s.c.id",
  ];

  test('gives what the source gives, wherever it is named', async () => {
    const fixture = await openFixture(engine);
    try {
      await sql(
        fixture.warehouse,
        'create schema s',
        'create table s.c (id int, n int, "x Y" text)',
        "insert into s.c select i, i % 3, 'r' || i from generate_series(1, 7) i",
        'create table s.copy as select * from s.c',
        `create table s.history as select date '2026-11-01' + d as "on", s.c.id, s.c.n + d as n, s.c."x Y" from s.c, generate_series(0, 2) d`,
        'create table t as select id, 0 as v from s.c',
        "select set_config('search_path', 's, public', false)",
      );
      for (const query of queries) {
        const expected = (await sql(fixture.warehouse, query)).rows;
        expect(expected.length).toBeGreaterThan(0);
        for (const copy of copies) {
          const { text, replaced } = substituteTables(query, 'postgres', [copy]);
          expect(replaced.size, query).toBe(1);
          expect((await sql(fixture.warehouse, text)).rows, text).toEqual(expected);
        }
      }
    } finally {
      await fixture.close();
    }
  });
});
