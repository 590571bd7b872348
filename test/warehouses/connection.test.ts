import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { resolveConnection } from '../../src/warehouses/postgres/client-options.ts';
import { goodbyeMs } from '../../src/warehouses/postgres/postgres-session.ts';
import { openProxy } from '../support/faults/faulty-proxy.ts';
import { patienceMs } from '../support/patience.ts';
import { asSuperuser, freePort, startPostgres } from '../support/postgres-server.ts';
import { theServer } from '../support/the-server.ts';
import { freshDatabase, job, neverAborted, realClock, scalar, shopTables, sql } from '../support/warehouse-fixture.ts';

let connection: PostgresConnection & { database: string };
const folder = mkdtempSync(join(tmpdir(), 'backfill-connection-'));

beforeAll(async () => {
  connection = await freshDatabase();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('refused connections say what helps', () => {
  test.each([
    ['a wrong password', () => ({ password: 'wrong' }), 'permission', 'password'],
    ['an unknown user', () => ({ user: 'nobody_here' }), 'permission', 'password'],
    ['a missing database', () => ({ database: 'not_there' }), 'missing', 'not_there'],
    ['a host that is not known', () => ({ host: 'no-such-host.invalid' }), 'connection', ''],
  ])('%s', async (_what, part, kind, words) => {
    const opened = openWarehouse({ ...connection, ...part() });
    await expect(opened).rejects.toMatchObject({ kind, message: expect.stringContaining(words) });
    await expect(openWarehouse({ ...connection, ...part() })).rejects.toMatchObject({
      detail: { hint: expect.stringMatching(/./) },
    });
  });

  test('no server', async () => {
    const port = await freePort();
    await expect(openWarehouse({ ...connection, port })).rejects.toMatchObject({
      kind: 'connection',
      retryable: true,
      detail: { hint: expect.stringContaining('host and port') },
    });
  });

  test('no password at all', async () => {
    const { PGPASSWORD, PGPASSFILE } = process.env;
    delete process.env.PGPASSWORD;
    process.env.PGPASSFILE = join(folder, 'none');
    try {
      await expect(openWarehouse({ ...connection, password: undefined })).rejects.toMatchObject({
        kind: 'permission',
        detail: { hint: expect.stringContaining('PGPASSWORD') },
      });
    } finally {
      if (PGPASSWORD !== undefined) process.env.PGPASSWORD = PGPASSWORD;
      if (PGPASSFILE === undefined) delete process.env.PGPASSFILE;
      else process.env.PGPASSFILE = PGPASSFILE;
    }
  });

  test('TLS asked of a server that has none; preferred, it is left out', async () => {
    await expect(openWarehouse({ ...connection, sslmode: 'require' })).rejects.toMatchObject({
      kind: 'connection',
      retryable: false,
      detail: { hint: expect.stringContaining('sslmode') },
    });
    const warehouse = await openWarehouse({ ...connection, sslmode: 'prefer' });
    expect(await scalar(warehouse, 'select 1')).toBe('1');
    await warehouse.close();
  });
});

test('what the server advises is told as its own', async () => {
  const warehouse = await openWarehouse(connection);
  const dropped = sql(warehouse, 'create table hinted ()', 'create view over_it as table hinted', 'drop table hinted');
  await expect(dropped).rejects.toMatchObject({
    message: expect.stringMatching(/; the server's hint: “Use DROP \.\.\. CASCADE .*”$/),
    detail: { hint: undefined },
  });
  await sql(warehouse, 'drop table if exists hinted cascade');
  await warehouse.close();
});

test('the password comes from .pgpass', async () => {
  const file = join(folder, 'pgpass');
  writeFileSync(file, `127.0.0.1:${connection.port}:${connection.database}:postgres:${connection.password}\n`, {
    mode: 0o600,
  });
  process.env.PGPASSFILE = file;
  try {
    const warehouse = await openWarehouse({ ...connection, password: undefined });
    expect(await scalar(warehouse, 'select current_database()')).toBe(connection.database);
    await warehouse.close();
  } finally {
    delete process.env.PGPASSFILE;
  }
});

test('a service gives what the connection leaves open, and the environment the rest', async () => {
  const file = join(folder, 'pg_service.conf');
  writeFileSync(
    file,
    '# comment\r\n[other]\r\nhost=elsewhere\r\n[mart]\r\nhost = db.example\r\nport=6000\r\ndbname=mart\r\npassword=s3cret=\r\n[last]\nuser=x\n',
  );
  const open = {
    ...connection,
    host: undefined,
    port: undefined,
    database: undefined,
    user: undefined,
    password: undefined,
    sslmode: undefined,
  };
  const env = { PGSERVICEFILE: file, PGUSER: 'etl', PGSSLMODE: 'disable' };
  const resolved = await resolveConnection({ ...open, service: 'mart' }, env);
  expect(resolved.client).toMatchObject({
    host: 'db.example',
    port: 6000,
    database: 'mart',
    user: 'etl',
    ssl: false,
  });
  expect((resolved.client.password as () => string)()).toBe('s3cret=');
  expect(resolved.target).toBe('postgres://etl@db.example:6000/mart');
  expect(JSON.stringify(resolved.target)).not.toContain('s3cret');
  expect((await resolveConnection({ ...open, port: 7000 }, { ...env, PGSERVICE: 'mart' })).client).toMatchObject({
    host: 'db.example',
    port: 7000,
  });
  await expect(resolveConnection({ ...open, service: 'nope' }, env)).rejects.toMatchObject({
    kind: 'missing',
    message: expect.stringContaining('nope'),
  });
});

describe('rights', () => {
  const asLimited = async (grants: readonly string[]) => {
    const fresh = await freshDatabase();
    const user = `u_${fresh.database.slice(2, 14)}`;
    await asSuperuser(
      theServer(),
      fresh.database,
      `create role ${user} login password 'x'`,
      `revoke temporary on database ${fresh.database} from public`,
      ...shopTables,
      ...grants.map((grant) => grant.replaceAll('$user', user).replaceAll('$db', fresh.database)),
    );
    const warehouse = await openWarehouse({ ...fresh, user, password: 'x' });
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'limited' });
    const outcome = await executor.execute(job(), neverAborted);
    await executor.close();
    return { outcome, warehouse, user };
  };

  test.each([
    ['temporary tables', [], 'GRANT TEMPORARY ON DATABASE'],
    ['the ledger', ['grant temporary on database $db to $user'], 'GRANT CREATE ON DATABASE'],
    ['reading the target', ['grant temporary, create on database $db to $user'], 'GRANT SELECT ON'],
    [
      'writing the target',
      ['grant temporary, create on database $db to $user', 'grant select on sales, orders to $user'],
      'GRANT',
    ],
  ])('missing for %s', async (_what, grants, remedy) => {
    const { outcome, warehouse } = await asLimited(grants);
    expect(outcome).toMatchObject({
      state: 'failed',
      error: { kind: 'permission', retryable: false, remedy: expect.stringContaining(remedy) },
    });
    await warehouse.close();
  });

  test('that are enough are enough', async () => {
    const { outcome, warehouse } = await asLimited([
      'grant temporary, create on database $db to $user',
      'grant select, insert, delete on sales to $user',
      'grant select on orders to $user',
    ]);
    expect(outcome).toMatchObject({ state: 'unchanged' });
    await warehouse.close();
  });

  test('row security that would hide rows is refused', async () => {
    const { outcome, warehouse } = await asLimited([
      'grant temporary, create on database $db to $user',
      'grant select, insert, delete on sales to $user',
      'grant select on orders to $user',
      'alter table sales enable row level security',
      'create policy few on sales using (id < 15)',
    ]);
    expect(outcome).toMatchObject({
      state: 'failed',
      error: { kind: 'permission', message: expect.stringContaining('row-level security') },
    });
    await warehouse.close();
  });
});

test('two processes that make the ledger at once both find it made', async () => {
  const fresh = await freshDatabase();
  const warehouses = await Promise.all(Array.from({ length: 6 }, () => openWarehouse(fresh)));
  const lists = await Promise.all(warehouses.map((warehouse) => sqlLedgerStore(warehouse).listRuns(10)));
  expect(lists).toEqual(Array.from({ length: 6 }, () => []));
  await Promise.all(warehouses.map((warehouse) => warehouse.close()));
});

test('a ledger of a newer version is left alone', async () => {
  const fresh = await freshDatabase();
  const first = await openWarehouse(fresh);
  await sqlLedgerStore(first).listRuns(1);
  await sql(first, 'insert into backfill_ledger.meta (version) values (999)');
  await first.close();
  const second = await openWarehouse(fresh);
  await expect(sqlLedgerStore(second).listRuns(1)).rejects.toMatchObject({
    message: expect.stringContaining('999'),
    retryable: false,
  });
  await second.close();
});

describe('a pooler', () => {
  let fake: Server;
  afterAll(() => fake?.close());

  test('that refuses our start-up settings is named', async () => {
    fake = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        const fields = 'SFATAL\0C08P01\0Munsupported startup parameter: options\0\0';
        const message = Buffer.alloc(5 + fields.length);
        message.write('E', 0);
        message.writeInt32BE(4 + fields.length, 1);
        message.write(fields, 5, 'latin1');
        socket.end(message);
      });
    });
    const port = await freePort();
    await new Promise<void>((resolve) => fake.listen(port, '127.0.0.1', resolve));
    await expect(openWarehouse({ ...connection, port })).rejects.toMatchObject({
      kind: 'connection',
      retryable: false,
      message: expect.stringContaining('pooler'),
    });
  });
});

