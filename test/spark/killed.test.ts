import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startCli } from '../support/running-cli.ts';
import { type WireTap, wireTap } from '../support/wire-tap.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

let bundle = '';
let server: PostgresServer;
let tap: WireTap;
let lake: LakeFixture;
let ledger: pg.Client;

beforeAll(async () => {
  // Within the repository, where its packages are found.
  mkdirSync(join(repository, 'node_modules/.cache'), { recursive: true });
  const parent = mkdtempSync(join(repository, 'node_modules/.cache/backfill-killed-'));
  bundle = join(parent, 'dist');
  execFileSync(process.execPath, ['scripts/build.mjs', bundle], { cwd: repository, stdio: 'inherit' });
  server = await startPostgres();
  ledger = new pg.Client({ ...server, database: 'postgres' });
  await ledger.connect();
  const { hostname, port } = new URL(inject('spark').url.replace('sc:', 'http:'));
  tap = await wireTap({ host: hostname, port: Number(port) });
  lake = await lakeFixture(inject('spark').url, 'killed', {
    reachedAt: `sc://127.0.0.1:${tap.port}`,
    ledger: `{ host: 127.0.0.1, port: ${server.port}, user: postgres, database: postgres }`,
  });
  await lake.sql(
    'create table killed.daily (page string, day date, country string) using parquet partitioned by (day, country)',
    `insert into killed.daily values ${[...old, ...others].map(([country, page, day]) => `('${page}', date'${day}', '${country}')`).join(', ')}`,
  );
  lake.dag({
    daily: `INSERT OVERWRITE killed.daily PARTITION (day = '{{ ds }}', country)
            SELECT * FROM VALUES ('new', 'DE'), ('new', 'FR') AS v (page, country)`,
  });
});
afterAll(async () => {
  await lake?.close();
  await ledger?.end();
  await tap?.close();
  await server?.stop();
  rmSync(join(bundle, '..'), { recursive: true, force: true });
});

const old = [
  ['AT', 'old', '2026-11-01'],
  ['DE', 'old', '2026-11-01'],
];
const made = [
  ['DE', 'new', '2026-11-01'],
  ['FR', 'new', '2026-11-01'],
];
const others = [['DE', 'kept', '2026-11-02']];

const rows = () => lake.sql('select country, page, cast(day as string) from killed.daily order by day, country, page');
const tables = async () => (await lake.sql('show tables in killed')).map(([, name]) => name);

const start = (...words: readonly string[]) =>
  startCli(bundle, { root: lake.root, env: { PGPASSWORD: server.password } }, ...words);
const asked = 'run lake.daily --from 2026-11-01 --to 2026-11-02 --now 2026-11-10T00:00 --yes'.split(' ');

const publishes = /alter table `killed`\.`daily` (?:partition \(.*?\) set location|add if not exists)/s;

/** The rows of each partition are all of before or all new. */
async function isNeverMixed(): Promise<boolean> {
  const found = (await rows()).filter(([, , day]) => day === '2026-11-01');
  return ['AT', 'DE', 'FR'].every((country) => {
    const of = (all: readonly (readonly (string | null)[])[]) => JSON.stringify(all.filter(([own]) => own === country));
    return [of(old), of(made)].includes(of(found));
  });
}

test('killed at each step in turn, the process leaves old or new partitions, and the next one goes on from there', async () => {
  let run: string | undefined;
  const killed = async (pattern: RegExp, when: 'before' | 'after', nth = 1): Promise<void> => {
    const cli = run === undefined ? start(...asked) : start('resume', run);
    tap.once(pattern, when, () => cli.kill('SIGKILL'), nth);
    const { code, output } = await cli.ended();
    expect(code, `${pattern} was never said:\n${output}`).toBeNull();
    run ??= /^run (\S+):/m.exec(output)?.[1];
    // Waiting would take as long as its lease.
    await ledger.query('update backfill_ledger.leases set expires_at = clock_timestamp()');
    await ledger.query('update backfill_ledger.runs set alive_until = null');
    expect(await isNeverMixed()).toBe(true);
  };
  const [before, after] = [
    [...old, ...others],
    [...made, ...others],
  ];
  await killed(/create table `killed`\.`backfill_/, 'before');
  await killed(/insert overwrite `killed`\.`backfill_/i, 'after');
  await killed(/xxhash64.* from `killed`\.`backfill_/s, 'before');
  await killed(publishes, 'before');
  expect(await rows()).toEqual(before);
  const undone = await start('undo', run ?? '', '--yes').ended();
  expect(undone.output).toContain(`end it first: backfill resume ${run}`);
  await killed(publishes, 'after');
  await killed(publishes, 'before');
  expect([before, after]).not.toContainEqual(await rows());
  await killed(/drop table if exists `killed`\.`backfill_/, 'before');
  expect(await rows()).toEqual(after);
  await killed(/xxhash64.* from `killed`\.`daily`/s, 'after');
  const ended = await start('resume', run ?? '').ended();
  expect(ended).toMatchObject({ code: 0, output: expect.stringContaining('1 changed') });
  expect(await rows()).toEqual(after);
  expect(await tables()).toEqual(['daily']);
  expect(await start('undo', run ?? '', '--yes').ended()).toMatchObject({ code: 0 });
  expect(await rows()).toEqual(before);
});
