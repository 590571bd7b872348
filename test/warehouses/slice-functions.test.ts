import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takeFigures } from '../../src/core/diff/take-figures.ts';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { relationOf, tableSql } from '../../src/core/run/tables/target.ts';
import { timeSql } from '../../src/core/safe/time-sql.ts';
import { namePart, nameParts } from '../../src/core/sql/model/name-parts.ts';
import { exactTime } from '../../src/core/time/expressions/evaluate-time.ts';
import type { TimeStep } from '../../src/core/time/expressions/time-expression.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import { toIso } from '../../src/core/time/zones/iso.ts';
import { describeTables, qualifyNames } from '../../src/core/warehouse/catalog/describe-tables.ts';
import {
  createLedgerSql,
  ledgerVersion,
  upgradeLedgerSql,
} from '../../src/core/warehouse/dialects/postgres/ledger/ledger-schema-sql.ts';
import { lockKeys } from '../../src/core/warehouse/dialects/postgres/ledger/lock-keys.ts';
import { slicePredicate } from '../../src/core/warehouse/dialects/postgres/slice-predicate.ts';
import type { Session } from '../../src/core/warehouse/port/ports.ts';
import { engines, type Fixture, job, openFixture, scalar, sql } from '../support/warehouse-fixture.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const dayMs = 86_400_000;

