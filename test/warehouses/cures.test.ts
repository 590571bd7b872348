import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { planErrorCodes } from '../../src/core/plan/model/plan.ts';
import { jobRefusalCodes } from '../../src/core/run/unit/job-refusal.ts';
import { runRefusalCodes } from '../../src/core/run/unit/run-result.ts';
import { heldCodes } from '../../src/core/run/unit/unit-outcome.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type CureCase, cureTables, day } from '../support/cures/cure-case.ts';
import { cureWorkspace, textOf } from '../support/cures/cure-workspace.ts';
import { heldCases } from '../support/cures/held-cases.ts';
import { refusedCases } from '../support/cures/refused-cases.ts';
import { stoppedCases } from '../support/cures/stopped-cases.ts';
import { toldCases } from '../support/cures/told-cases.ts';
import { asSuperuser } from '../support/postgres-server.ts';
import type { CliResult } from '../support/run-cli.ts';
import { theServer } from '../support/the-server.ts';
import { freshDatabase, sql } from '../support/warehouse-fixture.ts';

const cases: Readonly<Record<string, CureCase>> = { ...heldCases, ...refusedCases, ...stoppedCases, ...toldCases };

describe('each advice works', () => {
  let parent = '';
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'backfill-cures-'));
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  test('there is one for whatever can stop a unit, a plan or a run', () => {
    const followed = new Set(Object.values(cases).flatMap(({ codes = [] }) => codes));
    const all = [...jobRefusalCodes, ...runRefusalCodes, ...heldCodes, ...planErrorCodes];
    expect(all.filter((code) => !followed.has(code))).toEqual([]);
  });

  test.each(Object.entries(cases))('%s', async (_, one) => {
    const { ddl = [], change = [], steps, finally: end } = one;
    const connection = await freshDatabase();
    const warehouse: Warehouse = await openWarehouse(connection);
    try {
      await sql(warehouse, ...cureTables, ...ddl);
      await oneMore(`${connection.database}_lake`, JSON.stringify(one).includes('lake'));
      const place = cureWorkspace(parent, connection, one);
      let run = '';
      if (one.before) {
        const ran = await place.cli(['run', 'd', ...day, '--yes']);
        expect(ran.code === 0, textOf(ran)).toBe(one.before === true);
        run = runOf(ran);
      }
      for (const words of one.between ?? []) {
        const done = await place.cli(words.map((word) => (word === 'RUN' ? run : word)));
        expect(done, textOf(done)).toMatchObject({ code: 0 });
      }
      await sql(warehouse, 'select 1', ...change);
      if (one.alive) await seemAlive(warehouse, run);
      if (one.mended !== undefined) place.write(one.mended);
      const asked = (one.command ?? ['run', 'd', ...day, '--yes']).map((word) => (word === 'RUN' ? run : word));
      let answer = await place.cli(asked);
      for (const [named, cure] of steps) {
        expect(textOf(answer)).toMatch(named);
        if (!/left over in|not deterministic/.test(answer.out)) expect(answer.code, textOf(answer)).not.toBe(0);
        if (typeof cure === 'object') await sql(warehouse, 'select 1', ...(cure.sql ?? []));
        const last = runOf(answer) || run;
        const meant = (words: readonly string[]) =>
          words.map((word) => word.replace(/^RUN$/, run).replace(/^LAST$/, last));
        const followed = typeof cure === 'object' && cure.ask !== undefined ? { ...cure, ask: meant(cure.ask) } : cure;
        answer = await place.follow(textOf(answer), followed, asked);
      }
      expect(textOf(answer)).toMatch(end ?? /[1-9]\d* changed/);
      expect(answer.code, textOf(answer)).toBe(0);
      expect(textOf(await place.cli(['history']))).not.toMatch(/running/);
    } finally {
      await warehouse.close();
    }
  });
});

/** The run of which an answer tells. */
const runOf = ({ out }: CliResult): string => /^run (\d\S+): \d+ \w+,/m.exec(out)?.[1] ?? '';

/** A second database of the suite's server, with the same tables. */
async function oneMore(database: string, wanted: boolean): Promise<void> {
  if (!wanted) return;
  const server = theServer();
  await asSuperuser(server, 'postgres', `create database ${database}`);
  for (const statement of cureTables) await asSuperuser(server, database, statement);
}

/** Lets a run hold what it writes, as its process does until it ends. */
async function seemAlive(warehouse: Warehouse, run: string): Promise<void> {
  await sql(warehouse, "update backfill_ledger.units set state = 'running'");
  const ledger = sqlLedgerStore(warehouse);
  try {
    const slice = { table: 'mart.f', column: 'day', from: undefined, to: undefined };
    expect(await ledger.beginRun(run, 'somebody', [slice], 600_000)).toEqual([]);
  } finally {
    await ledger.close();
  }
}
