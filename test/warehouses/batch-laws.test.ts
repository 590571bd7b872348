import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sqlLedgerStore } from '../../src/core/ledger/sql-ledger-store.ts';
import { joinUnits } from '../../src/core/run/batch/join-units.ts';
import { isApart } from '../../src/core/run/batch/varying-text.ts';
import { runPlan } from '../../src/core/run/order/run-plan.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { defaultRunOptions } from '../../src/core/run/unit/run-options.ts';
import type { UnitExecutor } from '../../src/core/run/unit/unit-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import type { Session, Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { planOf as plan } from '../support/fake-run.ts';
import { lawRuns } from '../support/laws.ts';
import { job, neverAborted, realClock, sql, useFixture } from '../support/warehouse-fixture.ts';

const dayMs = 86_400_000;
const firstDay = Date.parse('2026-11-01T00:00:00Z');
const day = (index: number): string => new Date(firstDay + index * dayMs).toISOString().slice(0, 10);
const bare = (index: number): string => day(index).replaceAll('-', '');

/** How a source says which day a row is of: its column, and conditions that pick the rows of a day. */
const sources: readonly {
  readonly type: string;
  readonly value: string;
  readonly asDay: string;
  readonly conditions: readonly ((d: number) => string)[];
}[] = [
  {
    type: 'date',
    value: 'd',
    asDay: 's.at',
    conditions: [
      (d) => `s.at = '${day(d)}'`,
      (d) => `s.at >= '${day(d)}' and s.at < '${day(d + 1)}'`,
      (d) => `(s.at >= date '${day(d)}' and date '${day(d + 1)}' > s.at)`,
      (d) => `s.at = '${day(d)}'::date`,
      (d) => `s.at between '${day(d)}' and '${day(d)}'`,
      (d) => `s.at >= '${day(d)}'::date and s.at < '${day(d)}'::date + 1`,
      (d) => `s.at > '${day(d - 1)}' and s.at <= '${day(d)}'`,
      (d) => `s.at >= '${day(d - 1)}' and s.at < '${day(d + 1)}'`,
      (d) => `s.at <= '${day(d)}'`,
    ],
  },
  {
    type: 'timestamp',
    value: "d + interval '1 hour' * (i % 24)",
    asDay: 's.at::date',
    conditions: [
      (d) => `s.at >= '${day(d)}T00:00:00' and s.at < '${day(d + 1)}T00:00:00'`,
      (d) => `s.at >= '${day(d)}' and s.at < '${day(d + 1)}'`,
      (d) => `date_trunc('day', s.at) = '${day(d)}'`,
      (d) => `s.at::date = '${day(d)}'`,
      (d) => `to_char(s.at, 'YYYYMMDD') = '${bare(d)}'`,
      (d) => `s.at >= timestamp '${day(d)}' and s.at < timestamp '${day(d)}' + interval '1 day'`,
      (d) => `s.at::date = '${day(d)}' and s.at >= '${day(d)} 03:00' and s.at < '${day(d + 1)} 03:00'`,
    ],
  },
  {
    type: 'timestamptz',
    value: "(d + interval '1 hour' * (i % 24)) at time zone 'UTC'",
    asDay: "(s.at at time zone 'UTC')::date",
    conditions: [
      (d) => `s.at >= '${day(d)}T00:00:00+00:00' and s.at < '${day(d + 1)}T00:00:00+00:00'`,
      (d) => `(s.at at time zone 'UTC')::date = '${day(d)}'`,
    ],
  },
  { type: 'text', value: "to_char(d, 'YYYY-MM-DD')", asDay: 's.at::date', conditions: [(d) => `s.at = '${day(d)}'`] },
  {
    type: 'int',
    value: "to_char(d, 'YYYYMMDD')::int",
    asDay: "to_date(s.at::text, 'YYYYMMDD')",
    conditions: [(d) => `s.at = ${bare(d)}`, (d) => `s.at >= ${bare(d)} and s.at < ${bare(d + 1)}`],
  },
];

