import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { runCli } from '../support/run-cli.ts';
import { freshDatabase, scalar } from '../support/warehouse-fixture.ts';

test('make-safe --install makes the functions once, and says what the scheduler needs', async () => {
  const { host, port, user, password, database, ...rest } = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'backfill-install-'));
  const lines = [
    `host: ${host}`,
    `port: ${port}`,
    `user: ${user}`,
    `password: "\${env:PASSWORD}"`,
    `database: ${database}`,
  ];
  writeFileSync(
    join(folder, 'backfill.yaml'),
    `version: 1\nconnections:\n  shop:\n${['engine: postgres', 'sslmode: disable', ...lines].map((line) => `    ${line}\n`).join('')}`,
  );
  const env = { PASSWORD: String(password) };
  const config = join(folder, 'backfill.yaml');
  const open = readFileSync(config, 'utf8');
  writeFileSync(config, `${open}    protected: true\n`);
  const asked = await runCli(['make-safe', '--install'], folder, { env });
  expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('add --confirm-target shop') });
  const confirmed = await runCli(['make-safe', '--install', '--confirm-target', 'shop'], folder, { env });
  expect(confirmed).toMatchObject({ code: 0, err: '' });
  writeFileSync(config, open);
  for (const format of ['text', 'json', 'text']) {
    const { code, out, err } = await runCli(['make-safe', '--install', '--format', format], folder, { env });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('GRANT USAGE ON SCHEMA backfill_ledger TO <role of the scheduler>;');
    expect(out).toContain('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA backfill_ledger TO <role of the scheduler>;');
  }
  const warehouse = await openWarehouse({ host, port, user, password, database, ...rest });
  expect(await scalar(warehouse, "select to_regproc('backfill_ledger.begin_slice') is not null")).toBe('t');
  await warehouse.close();
  rmSync(folder, { recursive: true });
});