/** What the functions compute has to be what the engine computes: they share locks and compare checksums. */
describe.each(engines)('the slice functions and the engine agree on %s', (engine) => {
  let fixture: Fixture;
  let session: Session;
  const ask = async (query: string) => (await session.query(query)).rows[0]?.[0];

  beforeAll(async () => {
    fixture = await openFixture(engine);
    const ledger = sqlLedgerStore(fixture.warehouse);
    await ledger.listRuns(1);
    await ledger.close();
    session = await fixture.warehouse.connect('unit');
    await session.query("create type mood as enum ('sad', 'ok')");
    await session.query('create domain amount as numeric(12, 2)');
    await session.query('create domain moods as mood[]');
    await session.query('create type point3 as (x int, y mood, z amount)');
  });
  afterAll(async () => {
    await session.close();
    await fixture.close();
  });

  test.each(['public.sales', 'mart.Täglich "x"', 'a', '表.𝄞 1', ''])('about the key of %s', async (name) => {
    const [key] = lockKeys([{ target: name, from: undefined, to: undefined }]).exclusive;
    expect(await ask(`select backfill_ledger.advisory_key(${quoted(name)})`)).toBe(key);
  });

  test.runIf(engine === 'postgres')(
    'about the locks of a slice, from less than a day to more than is locked by days',
    async () => {
      const hour = fc.integer({ min: -50 * 24, max: 50 * 24 });
      await fc.assert(
        fc.asyncProperty(hour, fc.integer({ min: 1, max: 80 * 24 }), async (start, hours) => {
          const from = Date.UTC(2026, 10, 1) + start * 3_600_000;
          const to = from + hours * 3_600_000;
          const [lower, upper] = [from, to].map((at) => quoted(toIso(instant(at))));
          await session.query('begin');
          await session.query(`select backfill_ledger.lock_slice('mart.sales', ${lower}, ${upper})`);
          const { rows } = await session.query(
            `select case mode when 'ShareLock' then 'shared' else 'exclusive' end, ((classid::bigint << 32) | objid::bigint)
           from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() order by 2`,
          );
          await session.query('rollback');
          const wanted = lockKeys([{ target: 'mart.sales', from, to }]);
          const held = (mode: string) => rows.filter(([one]) => one === mode).map(([, key]) => key);
          expect(new Set(held('shared'))).toEqual(new Set(wanted.shared));
          expect(new Set(held('exclusive'))).toEqual(new Set(wanted.exclusive));
        }),
        { numRuns: 60 },
      );
    },
  );

  test.each(['"mart.daily"', '"a""b".c', '"Mart"."Sales of, all"', 'plain'])(
    'about the name, the locks and the slice of %s',
    async (name) => {
      const schema = /^("(?:[^"]|"")*")\./.exec(name)?.[1];
      if (schema !== undefined) await session.query(`create schema if not exists ${schema}`);
      await session.query(`create table ${name} (id int primary key, day date not null)`);
      const [known] = await qualifyNames(session, [nameParts(name).map(namePart).join('.')]);
      const qualified = String(known);
      const [from, to] = [Date.UTC(2026, 10, 10), Date.UTC(2026, 10, 11)];
      await session.query('begin');
      await session.query(
        `select backfill_ledger.begin_slice(task => 't', run => 'r', interval_start => '2026-11-10 00:00Z', target => ${quoted(name)},
           slice_column => 'day', lower_bound => '2026-11-10 00:00Z', upper_bound => '2026-11-11 00:00Z')`,
      );
      const held = (
        await session.query(
          "select ((classid::bigint << 32) | objid::bigint) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()",
        )
      ).rows.flat();
      const wanted = lockKeys([{ target: qualified, from, to }]);
      expect(new Set(held)).toEqual(new Set([...wanted.shared, ...wanted.exclusive]));
      await session.query('select backfill_ledger.commit_slice()');
      await session.query('commit');
      expect(await ask('select target from backfill_ledger.versions order by id desc limit 1')).toBe(qualified);
      await session.query(`drop table ${name}`);
    },
  );

  const types = [
    ...['int', 'bigint', 'numeric(12, 3)', 'text', 'varchar(9)', 'bool', 'date', 'timestamp', 'timestamptz', 'float8'],
    ...[
      'uuid',
      'jsonb',
      'json',
      'bytea',
      'int[]',
      'text[]',
      'int4range',
      'interval',
      'inet',
      'mood',
      'mood[]',
      'amount',
      'xml',
    ],
    ...['moods', 'amount[]', 'point3'],
  ];
  test.each(types)('about the checksums of %s, or the functions only count', async (type) => {
    await session.query('drop table if exists probe');
    await session.query(`create table probe (id int primary key, day date not null, v ${type}, loaded_at timestamptz)`);
    const value: Readonly<Record<string, string>> = {
      'int[]': "'{1,null,3}'",
      'text[]': `'{a,"b c"}'`,
      int4range: "'[1,5)'",
      interval: "'1 mon 2 days'",
      inet: "'10.0.0.1'",
      mood: "'ok'",
      'mood[]': "'{ok,sad}'",
      moods: "'{sad}'",
      'amount[]': "'{1.5,-2}'",
      point3: "'(1,ok,2.5)'",
      json: `'{"a": 1}'`,
      jsonb: `'{"a": -1}'`,
      bytea: "'\\x00ff'",
      uuid: "'6f1c3f5a-0000-4000-8000-000000000001'",
      date: "'2026-11-01'",
      timestamp: "'2026-11-01 10:00'",
      timestamptz: "'2026-11-01 10:00+02'",
      bool: 'true',
      xml: "'<a/>'",
    };
    await session.query(
      `insert into probe values (1, '2026-11-01', ${value[type] ?? '-7'}, now()), (2, '2026-11-01', null, now()), (3, '2026-11-02', null, now())`,
    );
    const [table] = await describeTables(session, ['probe'], new Map());
    if (table === undefined) throw new Error('no table');
    const slice = {
      ...(job().slices[0] as ReturnType<typeof job>['slices'][number]),
      table: 'probe',
      volatile: ['loaded_at'],
    };
    const relation = relationOf(slice, table, fixture.warehouse.description);
    const { figures } = await takeFigures(session, relation, {
      sql: tableSql(table),
      predicate: relation.predicate,
      ownAge: undefined,
    });
    const own = JSON.parse(
      (await ask(
        `select backfill_ledger.slice_figures('probe', $$day >= '2026-11-01' and day < '2026-11-02'$$, '{id}', '{loaded_at}')`,
      )) ?? '{}',
    );
    if (own.algorithm === 'count/1') {
      expect(['json', 'xml', 'moods', 'amount[]', 'point3']).toContain(type);
      expect(own).toMatchObject({ rows: figures.rows, rowChecksum: '' });
    } else expect(own).toEqual(figures);
  });

  test('about an empty slice and a table without a key', async () => {
    await session.query('drop table if exists probe');
    await session.query('create table probe (day date, v text)');
    const [table] = await describeTables(session, ['probe'], new Map());
    if (table === undefined) throw new Error('no table');
    const relation = relationOf(
      { ...(job().slices[0] as ReturnType<typeof job>['slices'][number]), table: 'probe' },
      table,
      fixture.warehouse.description,
    );
    const { figures } = await takeFigures(session, relation, { sql: 'probe', predicate: undefined, ownAge: undefined });
    const own = JSON.parse((await ask(`select backfill_ledger.slice_figures('probe', 'true', null, '{}')`)) ?? '{}');
    expect(own).toEqual({ ...figures, keyChecksum: null, duplicateKeys: null });
  });

  test('about bounds in the types of columns, and about what cannot be said in them', async () => {
    await session.query('drop table if exists probe');
    await session.query('create table probe (a timestamp, b timestamptz, c date, d text, e int, f numeric, g bool)');
    const [table] = await describeTables(session, ['probe'], new Map());
    if (table === undefined) throw new Error('no table');
    for (const at of ['2026-11-01T00:00:00Z', '2026-11-01T05:30:00.250Z']) {
      for (const { name, baseType } of table.columns) {
        const own = ask(`select backfill_ledger.bound_literal('${at}', '${baseType}')`);
        let wanted: string | undefined;
        try {
          wanted = slicePredicate(table, { column: name, from: at, to: undefined, predicate: undefined });
        } catch {
          await expect(own).rejects.toThrow('cannot be said in a column of the type');
          continue;
        }
        expect(`("${name}" >= ${await own})`).toBe(wanted);
      }
    }
  });

  test('about the instants of a slice, which name it', async () => {
    for (const at of ['2026-11-01T00:00:00Z', '2026-11-01T23:59:59.120Z', '1999-12-31T12:00:00Z'])
      expect(await ask(`select backfill_ledger.iso('${at}')`)).toBe(toIso(instant(Date.parse(at))));
  });

  test('about every bound that a slice can have, in any zone of the session', async () => {
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', '+05:30', '-03:00');
    const step: fc.Arbitrary<TimeStep> = fc.oneof(
      fc.record({
        kind: fc.constant('floor' as const),
        unit: fc.constantFrom('hour', 'day', 'week', 'month', 'quarter', 'year'),
        zone,
      }),
      fc.record({
        kind: fc.constant('shift' as const),
        offset: fc.record({
          months: fc.integer({ min: -3, max: 3 }),
          days: fc.integer({ min: -9, max: 9 }),
          ms: fc.constantFrom(0, 3_600_000, -5_400_000),
        }),
        zone,
      }),
    );
    const expression = fc.record({
      anchor: fc.constantFrom('start' as const, 'end' as const),
      steps: fc.array(step, { maxLength: 3 }),
    });
    const start = fc.integer({ min: 0, max: 800 * 24 }).map((hours) => Date.UTC(2024, 0, 1) + hours * 3_600_000);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(expression, start, fc.constantFrom('UTC', 'Asia/Kolkata', 'America/New_York')), {
          minLength: 20,
          maxLength: 20,
        }),
        async (cases) => {
          for (const [one, at, sessionZone] of cases) {
            const interval = { start: instant(at), end: instant(at + dayMs) };
            await session.query(`set timezone = '${sessionZone}'`);
            const sql = timeSql(one, { start: quoted(toIso(interval.start)), end: quoted(toIso(interval.end)) });
            expect([sql, await ask(`select backfill_ledger.iso(${sql})`)]).toEqual([
              sql,
              toIso(exactTime(one, interval)),
            ]);
          }
        },
      ),
      { numRuns: 12 },
    );
    await session.query('reset timezone');
  });
});

test.each(engines)('an older ledger gets the functions on %s', async (engine) => {
  const fixture = await openFixture(engine);
  const newer = Object.entries(upgradeLedgerSql).flatMap(([version, made]) => (Number(version) > 3 ? made : []));
  const older = createLedgerSql.filter((statement) => !newer.includes(statement));
  await sql(fixture.warehouse, ...older, 'update backfill_ledger.meta set version = 3');
  const ledger = sqlLedgerStore(fixture.warehouse);
  await ledger.listRuns(1);
  await ledger.close();
  expect(await scalar(fixture.warehouse, "select to_regproc('backfill_ledger.begin_slice') is not null")).toBe('t');
  expect(await scalar(fixture.warehouse, 'select max(version) from backfill_ledger.meta')).toBe(String(ledgerVersion));
  await fixture.close();
});