/** What the query gives: select list and what comes behind the condition. `%` stands for the day as a value. */
const queries: readonly { readonly list: string; readonly rest: string; readonly join?: string }[] = [
  { list: '%, k, n', rest: '' },
  { list: '%, k, sum(n)', rest: 'group by 1, k' },
  { list: '%, k, sum(n)', rest: 'group by k, % having sum(n) > 3' },
  { list: '%, s.k, sum(s.n * o.n)', join: 'join other o on o.k = s.k', rest: 'group by 1, 2' },
  { list: '%, s.k, coalesce(o.n, -1)', join: 'left join other o on o.k = s.k', rest: '' },
  { list: 'distinct %, k, n', rest: '' },
  { list: '%, k, max(n)', rest: 'group by 1, k order by 2' },
  { list: "%, k, case when % > date '2026-11-03' then n else -n end", rest: '' },
  { list: '%, k, (select max(o.n) from other o where o.k = s.k)', rest: '' },
  { list: '%, 1, count(*)', rest: '' },
  { list: '%, k, row_number() over (order by n, k)', rest: '' },
  { list: '%, k, n', rest: 'order by n, k limit 3' },
  { list: '%, k, n', rest: 'union all select %, -1, 1' },
  { list: '%, k, 6 / (n - 5)', rest: '' },
];

/** How a query says the day of a row: of the row, or of the run; `''`: as the row's own day. */
const days: readonly ((asDay: string, d: number) => string)[] = [
  (asDay) => asDay,
  (_, d) => `date '${day(d)}'`,
  (_, d) => `'${day(d)}'::date`,
  (_, d) => `cast('${day(d)}' as date)`,
  (_, d) => `to_date('${bare(d)}', 'YYYYMMDD')`,
  (asDay) => `${asDay} + 1`,
];

const slices: readonly ((d: number) => string)[] = [
  (d) => `day >= '${day(d)}' and day < '${day(d + 1)}'`,
  (d) => `day = '${day(d)}'`,
  (d) => `day = date '${day(d)}' and kind is null`,
];

const shapes = [
  '',
  'alter table target add primary key (day, k)',
  'alter table target add unique (k, n)',
  'alter table target add primary key (day, k); alter table target add check (n < 40)',
  'alter table target add twice bigint generated always as (n * 2) stored',
  "alter table target add loaded text default 'x'",
  'create trigger t before insert on target for each row execute function keep_row()',
  'alter table target add exclude (day with =, k with =, n with =)',
];

/** What is in the slices before. */
const befores = [
  '',
  'insert into target (day, k, n) select d, i, i from days cross join generate_series(0, 3) i',
  "insert into target (day, k, n) select d, 7, 100 from days where d > '2026-11-02'",
  'insert into target (day, k, n) select d, i, 0 from days cross join generate_series(0, 30) i where d = (select min(d) + 2 from days)',
];

const arbitrary = fc.record({
  source: fc.nat(sources.length - 1),
  condition: fc.nat(20),
  query: fc.oneof({ weight: 5, arbitrary: fc.nat(8) }, { weight: 1, arbitrary: fc.nat(queries.length - 1) }),
  days: fc.oneof({ weight: 5, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(days.length - 1) }),
  slice: fc.nat(slices.length - 1),
  shape: fc.oneof({ weight: 3, arbitrary: fc.nat(5) }, { weight: 1, arbitrary: fc.nat(shapes.length - 1) }),
  before: fc.nat(befores.length - 1),
  keyed: fc.boolean(),
  indexed: fc.boolean(),
  perDay: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.constant(0) }),
  units: fc.integer({ min: 2, max: 9 }),
  batchDays: fc.integer({ min: 2, max: 9 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  hold: fc.boolean(),
  compare: fc.constantFrom('rows' as const, 'rows' as const, 'checksums' as const),
  change: fc.constantFrom(
    '',
    'update source set n = n + 1 where k = 1',
    'delete from source where k = 0',
    'delete from source where n % 3 = 1',
  ),
});
type Case = typeof arbitrary extends fc.Arbitrary<infer T> ? T : never;

/** The query of each is dearer together than one after the other. */
const byIndex: Case = {
  ...{ source: 0, condition: 1, query: 1, days: 0, slice: 0, shape: 1, before: 1, keyed: true, indexed: true },
  ...{ perDay: 4, units: 9, batchDays: 9, concurrency: 1, hold: false, compare: 'rows' },
  change: 'update source set n = n + 1 where k = 1',
};