describe('a pooler that takes everything', () => {
  /** Between client and server, as poolers are: the process that it names is none of the server's. */
  const renamed = (upstream: number): Server =>
    createServer((client) => {
      const server = connect(upstream, '127.0.0.1');
      let head: Buffer | undefined = Buffer.alloc(0);
      server.on('data', (chunk) => {
        if (head === undefined) return void client.write(chunk);
        head = Buffer.concat([head, chunk]);
        for (let at = 0; at + 5 <= head.length && at + 1 + head.readInt32BE(at + 1) <= head.length; ) {
          const length = 1 + head.readInt32BE(at + 1);
          if (head[at] === 'K'.charCodeAt(0)) {
            head.writeInt32BE(head.readInt32BE(at + 5) + 1, at + 5);
            client.write(head);
            head = undefined;
            return;
          }
          client.write(head.subarray(at, at + length));
          head = head.subarray(at + length);
          at = 0;
        }
      });
      client.pipe(server);
      for (const socket of [client, server]) socket.on('error', () => undefined);
      server.on('close', () => client.destroy());
      client.on('close', () => server.destroy());
    });

  test('is told by the process that answers', async () => {
    const fake = renamed(Number(connection.port));
    const port = await freePort();
    await new Promise<void>((resolve) => fake.listen(port, '127.0.0.1', resolve));
    await expect(openWarehouse({ ...connection, port })).rejects.toMatchObject({
      kind: 'connection',
      retryable: false,
      message: expect.stringContaining('pooler'),
      detail: { hint: expect.stringContaining('itself') },
    });
    fake.close();
  });
});

