import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startCli } from '../support/running-cli.ts';
import { type WireTap, wireTap } from '../support/wire-tap.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

let bundle = '';
let server: PostgresServer;
let tap: WireTap;
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
});
afterAll(async () => {
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
const [before, after] = [
  [...old, ...others],
  [...made, ...others],
];
const asked = 'run lake.daily --from 2026-11-01 --to 2026-11-02 --now 2026-11-10T00:00 --yes'.split(' ');
/** A `SELECT` of the new rows. */
const query = (page = 'new') => `SELECT * FROM VALUES ('${page}', 'DE'), ('${page}', 'FR') AS v (page, country)`;

interface Killed {
  /** The table, with the statement that publishes a part of it or all of it. */
  readonly table: string;
  readonly publishes: RegExp;
  readonly lake: LakeFixture;
  dag(query: string): void;
  rows(): Promise<readonly (readonly (string | null)[])[]>;
  start(...words: readonly string[]): ReturnType<typeof startCli>;
  /** Runs a command until it has said what matches, and kills it then. */
  killed(words: readonly string[], pattern: RegExp, when: 'before' | 'after'): Promise<string>;
}

/** A workspace with one task that replaces a day of a table of this format. */
async function killable(format: string, schema: string): Promise<Killed> {
  const table = `${schema}.daily`;
  const lake = await lakeFixture(inject('spark').url, schema.replace('ice.', ''), {
    reachedAt: `sc://127.0.0.1:${tap.port}`,
    ledger: `{ host: 127.0.0.1, port: ${server.port}, user: postgres, database: postgres }`,
  });
  await lake.sql(`create namespace if not exists ${schema}`);
  for (const [, name] of await lake.sql(`show tables in ${schema}`)) await lake.sql(`drop table ${schema}.${name}`);
  await lake.sql(
    `create table ${table} (page string, day date, country string) using ${format} partitioned by (day, country)`,
    `insert into ${table} values ${before.map(([country, page, day]) => `('${page}', date'${day}', '${country}')`).join(', ')}`,
  );
  const dag = (text: string) =>
    lake.dag({ daily: `INSERT OVERWRITE ${table} PARTITION (day = '{{ ds }}', country) ${text}` });
  dag(query());
  const start = (...words: readonly string[]) =>
    startCli(bundle, { root: lake.root, env: { PGPASSWORD: server.password } }, ...words);
  const name = [...schema.split('.'), 'daily'].map((part) => `.${part}.`).join('[.]');
  return {
    table,
    lake,
    dag,
    start,
    publishes: new RegExp(
      format === 'parquet'
        ? `alter table ${name} (?:partition \\(.*?\\) set location|add if not exists)`
        : `insert into ${name}.* replace where`,
      's',
    ),
    rows: () =>
      lake.sql(
        `refresh table ${table}`,
        `select country, page, cast(day as string) from ${table} order by day, country, page`,
      ),
    async killed(words, pattern, when) {
      const cli = start(...words);
      tap.once(pattern, when, () => cli.kill('SIGKILL'));
      const { code, output } = await cli.ended();
      expect(code, `${pattern} was never said:\n${output}`).toBeNull();
      // Waiting would take as long as its lease.
      await ledger.query('update backfill_ledger.leases set expires_at = clock_timestamp()');
      await ledger.query('update backfill_ledger.runs set alive_until = null');
      return output;
    },
  };
}

const idOf = (output: string): string => /^run (\S+):/m.exec(output)?.[1] ?? '';

describe.each([
  ['parquet', 'killed_parquet'],
  ['delta', 'killed_delta'],
  ['iceberg', 'ice.killed_iceberg'],
])('%s', (format, schema) => {
  let of: Killed;
  beforeAll(async () => {
    of = await killable(format, schema);
  });
  afterAll(async () => {
    await of?.lake.sql(`drop table if exists ${of.table}`);
    await of?.lake.close();
  });
  const tables = async () => (await of.lake.sql(`show tables in ${schema}`)).map(([, name]) => name);

  /** The rows of each partition are all of before or all new; one commit leaves that of all of them. */
  async function isNeverMixed(): Promise<boolean> {
    const found = (await of.rows()).filter(([, , day]) => day === '2026-11-01');
    const same = (country?: string) => {
      const part = (all: readonly (readonly (string | null)[])[]) =>
        JSON.stringify(all.filter(([own]) => country === undefined || own === country));
      return [part(old), part(made)].includes(part(found));
    };
    return format === 'parquet' ? ['AT', 'DE', 'FR'].every(same) : same();
  }

  test('killed at each step in turn, the process leaves old or new rows, and the next one goes on from there', async () => {
    let run: string | undefined;
    const killed = async (pattern: RegExp, when: 'before' | 'after'): Promise<void> => {
      const output = await of.killed(run === undefined ? asked : ['resume', run], pattern, when);
      run ??= idOf(output);
      expect(await isNeverMixed()).toBe(true);
    };
    await killed(/create table [`\w.]*`backfill_/, 'before');
    await killed(/insert overwrite [`\w.]*`backfill_/i, 'after');
    await killed(/xxhash64.* from [`\w.]*`backfill_/s, 'before');
    await killed(of.publishes, 'before');
    expect(await of.rows()).toEqual(before);
    const undone = await of.start('undo', run ?? '', '--yes').ended();
    expect(undone.output).toContain(`end it first: backfill resume ${run}`);
    await killed(of.publishes, 'after');
    if (format === 'parquet') {
      await killed(of.publishes, 'before');
      expect([before, after]).not.toContainEqual(await of.rows());
    }
    await killed(/drop table if exists [`\w.]*`backfill_/, 'before');
    expect(await of.rows()).toEqual(after);
    const ended = await of.start('resume', run ?? '').ended();
    expect(ended).toMatchObject({ code: 0, output: expect.stringContaining('1 changed') });
    expect(await of.rows()).toEqual(after);
    expect(await tables()).toEqual(['daily']);
    expect(await of.start('undo', run ?? '', '--yes').ended()).toMatchObject({ code: 0 });
    expect(await of.rows()).toEqual(before);
  });

  test('killed while it publishes, its task is changed: it is not gone on with, and the interval is made anew as the advice says', async () => {
    const run = idOf(await of.killed(asked, of.publishes, format === 'parquet' ? 'after' : 'before'));
    expect(await isNeverMixed()).toBe(true);
    of.dag(query('newer'));
    const resumed = await of.start('resume', run).ended();
    expect(resumed.output).toContain('the code of lake.daily has changed since the plan was made');
    const words = /plan and run what is left of it anew: backfill (run [^;\n]+)/.exec(resumed.output)?.[1] ?? '';
    const anew = await of.start(...words.trim().split(/\s+/), '--now', '2026-11-10T00:00', '--yes').ended();
    expect(anew).toMatchObject({ code: 0, output: expect.stringContaining('1 changed') });
    expect(await of.rows()).toEqual([['DE', 'newer', '2026-11-01'], ['FR', 'newer', '2026-11-01'], ...others]);
  });
});