function jobsOf(drawn: Case, schema: string, run: string, batchMs: number | undefined): ReadonlyMap<string, UnitJob> {
  const source = sources[drawn.source] as (typeof sources)[number];
  const condition = source.conditions[drawn.condition % source.conditions.length] as (d: number) => string;
  const query = queries[drawn.query] as (typeof queries)[number];
  const asDay = days[drawn.days] as (typeof days)[number];
  const slice = slices[drawn.slice] as (d: number) => string;
  const { units } = plan(Array.from({ length: drawn.units }, (_, index) => ({ task: 'd.t', index })));
  return new Map(
    units.map(({ id }, d) => {
      const value = asDay(source.asDay, d);
      const [list, rest] = [query.list, query.rest].map((text) => text.replaceAll('%', value));
      const made = job({
        run,
        unit: id,
        task: 'd.t',
        interval: { start: instant(firstDay + d * dayMs), end: instant(firstDay + (d + 1) * dayMs) },
        statements: [
          `delete from target where ${slice(d)}`,
          `insert into target (day, k, n) select ${list} from source s ${query.join ?? ''} where ${condition(d)} ${rest}`,
        ],
        slices: [
          {
            table: 'target',
            column: 'day',
            from: `${day(d)}T00:00:00.000Z`,
            to: `${day(d + 1)}T00:00:00.000Z`,
            predicate: slice(d),
            mode: 'delete+insert',
            key: drawn.keyed ? ['day', 'k'] : [],
            volatile: [],
          },
        ],
        options: {
          compare: drawn.compare,
          // A key shared with another slice fails a unit by itself, and in one go it is held before that: neither writes.
          holdShrinkPercent: drawn.hold && !hasOrder(drawn) ? 50 : undefined,
          batchMs,
          samples: 3,
          // Telling units apart by many comparisons is then dearer than to run the query of each by the index.
          settings: {
            search_path: schema,
            ...(drawn.indexed ? { enable_seqscan: 'off', cpu_operator_cost: '1' } : {}),
          },
        },
      });
      return [id, made];
    }),
  );
}

/** Side by side, which of two units fails on a key that they share is left to chance. */
const hasOrder = ({ shape }: Case): boolean => shapes[shape]?.includes('unique (k, n)') === true;

const fixture = useFixture('postgres');

beforeAll(async () => {
  await sql(
    fixture.warehouse,
    "create function public.keep_row() returns trigger language plpgsql as 'begin return new; end'",
  );
});

async function createTables(drawn: Case, schema: string): Promise<void> {
  const source = sources[drawn.source] as (typeof sources)[number];
  await sql(
    fixture.warehouse,
    `drop schema if exists ${schema} cascade`,
    `create schema ${schema}`,
    `set search_path = ${schema}, public`,
    `create table days as select date '2026-11-01' + i as d from generate_series(0, ${drawn.units - 1}) i`,
    `create table source as select ${source.value} as at, i % 4 as k, (i * 7 + extract(day from d)::int) % 11 as n
     from days cross join generate_series(0, ${drawn.perDay * 3}) i where ${drawn.perDay} > 0 and (extract(day from d)::int + i) % 5 <> 0`,
    `alter table source alter at type ${source.type} using at::text::${source.type}`,
    ...(drawn.indexed ? ['create index on source (at)', 'analyze source'] : []),
    'create table other (k int, n int)',
    'insert into other select i % 3, i from generate_series(0, 4) i',
    'create table target (day date, k int, n bigint, kind text)',
    ...(shapes[drawn.shape] ?? '').split(';').filter((text) => text.trim() !== ''),
  );
  await sql(fixture.warehouse, befores[drawn.before] || 'select 1').catch(() => undefined);
  await sql(fixture.warehouse, 'reset search_path');
}

let joined = 0;
/** Stages of several units, and statements that filled them. */
const filled = { stages: 0, statements: 0 };
/** Reasons of the last run; what fails together has to fail alone, too. */
const failures: string[] = [];

