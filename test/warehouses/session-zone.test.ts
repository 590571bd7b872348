import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { windowRange } from '../../src/core/lineage/facts/window-range.ts';
import { namedInWorkspace, readDatabase } from '../../src/core/run/preflight/read-database.ts';
import { renderTemplate } from '../../src/core/template/render/render.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import { toIso } from '../../src/core/time/zones/iso.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { loadWorkspace, withDatabase } from '../../src/node/load-workspace.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { freshDatabase, sql } from '../support/warehouse-fixture.ts';

const dayMs = 86_400_000;
/** Days around the clock changes of 2026 in Warsaw and in New York, and one far from any. */
const days = ['2026-03-07', '2026-03-28', '2026-07-14', '2026-10-24', '2026-10-31'].flatMap((first) =>
  [0, 1, 2].map((day) => Date.parse(first) + day * dayMs),
);

const bounded = [
  `hr::date = '{{ ds }}'`,
  `cast(hr as date) = '{{ ds }}'`,
  `date(hr) = '{{ ds }}'`,
  `date_trunc('day', hr) = '{{ ds }}'`,
  `date_trunc('day', hr)::date = '{{ ds }}'::date`,
  `hr >= '{{ ds }}' and hr < '{{ next_ds }}'`,
  `hr >= '{{ ds }}'::date and hr < '{{ ds }}'::date + 1`,
  `hr >= '{{ ds }}'::timestamp and hr < '{{ ds }}'::timestamp + interval '1 day'`,
  `hr between '{{ ds }} 00:00:00' and '{{ ds }} 23:59:59'`,
  `hr::date between '{{ ds }}'::date - 2 and '{{ ds }}'`,
  `to_char(hr, 'YYYY-MM-DD') = '{{ ds }}'`,
  `to_char(hr, 'YYYYMMDD') = '{{ ds_nodash }}'`,
  `date_trunc('hour', hr)::date = '{{ ds }}'`,
  `date_trunc('month', hr) = date_trunc('month', '{{ ds }}'::date)`,
  `date_trunc('week', hr)::date = date_trunc('week', '{{ ds }}'::date)`,
  `hr >= '{{ ts }}' and hr < '{{ data_interval_end }}'`,
];
/** These may leave a window open: rows outside of one that is not are wrong all the same. */
const others = [
  `extract(day from hr) = {{ data_interval_start.day }} and extract(month from hr) = {{ data_interval_start.month }} and extract(year from hr) = {{ data_interval_start.year }}`,
  `date_part('year', hr) = {{ data_interval_start.year }}`,
  `to_char(hr, 'YYYY-MM') = '{{ ds[:7] }}'`,
  `(hr + interval '1 hour')::date = '{{ ds }}'`,
  `hr::text like '{{ ds }}%'`,
  `hr > current_date - 10000 and hr::date <= '{{ ds }}'`,
];
const forms = [...bounded, ...others];

let root = '';
let connection: Awaited<ReturnType<typeof freshDatabase>>;
let warehouse: Warehouse;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'backfill-zone-'));
  mkdirSync(join(root, 'sql'));
  connection = await freshDatabase();
  warehouse = await openWarehouse(connection);
});
afterEach(async () => {
  await warehouse.close();
  rmSync(root, { recursive: true, force: true });
});

const configure = (zone?: string): void => {
  const { host, port, database, user } = connection;
  const settings = zone === undefined ? '' : `, settings: { TimeZone: "${zone}" }`;
  const place = `host: ${host}, port: ${port}, database: ${database}, user: ${user}, password: "\${env:SHOP_PASSWORD}", sslmode: disable`;
  writeFileSync(join(root, 'backfill.yaml'), `version: 1\nconnections:\n  shop: { ${place}${settings} }\n`);
};
const asDefault = (zone: string) => sql(warehouse, `alter database "${connection.database}" set timezone to '${zone}'`);
const file = (name: string, text: string): void => writeFileSync(join(root, `sql/${name}.sql`), text);
const daily = '-- backfill: schedule=@daily start=2026-01-01 zone=UTC\n';

const told = ['settings', 'database', 'text', 'text before'] as const;

