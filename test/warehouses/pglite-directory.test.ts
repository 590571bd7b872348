import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { PgliteConnection } from '../../src/core/warehouse/port/connection-config.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { lockDirectory } from '../../src/warehouses/pglite/directory-lock.ts';
import { runCli } from '../support/run-cli.ts';
import { job, neverAborted, realClock, scalar, shopTables, sql } from '../support/warehouse-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'backfill-directory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const connection = (name: string): PgliteConnection => ({
  name: 'test',
  protected: false,
  settings: {},
  airflowIds: [],
  engine: 'pglite',
  directory: join(folder, name, 'data'),
});

/** A process that sleeps; its id as long as it lives. */
async function otherProcess(): Promise<{ pid: number; end(): Promise<void> }> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid as number,
    end: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

const holder = (pid: number, host = hostname()) =>
  JSON.stringify({ pid, host, token: 'other', since: '2026-11-01T00:00:00Z' });

test('one process at a time: the second is refused by name, and the same process too', async () => {
  const directory = join(folder, 'held');
  const other = await otherProcess();
  writeFileSync(`${directory}.lock`, holder(other.pid));
  expect(() => lockDirectory(directory)).toThrowError(new RegExp(`process ${other.pid}`));
  await other.end();
  const release = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrowError(new RegExp(`this process \\(${process.pid}\\)`));
  release();
  lockDirectory(directory)();
  expect(readdirSync(folder).filter((name) => name.startsWith('held'))).toEqual([]);
});

test('the lock of a machine that still touches it holds; a silent one is taken over', async () => {
  const directory = join(folder, 'far');
  writeFileSync(`${directory}.lock`, holder(1, 'elsewhere'));
  expect(() => lockDirectory(directory)).toThrowError(/on elsewhere/);
  const { utimesSync } = await import('node:fs');
  utimesSync(`${directory}.lock`, new Date(0), new Date(0));
  lockDirectory(directory)();
});

test('a lock file that is no lock is not guessed about', () => {
  const directory = join(folder, 'odd');
  writeFileSync(`${directory}.lock`, 'something');
  expect(() => lockDirectory(directory)).toThrowError(/could not be taken/);
});

test('many at once after a crash: exactly one takes over', async () => {
  const directory = join(folder, 'race');
  const dead = await otherProcess();
  await dead.end();
  writeFileSync(`${directory}.lock`, holder(dead.pid));
  const taken = Array.from({ length: 8 }, () => {
    try {
      return lockDirectory(directory);
    } catch {
      return undefined;
    }
  }).filter((release) => release !== undefined);
  expect(taken).toHaveLength(1);
  taken[0]?.();
});

test('the second warehouse on one directory is refused, and the first goes on', async () => {
  const first = await openWarehouse(connection('twice'));
  await expect(openWarehouse(connection('twice'))).rejects.toMatchObject({
    kind: 'conflict',
    retryable: false,
    message: expect.stringContaining('in use by this process'),
  });
  expect(await scalar(first, 'select 1')).toBe('1');
  await first.close();
});

test('what was committed is there after closing, and after the thread was ended mid-statement', async () => {
  const target = connection('durable');
  const first = await openWarehouse(target);
  await sql(first, ...shopTables, 'update orders set amount = 9 where id = 10');
  const executor = relationalExecutor(first, { clock: realClock, owner: 'me' });
  const controller = new AbortController();
  const endless = executor.execute(
    job({
      run: 'endless',
      statements: [...job().statements.map(({ text }) => text), 'select count(*) from generate_series(1, 10000000000)'],
    }),
    controller.signal,
  );
  await new Promise((resolve) => setTimeout(resolve, 1500));
  // Another session waits for its turn meanwhile, and gets it.
  const waiting = sqlLedgerStore(first).listRuns(5);
  controller.abort();
  expect(await endless).toMatchObject({ state: 'cancelled', confirmed: true });
  expect(await waiting).toEqual([]);
  expect(await scalar(first, 'select amount from sales where id = 10')).toBe('15.00');
  expect(await executor.execute(job({ run: 'after' }), neverAborted)).toMatchObject({ state: 'changed' });
  await first.close();
  expect(existsSync(`${target.directory}.lock`)).toBe(false);
  const second = await openWarehouse(target);
  expect(await scalar(second, 'select amount from sales where id = 10')).toBe('9.00');
  await second.close();
});

test('a directory that is no database is named with its remedy, and left as it is', async () => {
  const target = connection('broken');
  mkdirSync(target.directory, { recursive: true });
  writeFileSync(join(target.directory, 'PG_VERSION'), '18\n');
  writeFileSync(join(target.directory, 'notes.txt'), 'mine');
  await expect(openWarehouse(target)).rejects.toMatchObject({
    kind: 'storage',
    retryable: false,
    message: expect.stringContaining(target.directory),
    detail: { hint: expect.stringMatching(/./) },
  });
  expect(readdirSync(target.directory)).toContain('notes.txt');
  expect(existsSync(`${target.directory}.lock`)).toBe(false);
});

test('no database is made over files of others', async () => {
  const target = connection('mine');
  mkdirSync(target.directory, { recursive: true });
  const file = join(target.directory, 'notes.txt');
  writeFileSync(file, 'mine');
  const refused = { kind: 'storage', detail: { hint: expect.stringContaining('another directory') } };
  await expect(openWarehouse(target)).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining('notes.txt'),
  });
  await expect(openWarehouse({ ...target, directory: file })).rejects.toMatchObject({
    ...refused,
    message: `The data directory ${file} is a file.`,
  });
  expect(readdirSync(target.directory)).toEqual(['notes.txt']);
});

test('who only looks makes no database, and is told which there are', async () => {
  const target = connection('looked-at');
  const beside = join(folder, 'looked-at', 'date');
  mkdirSync(beside, { recursive: true });
  writeFileSync(join(beside, 'PG_VERSION'), '18\n');
  const said = `There is no embedded database ${target.directory}.`;
  await expect(openWarehouse(target, false)).rejects.toMatchObject({
    message: said,
    detail: { hint: expect.stringContaining('there is date beside it') },
  });
  const root = join(folder, 'workspace');
  mkdirSync(root);
  writeFileSync(
    join(root, 'a.sql'),
    '-- backfill: schedule=@daily start=2026-11-01\nDELETE FROM t WHERE day = {{ ds }}',
  );
  writeFileSync(
    join(root, 'backfill.yaml'),
    `version: 1\nconnections: { wh: { engine: pglite, directory: ${target.directory} } }\n`,
  );
  const range = ['--from', '2026-11-02', '--to', '2026-11-03'];
  const asked = [
    ['history'],
    ['gaps', 'a.sql'],
    ['show', '--stale'],
    ['plan', 'a.sql', ...range],
    ['plan', 'a.sql', ...range, '--out', 'plan.json'],
    ['prove', 'a.sql', ...range],
    ['run', 'a.sql', ...range, '--preview'],
    ['undo', '20261101-000000-aaaaaa'],
  ];
  for (const words of asked) {
    const { err, code } = await runCli(words, root);
    expect([words.join(' '), err]).toEqual([words.join(' '), expect.stringContaining(said)]);
    expect(code).toBe(words[0] === 'plan' && !words.includes('--out') ? 0 : 1);
  }
  expect(readdirSync(join(folder, 'looked-at'))).toEqual(['date']);
});

test('a path that cannot be made is a permission error', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(
    openWarehouse({ ...connection('x'), directory: join(folder, 'file', 'inside', 'data') }),
  ).rejects.toMatchObject({ kind: 'permission' });
});