/** Everything that can be seen of a run and of its ledger, without times. */
async function outcomeOf(drawn: Case, schema: string, run: string, batchMs: number | undefined) {
  const { warehouse } = fixture;
  const jobs = jobsOf(drawn, schema, run, batchMs);
  const planned = plan([...jobs.keys()].map((_, index) => ({ task: 'd.t', index })));
  const executor = relationalExecutor(counting(warehouse), { clock: realClock, owner: 'law' });
  const counted: UnitExecutor = {
    ...executor,
    together: executor.together && {
      ...executor.together,
      execute: async (...given) => {
        const made = await (executor.together as NonNullable<UnitExecutor['together']>).execute(...given);
        if (!('apart' in made)) joined += made.length;
        else failures.push(made.apart);
        return made;
      },
    },
  };
  const ledger = sqlLedgerStore(warehouse);
  const result = await runPlan(
    {
      run,
      title: 'law',
      createdBy: 'law',
      plan: planned,
      jobs,
      refused: new Map(),
      options: {
        ...defaultRunOptions,
        concurrency: hasOrder(drawn) ? 1 : drawn.concurrency,
        maxAttempts: 1,
        vacuum: 'off',
      },
    },
    { executor: counted, ledger, clock: realClock, signal: neverAborted, onEvent: () => {} },
  );
  await executor.close();
  await ledger.close();
  const plain = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(run, 'RUN')
        .replaceAll(`${schema}.`, 'S.')
        .replace(/in the slice.*?"/g, '"'),
    );
  const rows = async (query: string) => (await sql(warehouse, query)).rows;
  return plain({
    outcome: result.outcome,
    units: result.units.map(({ durationMs: _, ...unit }) => unit),
    target: await rows(`select t::text from ${schema}.target t order by 1`),
    // Which versions of rows are left is of each table alone.
    versions: await rows(
      `select unit, slice, state, row_count, key_checksum, row_checksum, algorithm, schema_hash, statements_hash, code_hash,
         inputs::text, (diff::jsonb - 'rowVersions')::text as diff from backfill_ledger.versions where run = '${run}' order by unit, slice`,
    ),
    kept: await rows(`select unit, slice, line from backfill_ledger.before_rows where run = '${run}' order by 1, 2, 3`),
    records: await rows(
      `select unit, state, attempts, message, slices::text from backfill_ledger.units where run = '${run}' order by 1`,
    ),
    claims: await rows(`select unit from backfill_ledger.claims where run = '${run}'`),
  });
}

const counting = (warehouse: Warehouse): Warehouse => ({
  ...warehouse,
  connect: async (purpose) => {
    const session = await warehouse.connect(purpose);
    const query: Session['query'] = (text, values) => {
      if (text.includes('backfill slice')) {
        if (text.startsWith('create temporary table pg_temp.backfill_stage')) filled.stages++;
        if (text.startsWith('insert into pg_temp.backfill_stage')) filled.statements++;
      }
      return session.query(text, values);
    };
    return { query, cancel: () => session.cancel(), close: () => session.close(), backend: session.backend };
  },
});

let runs = 0;

describe('several intervals in one go', () => {
  test('leave the same tables, figures and records as one after the other', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (drawn) => {
        const number = ++runs;
        const [apart, together] = [`apart_${number}`, `together_${number}`];
        for (const schema of [apart, together]) await createTables(drawn, schema);
        for (const round of ['a', 'b']) {
          const alone = await outcomeOf(drawn, apart, `alone-${number}${round}`, undefined);
          const asked = drawn.batchDays * dayMs;
          failures.length = 0;
          const joint = await outcomeOf(drawn, together, `joint-${number}${round}`, asked);
          expect(joint).toEqual(alone);
          if (!JSON.stringify(alone).includes('"failed"'))
            expect(failures.filter((text) => text.includes('fail'))).toEqual([]);
          if (drawn.change === '') break;
          for (const schema of [apart, together]) {
            await sql(fixture.warehouse, `set search_path = ${schema}`, drawn.change, 'reset search_path');
          }
        }
      }),
      { numRuns: lawRuns(16), examples: [[byIndex]] },
    );
    // A law of which nothing went together would say nothing.
    expect(joined).toBeGreaterThan(runs);
    expect(filled.statements).toBeGreaterThan(filled.stages);
  });
});

test('intervals of a plain task are one piece of work by their SQL', () => {
  const drawn = {
    source: 0,
    condition: 0,
    query: 0,
    days: 0,
    slice: 0,
    shape: 1,
    units: 4,
    compare: 'rows',
    hold: true,
  };
  const jobs = [...jobsOf(drawn as Case, 's', 'r', dayMs * 7).values()];
  expect(isApart(joinUnits(jobs))).toBe(false);
});