describe.each(['Europe/Warsaw', 'America/New_York', '<+05:30>-05:30', '-3'])(
  'no row of the session’s day is missed in %s',
  (zone) => {
    test.each(told)('where the %s says it', async (by) => {
      await sql(
        warehouse,
        'create table h (hr timestamptz, n int)',
        `insert into h select t, 1 from generate_series(timestamptz '2026-02-20Z', '2026-11-20Z', '30 minutes') t`,
      );
      configure(by === 'settings' ? zone : undefined);
      if (by === 'database') await asDefault(zone);
      const set =
        by === 'text' ? `set timezone to '${zone}';\n` : by === 'text before' ? `SET LOCAL TIME ZONE '${zone}';\n` : '';
      for (const [index, where] of forms.entries())
        file(`t${index}`, `${daily}${set}insert into d${index} select hr, n from h where ${where};\n`);
      const read = await loadWorkspace(root);
      const settings = by === 'settings' ? { TimeZone: zone } : {};
      const named = namedInWorkspace(read.facts, () => undefined);
      const joined = withDatabase(read, await readDatabase(warehouse, named, settings));
      // Before the database is asked, its default is the one thing that is not known.
      for (const { facts } of by === 'database' ? [joined] : [read, joined]) {
        for (const [index, where] of forms.entries()) {
          const window = facts.facts.get(`sql/t${index}.sql`)?.reads.find(({ table }) => table === 'h')?.window;
          if (index < bounded.length) expect(window?.kind, where).toBe('range');
          if (window?.kind !== 'range') continue;
          for (const start of days) {
            const interval = { start: instant(start), end: instant(start + dayMs) };
            const rendered = renderTemplate(
              `select extract(epoch from min(hr)), extract(epoch from max(hr)) from h where ${where}`,
              {
                interval,
                ...{ zone: 'UTC', dagId: 'd', taskId: 't', params: {}, variables: {}, airflowVersion: 2 },
              },
            );
            if (!rendered.ok) throw new Error(rendered.reason);
            await sql(warehouse, `set timezone to '${zone}'`);
            const [first, last] = (await sql(warehouse, rendered.text)).rows[0] ?? [];
            await sql(warehouse, 'reset timezone');
            if (first === null || first === undefined) continue;
            const { from, to } = windowRange(window, interval);
            const said = `${rendered.text}: ${toIso(instant(Number(first) * 1000))} … ${toIso(instant(Number(last) * 1000))}`;
            expect(Number(first) * 1000 >= from && Number(last) * 1000 < to, `${said} in ${from} … ${to}`).toBe(true);
          }
        }
      }
    });
  },
);

test('days of a column of dates, and of a session in UTC, stay those of UTC', async () => {
  await sql(warehouse, 'create table h (hr timestamptz, day date, at timestamp, n int)');
  file('date', `${daily}insert into a select n from h where day = '{{ ds }}';\n`);
  file('wall', `${daily}insert into c select n from h where at >= '{{ ds }}' and at < '{{ next_ds }}';\n`);
  file('moment', `${daily}insert into b select n from h where hr::date = '{{ ds }}';\n`);
  const edges = async (zone: string): Promise<Readonly<Record<string, number>>> => {
    await asDefault(zone);
    configure();
    const read = await loadWorkspace(root);
    const { facts } = withDatabase(
      read,
      await readDatabase(
        warehouse,
        namedInWorkspace(read.facts, () => undefined),
        {},
      ),
    );
    return Object.fromEntries(
      ['date', 'wall', 'moment'].map((name) => {
        const window = facts.facts.get(`sql/${name}.sql`)?.reads[0]?.window;
        return [name, window?.kind === 'range' ? window.lo.length : 0];
      }),
    );
  };
  expect(await edges('Europe/Warsaw')).toEqual({ date: 1, wall: 1, moment: 3 });
  expect(await edges('Etc/UTC')).toMatchObject({ date: 1, wall: 1 });
  expect(await edges('UTC')).toEqual({ date: 1, wall: 1, moment: 1 });
});

