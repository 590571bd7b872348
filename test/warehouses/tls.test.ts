import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { resolveConnection } from '../../src/warehouses/postgres/client-options.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { scalar } from '../support/warehouse-fixture.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
/** The server's certificate is for the name `localhost` alone, made by the root; valid until 2120. */
const [root, other] = [fixture('root.crt'), fixture('other.crt')];

let folder: string;
let server: PostgresServer;
let connection: PostgresConnection;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'backfill-tls-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, 65_534, 65_534);
  for (const name of ['server.key', 'server.crt']) {
    const file = join(folder, name);
    copyFileSync(fixture(name), file);
    if (isRoot) chownSync(file, 65_534, 65_534);
    // The server refuses a key that others may read.
    chmodSync(file, 0o600);
  }
  server = await startPostgres([
    'ssl=on',
    `ssl_cert_file=${join(folder, 'server.crt')}`,
    `ssl_key_file=${join(folder, 'server.key')}`,
  ]);
  const { port, user, password } = server;
  connection = {
    name: 'tls',
    protected: false,
    settings: {},
    airflowIds: [],
    engine: 'postgres',
    host: 'localhost',
    port,
    user,
    password,
    database: 'postgres',
    service: undefined,
    sslmode: undefined,
  };
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function encrypted(parts: Partial<PostgresConnection>): Promise<boolean> {
  const warehouse = await openWarehouse({ ...connection, ...parts });
  try {
    return (await scalar(warehouse, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()')) === 't';
  } finally {
    await warehouse.close();
  }
}

describe('a server with a certificate of its own', () => {
  test.each<[string, Partial<PostgresConnection>, boolean]>([
    ['disable', { sslmode: 'disable' }, false],
    ['prefer', { sslmode: 'prefer' }, true],
    ['nothing said', {}, true],
    ['require', { sslmode: 'require' }, true],
    ['require, and its root', { sslmode: 'require', sslrootcert: root }, true],
    ['verify-ca', { sslmode: 'verify-ca', sslrootcert: root }, true],
    ['verify-ca under another name', { sslmode: 'verify-ca', sslrootcert: root, host: '127.0.0.1' }, true],
    ['verify-full', { sslmode: 'verify-full', sslrootcert: root }, true],
  ])('is let through by %s', async (_what, parts, wanted) => {
    expect(await encrypted(parts)).toBe(wanted);
  });

  test.each<[string, Partial<PostgresConnection>, RegExp]>([
    ['verify-full under another name', { sslmode: 'verify-full', sslrootcert: root, host: '127.0.0.1' }, /^TLS: .*127/],
    ['verify-full and another root', { sslmode: 'verify-full', sslrootcert: other }, /^TLS: /],
    ['verify-ca and another root', { sslmode: 'verify-ca', sslrootcert: other }, /^TLS: /],
    ['require and another root', { sslmode: 'require', sslrootcert: other }, /^TLS: /],
    ['the roots of the machine', { sslmode: 'require', sslrootcert: 'system' }, /^TLS: /],
  ])('is refused by %s, once and for all', async (_what, parts, words) => {
    await expect(encrypted(parts)).rejects.toMatchObject({
      kind: 'connection',
      retryable: false,
      message: expect.stringMatching(words),
      detail: { hint: expect.stringContaining('sslrootcert') },
    });
  });

  test('a root certificate that is not there is said with its name', async () => {
    await expect(encrypted({ sslmode: 'verify-full', sslrootcert: join(folder, 'none.crt') })).rejects.toMatchObject({
      kind: 'missing',
      message: expect.stringContaining('none.crt'),
    });
  });

  test('the connection goes before PGSSLROOTCERT', async () => {
    const env = { PGSSLROOTCERT: other, PGSSLMODE: 'verify-full' };
    const { client } = await resolveConnection({ ...connection, sslrootcert: root }, env);
    const { client: byEnvironment } = await resolveConnection(connection, env);
    expect(client.ssl).toMatchObject({ rejectUnauthorized: true, ca: readFileSync(root, 'utf8') });
    expect(byEnvironment.ssl).toMatchObject({ ca: readFileSync(other, 'utf8') });
  });

  test('cancelling goes over TLS too', async () => {
    const warehouse = await openWarehouse({ ...connection, sslmode: 'verify-full', sslrootcert: root });
    const session = await warehouse.connect('unit');
    const sleeping = session.query('select pg_sleep(60)').catch((error: unknown) => error);
    await expect
      .poll(() =>
        scalar(
          warehouse,
          "select count(*) from pg_stat_activity where query = 'select pg_sleep(60)' and state = 'active'",
        ),
      )
      .toBe('1');
    expect(await session.cancel()).toEqual({ confirmed: true });
    expect(await sleeping).toMatchObject({ kind: 'cancelled' });
    await warehouse.close();
  });
});