describe('a server that fails', () => {
  test('mid-statement: a retryable error, nothing written, and a resume finds everything in place', async () => {
    const own = await startPostgres(['fsync=on']);
    try {
      const warehouse = await openWarehouse({ ...connection, ...own, database: 'postgres' });
      await sql(warehouse, ...shopTables);
      const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'me' });
      const unit = executor.execute(
        job({ statements: [job().statements[0]?.text as string, 'select pg_sleep(30)'] }),
        neverAborted,
      );
      await expect
        .poll(
          () =>
            scalar(
              warehouse,
              "select count(*) from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()",
            ),
          { timeout: patienceMs },
        )
        .toBe('1');
      await own.stop();
      expect(await unit).toMatchObject({
        state: 'failed',
        error: { kind: 'connection', retryable: true, statement: 'select pg_sleep(30)' },
      });
      expect(await executor.execute(job(), neverAborted)).toMatchObject({
        state: 'failed',
        error: { kind: 'connection', retryable: true },
      });
      await warehouse.close();
    } finally {
      await own.stop();
    }
  });

  test('for want of disk: a storage error with its remedy, and the old rows stand', async () => {
    const fresh = await freshDatabase();
    await asSuperuser(
      theServer(),
      fresh.database,
      `alter database ${fresh.database} set temp_file_limit = '1MB'`,
      `alter database ${fresh.database} set work_mem = '64kB'`,
    );
    const warehouse = await openWarehouse(fresh);
    await sql(warehouse, ...shopTables);
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'me' });
    const statements = [
      job().statements[0]?.text as string,
      "insert into sales select n, '2026-11-01', n from (select distinct n from generate_series(1, 500000) n order by n desc) s",
    ];
    expect(await executor.execute(job({ statements }), neverAborted)).toMatchObject({
      state: 'failed',
      error: { kind: 'storage', retryable: false, remedy: expect.stringContaining('temp_file_limit') },
    });
    expect(await scalar(warehouse, 'select count(*) from sales')).toBe('30');
    await warehouse.close();
  });

  test('because it is read-only: the remedy names the primary', async () => {
    const fresh = await freshDatabase();
    const warehouse = await openWarehouse(fresh);
    await sql(warehouse, ...shopTables);
    await sqlLedgerStore(warehouse).listRuns(1);
    await warehouse.close();
    await asSuperuser(
      theServer(),
      'postgres',
      `alter database ${fresh.database} set default_transaction_read_only = on`,
    );
    const standby = await openWarehouse(fresh);
    const executor = relationalExecutor(standby, { clock: realClock, owner: 'me' });
    expect(await executor.execute(job(), neverAborted)).toMatchObject({
      state: 'failed',
      error: { kind: 'connection', away: true, remedy: expect.stringContaining('primary') },
    });
    await standby.close();
  });
});

test('a session that has gone silent closes', async () => {
  const proxy = await openProxy(connection.port ?? 0, () => undefined);
  const warehouse = await openWarehouse({ ...connection, port: proxy.port });
  const session = await warehouse.connect('unit');
  for (const line of proxy.lines) line.freeze();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const closed = session.close();
  vi.advanceTimersByTime(goodbyeMs);
  vi.useRealTimers();
  await closed;
  await warehouse.close();
  await proxy.close();
});