describe('what a change of one hour carries downstream', () => {
  const cli = (...words: readonly string[]): Promise<CliResult> =>
    runCli([...words, '--now', '2026-11-20T12:00Z'], root, { env: { SHOP_PASSWORD: String(connection.password) } });
  const prepare = async (set = ''): Promise<void> => {
    await sql(
      warehouse,
      'create table e (ts timestamptz, n int)',
      'create table h (hr timestamptz, n int)',
      'create table d (day date, n bigint)',
      `insert into e select t, 1 from generate_series(timestamptz '2026-10-24Z', '2026-10-27Z', '10 minutes') t`,
    );
    const hours = `hr >= '{{ data_interval_start }}' and hr < '{{ data_interval_end }}'`;
    file(
      'h',
      `-- backfill: schedule=@hourly start=2026-10-24 zone=UTC\ndelete from h where ${hours};\ninsert into h (hr, n) select date_trunc('hour', ts), count(*) from e where ${hours.replaceAll('hr', 'ts')} group by 1;\n`,
    );
    file(
      'd',
      `-- backfill: schedule=@daily start=2026-10-24 zone=UTC\n${set}delete from d where day = '{{ ds }}';\ninsert into d (day, n) select hr::date, sum(n) from h where hr::date = '{{ ds }}' group by 1;\n`,
    );
  };
  const warned = ({ out, err }: CliResult): boolean => (out + err).includes('warning session-zone');
  const sums = async (zone: string, from: string) => {
    await sql(warehouse, `set timezone to '${zone}'`);
    const found = await sql(warehouse, `select ${from} order by 1`);
    await sql(warehouse, 'reset timezone');
    return found.rows;
  };

  test.each([
    ['Europe/Warsaw', 'settings', '2026-10-25T22', '2026-10-25T23'],
    ['Europe/Warsaw', 'database', '2026-10-24T22', '2026-10-24T23'],
    ['Europe/Warsaw', 'text', '2026-10-25T23', '2026-10-26T00'],
    ['America/New_York', 'settings', '2026-10-26T02', '2026-10-26T03'],
    ['America/New_York', 'database', '2026-10-26T03', '2026-10-26T04'],
  ])('in %s, as the %s says', async (zone, by, from, to) => {
    await prepare(by === 'text' ? `set timezone = '${zone}';\n` : '');
    configure(by === 'settings' ? zone : undefined);
    if (by === 'database') await asDefault(zone);
    const all = await cli('run', 'sql/h.sql', '--from', '2026-10-24', '--to', '2026-10-27', '--downstream', '--yes');
    expect(all.code, all.err).toBe(0);
    expect(warned(all)).toBe(false);
    await sql(warehouse, `insert into e select timestamptz '${from}:30Z', 1 from generate_series(1, 1000)`);
    const again = await cli('run', 'sql/h.sql', '--from', `${from}:00Z`, '--to', `${to}:00Z`, '--downstream', '--yes');
    expect(again.code, again.err).toBe(0);
    expect(warned(again)).toBe(false);
    const right = await sums(
      zone,
      "ts::date, count(*) from e where ts >= '2026-10-24Z' and ts < '2026-10-27Z' group by 1",
    );
    const made = new Map((await sums(zone, 'day, n from d')).map(([day, n]) => [day, n]));
    for (const [day, n] of right) if (made.has(day ?? '')) expect([day, made.get(day ?? '')]).toEqual([day, n]);
    expect([...made.values()].some((n) => Number(n) >= 1000)).toBe(true);
  });

  test('a zone that only a template knows is said with its place, and by its name it is read', async () => {
    await prepare(`set timezone = '{{ params.tz }}';\n`);
    configure();
    writeFileSync(join(root, 'backfill.yaml'), `${yamlText()}params: { tz: America/New_York }\n`);
    const range = ['--from', '2026-10-26T02:00Z', '--to', '2026-10-26T03:00Z', '--downstream', '--preview'];
    const open = await cli('run', 'sql/h.sql', ...range);
    expect(open.out + open.err).toContain(
      'The SQL of sql/d.sql (sql/d.sql) sets the zone of its session to America/New_York',
    );
    file('d', taskText('d').replace('{{ params.tz }}', 'America/New_York'));
    expect(warned(await cli('run', 'sql/h.sql', ...range))).toBe(false);
  });

  test('a zone whose days nobody knows here is said, also where the settings name it, and the cure holds', async () => {
    await prepare();
    await asDefault('CET-1CEST');
    const range = ['--from', '2026-10-26T02:00Z', '--to', '2026-10-26T03:00Z', '--downstream', '--preview'];
    configure();
    const untold = await cli('run', 'sql/h.sql', ...range);
    expect(untold.out + untold.err).toContain(
      'Sessions of this server are in CET-1CEST, and backfill.yaml does not say so',
    );
    configure('CET-1CEST');
    const named = await cli('run', 'sql/h.sql', ...range);
    expect(named.out + named.err).toContain(
      'as settings of the connection say, and days of that zone are not known here',
    );
    expect(named.out + named.err).not.toContain('does not say so');
    configure('Europe/Berlin');
    expect(warned(await cli('run', 'sql/h.sql', ...range))).toBe(false);
  });

  const taskText = (name: string) => readFileSync(join(root, `sql/${name}.sql`), 'utf8');
  const yamlText = () => readFileSync(join(root, 'backfill.yaml'), 'utf8');
});
