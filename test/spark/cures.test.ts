import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { cureTables, day } from '../support/cures/cure-case.ts';
import { cureWorkspace, textOf } from '../support/cures/cure-workspace.ts';
import { lakeCases } from '../support/cures/lake-cases.ts';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

let server: PostgresServer;
let lake: LakeFixture;
let parent = '';
let database = '';
let count = 0;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-cures-'));
  server = await startPostgres();
  lake = await lakeFixture(inject('spark').url, 'cures');
});
afterAll(async () => {
  await lake?.close();
  await server?.stop();
  rmSync(parent, { recursive: true, force: true });
});

beforeEach(async () => {
  database = `cures_${++count}`;
  await lake.sql(
    'drop table if exists cures.daily',
    'create table cures.daily (id int, name string, day date) using parquet partitioned by (day)',
  );
  const { host, port, user, password } = server;
  const inDatabase = async (name: string, statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ host, port, user, password, database: name });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await inDatabase('postgres', [`create database ${database}`]);
  await inDatabase(database, cureTables);
});

test.each(Object.entries(lakeCases(inject('spark').url)))('%s', async (_, one) => {
  const { host, port, user, password } = server;
  const connection = {
    ...{ name: 'wh', engine: 'postgres' as const, host, port, user, password, database, service: undefined },
    ...{ sslmode: undefined, sslrootcert: undefined, settings: {}, airflowIds: ['wh'], protected: false },
  };
  const place = cureWorkspace(parent, connection, one);
  const asked = one.command ?? ['run', 'd', ...day, '--yes'];
  let answer = await place.cli(asked);
  for (const [named, cure] of one.steps) {
    expect(textOf(answer)).toMatch(named);
    expect(answer.code, textOf(answer)).not.toBe(0);
    answer = await place.follow(textOf(answer), cure, asked);
  }
  expect(answer.code, textOf(answer)).toBe(0);
  expect(await lake.sql('select id, cast(day as string) from cures.daily')).toEqual([['1', '2026-11-10']]);
});
