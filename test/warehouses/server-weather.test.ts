import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asSuperuser, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { runCli } from '../support/run-cli.ts';

const task = `-- backfill: schedule=@daily start=2026-11-01
delete from daily where day = '{{ ds }}';
insert into daily select day, id from orders, pg_sleep(0.2) where day = '{{ ds }}';
`;
const tables = [
  'create table orders (day date, id int)',
  'create table daily (day date, id int)',
  "insert into orders select date '2026-11-01' + n % 6, n from generate_series(0, 59) n",
  'create role loader login password $$loader$$',
  'grant all on schema public to loader',
  'grant create on database app to loader',
  'grant all on all tables in schema public to loader',
];

describe('a server that takes no work for a while', { timeout: 240_000 }, () => {
  let server: PostgresServer;
  let root = '';

  const superuser = (...statements: readonly string[]) => asSuperuser(server, 'postgres', ...statements);
  const endSessions = `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'loader'`;
  const cli = (...words: readonly string[]) => {
    let changed = () => {};
    let waiting = () => {};
    const begun = new Promise<void>((resolve) => {
      changed = resolve;
    });
    const waits = new Promise<void>((resolve) => {
      waiting = resolve;
    });
    let out = '';
    const note = (text: string) => {
      out += text;
      if (/^changed/m.test(out)) changed();
      if (/^waiting for the server/m.test(out)) waiting();
    };
    const env = { LOADER: 'loader' };
    const ended = runCli([...words, '--now', '2026-11-29T12:00Z'], root, { env, out: note, err: note });
    return { begun, waits, ended: ended.then(({ code }) => ({ code, out })) };
  };
  const rows = async (query: string): Promise<readonly unknown[]> => {
    const { default: pg } = await import('pg');
    const { host, port, user, password } = server;
    const client = new pg.Client({ host, port, user, password, database: 'app' });
    await client.connect();
    try {
      return (await client.query({ text: query, rowMode: 'array' })).rows.flat();
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    server = await startPostgres(['max_connections=20']);
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await superuser('create database app');
    await asSuperuser(server, 'app', ...tables);
    root = mkdtempSync(join(tmpdir(), 'backfill-weather-'));
    mkdirSync(join(root, 'sql'));
    writeFileSync(join(root, 'sql', 'daily.sql'), task);
    writeFileSync(
      join(root, 'backfill.yaml'),
      `version: 1\nconnections:\n  wh: { engine: postgres, host: 127.0.0.1, port: ${server.port}, database: app, user: loader, password: "\${env:LOADER}", sslmode: disable }\n`,
    );
  });
  afterEach(async () => {
    rmSync(root, { recursive: true, force: true });
    await superuser('drop database app with (force)', 'drop role loader');
  });

  test.each<[what: string, begins: () => Promise<unknown>, ends: () => Promise<unknown>]>([
    [
      'has no free connections',
      () => superuser('alter role loader connection limit 0', endSessions),
      () => superuser('alter role loader connection limit -1'),
    ],
    [
      'only reads',
      () => superuser('alter role loader set default_transaction_read_only = on', endSessions),
      () => superuser('alter role loader reset default_transaction_read_only'),
    ],
    [
      'recovers after one of its processes was killed',
      async () => {
        const [pid] = await rows("select pid from pg_stat_activity where usename = 'loader' limit 1");
        process.kill(Number(pid), 'SIGKILL');
      },
      async () => {
        for (let tries = 0; tries < 100; tries++) {
          if (
            await rows('select 1').then(
              () => true,
              () => false,
            )
          )
            return;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      },
    ],
    [
      'ends long transactions and idle sessions',
      () =>
        superuser(
          'alter role loader set idle_session_timeout = 50',
          `do $$ begin if current_setting('server_version_num')::int >= 170000
             then alter role loader set transaction_timeout = 100; end if; end $$`,
          endSessions,
        ),
      async () => {},
    ],
  ])('%s: the run waits, and ends as if nothing had been', async (_what, begins, ends) => {
    const run = cli('run', 'sql/daily.sql', '--from', '2026-11-01', '--to', '2026-11-07', '--yes', '--units');
    await Promise.race([run.begun, run.ended]);
    await begins();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await ends();
    const { code, out } = await run.ended;
    expect(out).toContain('0 unchanged, 6 changed');
    expect(code).toBe(0);
    expect(await rows('select count(*), count(distinct (day, id)) from daily')).toEqual(['60', '60']);
    expect(
      await rows(
        'select (select count(*) from backfill_ledger.claims) + (select count(*) from backfill_ledger.leases)',
      ),
    ).toEqual(['0']);
  });

  describe('while nothing is kept', () => {
    const range = ['--from', '2026-11-01', '--to', '2026-11-05'];
    const preview = ['run', 'sql/daily.sql', ...range, '--preview', '--yes'];
    /** With what reads its rows, so that all is one transaction. */
    const whole = [...preview, '--downstream'];
    const prove = ['prove', 'sql/daily.sql', ...range];
    const kill = async () => {
      const [pid] = await rows(
        "select pid from pg_stat_activity where usename = 'loader' and state = 'active' limit 1",
      );
      process.kill(Number(pid), 'SIGKILL');
    };
    const close = () => superuser('alter role loader connection limit 0', endSessions);
    const open = () => superuser('alter role loader connection limit -1');
    /** Until the task is at work on a day. */
    const working = async (day: string): Promise<void> => {
      const query = `select count(*) from pg_stat_activity where usename = 'loader' and state = 'active' and query ~ 'pg_sleep.*${day}'`;
      while ((await rows(query))[0] === '0') await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const summary = (out: string): string | undefined =>
      /^.*(?: unchanged, |without a difference).*$/m
        .exec(out)?.[0]
        .replace(/ on postgres.*?(?=:|;)| in [\d.]+ m?s\b/g, '');

    test.each<[what: string, words: readonly string[], begins: () => Promise<unknown>, ends: () => Promise<unknown>]>([
      ['a preview by queries, without connections for a while', preview, close, open],
      ['a preview in a transaction, without connections for a while', whole, close, open],
      ['a preview whose server crashes', whole, kill, async () => {}],
      ['a preview whose server is started again', whole, () => server.restart(), async () => {}],
      ['a proof without connections for a while', prove, close, open],
      ['a proof whose server crashes', prove, kill, async () => {}],
    ])('%s says what one in calm says, and that it was tried again', async (_, words, begins, ends) => {
      await asSuperuser(server, 'app', 'create table total (day date, n int)', 'grant all on total to loader');
      writeFileSync(
        join(root, 'sql', 'total.sql'),
        "-- backfill: schedule=@daily start=2026-11-01\ndelete from total where day = '{{ ds }}';\ninsert into total select day, count(*) from daily where day = '{{ ds }}' group by 1;\n",
      );
      const calm = await cli(...words).ended;
      const stormy = cli(...words);
      await working('2026-11-03');
      await begins();
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await ends();
      const { code, out } = await stormy.ended;
      expect(summary(calm.out), calm.out).toBeDefined();
      expect(summary(out), out).toBe(summary(calm.out));
      expect(code).toBe(calm.code);
      expect(out).toMatch(/^retry \S*daily\S* in /m);
      expect(out).not.toMatch(/failed|not covered: .*(?:terminat|connection)/);
      expect(await rows('select (select count(*) from daily) + (select count(*) from total)')).toEqual(['0']);
    });
  });

  test('has no free connections when a run is to begin: it waits for one, and says so', async () => {
    await superuser('alter role loader connection limit 0');
    const run = cli('run', 'sql/daily.sql', '--from', '2026-11-01', '--to', '2026-11-07', '--yes');
    await run.waits;
    await superuser('alter role loader connection limit -1');
    const { code, out } = await run.ended;
    expect(out).toContain('waiting for the server: too many connections for role "loader"');
    expect(out).toContain('0 unchanged, 6 changed');
    expect(code).toBe(0);
  });
});
