import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { openPreview } from '../../src/core/run/relational/preview/preview.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import { lawRuns } from '../support/laws.ts';
import { engines, job, neverAborted, realClock, sql, useFixture } from '../support/warehouse-fixture.ts';

const env = { clock: realClock, owner: 'previewer' };

/** What a table may be beside its columns; each may refuse rows that a query gives. */
const shapes = [
  'create unique index on target (id)',
  'create unique index on target (day, id)',
  'create unique index on target (lower(label)) where id > 3',
  'create unique index on target (amount, day)',
  'alter table target add check (amount > -2)',
  "alter table target alter label set default 'none'",
  'alter table target alter label set not null',
  'alter table target alter label type varchar(2) using left(label, 2)',
  'alter table target alter amount type numeric(6, 1)',
  'alter table target alter amount type float8',
  'alter table target alter amount type int using amount::int',
  'alter table target add twice float8 generated always as (amount / 3) stored',
  'alter table target add loaded date default current_date',
  'alter table target drop column label, add label text',
  'alter table target add foreign key (id) references parent (id)',
];

const values = {
  id: ['o.id', 'o.id % 4', 'o.id + 1', 'null', 'nullif(o.id, 5)', '(row_number() over (order by o.id, o.amount))::int'],
  day: ['o.day', 'o.day', 'o.day', "date '2026-11-02'", 'o.day::timestamp', 'o.day + (o.id % 5 / 4)', 'null'],
  amount: [
    'o.amount',
    'o.amount / 3',
    '-o.amount',
    'o.id',
    'sum(o.amount) over (partition by o.id % 2)',
    'round(o.amount)',
    "'12.34'",
  ],
  label: ['o.label', 'upper(o.label)', 'o.label || o.id', "'x'", 'null', 'left(o.label, 1)'],
} as const;
type Column = keyof typeof values;

const someOf = <T>(items: readonly T[]) => fc.subarray([...items]);
const task = fc.record({
  shapes: someOf(shapes).chain((some) => fc.constant(some.slice(0, 3))),
  columns: fc.shuffledSubarray<Column>(['id', 'day', 'amount', 'label'], { minLength: 1 }),
  named: fc.boolean(),
  picks: fc.record({ id: fc.nat(), day: fc.nat(), amount: fc.nat(), label: fc.nat() }),
  // Days of the source and of the slice: mostly the same, so that rows mostly fall into the slice.
  source: fc.constantFrom(
    "o.day = '2026-11-02'",
    "o.day = '2026-11-02'",
    "o.day = '2026-11-02'",
    "o.day >= '2026-11-02' and o.day < '2026-11-03'",
    "o.day >= '2026-11-02'",
    'false',
  ),
  slice: fc.constantFrom<readonly [string, string | undefined]>(
    ["delete from target where day = '2026-11-02'", "day = '2026-11-02'"],
    [
      "delete from target t where t.day >= '2026-11-02' and t.day < '2026-11-03'",
      "day >= '2026-11-02' and day < '2026-11-03'",
    ],
    ["delete from target where day = '2026-11-02' and id > 2", "day = '2026-11-02' and id > 2"],
    ['delete from target', undefined],
    ['truncate target', undefined],
  ),
  from: fc.constantFrom(
    'from source o',
    'from source o',
    'from source o',
    'from (select * from source union all select * from source where id = 1) o',
    'from seen o',
    'from source o join (select distinct id from target) t using (id)',
  ),
  wrap: fc.constantFrom<(query: string) => string>(
    (query) => query,
    (query) => `with q as (${query}) select * from q`,
    (query) => `select distinct * from (${query}) q -- the last one`,
  ),
  // A part of what a run left, so that a preview finds rows that stay, change, come and go.
  edits: someOf([
    'update target set amount = amount + 1 where id = 2',
    'delete from target where id = 3',
    "insert into target (id, day, amount, label) values (77, '2026-11-02', 1, 'new')",
    "insert into target (id, day, amount, label) values (6, '2026-11-09', 1, 'q')",
    'update target set label = null where id = 4',
  ]),
  compare: fc.constantFrom('rows' as const, 'rows' as const, 'checksums' as const, 'none' as const),
  key: fc.constantFrom([], ['id'], ['day', 'id']),
  // The day after it as well, in the same preview.
  twoDays: fc.boolean(),
});

const aDayLater = (text: string): string =>
  text.replaceAll('2026-11-03', '2026-11-04').replaceAll('2026-11-02', '2026-11-03');

// Every case is some forty statements on a real server.
const runs = lawRuns(60);

describe.each(engines)('random replacements on %s', (engine) => {
  const fixture = useFixture(engine);
  beforeAll(async () => {
    await sql(
      fixture.warehouse,
      'create table parent (id int primary key)',
      'insert into parent select generate_series(0, 9)',
      'create table source (id int, day date, amount numeric, label text)',
      "insert into source select n % 8 + 1, date '2026-11-02' + n / 8, n * 1.25, chr(97 + n) from generate_series(0, 15) n",
      "insert into source values (3, '2026-11-02', null, null)",
      'create view seen as select id, day, amount, label from source where id <> 8',
    );
  });

  test('a preview by the query alone says what running the task and rolling it back says', async () => {
    const looked: [one: number, two: number] = [0, 0];
    let all = 0;
    await fc.assert(
      fc.asyncProperty(task, async (drawn) => {
        // Two days meet in more ways, so that fewer of them are asked at once.
        const made = drawn.twoDays
          ? { ...drawn, shapes: drawn.shapes.slice(0, 1), from: 'from source o', picks: { ...drawn.picks, day: 0 } }
          : drawn;
        await sql(
          fixture.warehouse,
          'drop table if exists target',
          'create table target (id int, day date, amount numeric, label text)',
        );
        for (const shape of made.shapes) await sql(fixture.warehouse, shape);
        const pick = (column: Column) => values[column][made.picks[column] % values[column].length];
        const order: readonly Column[] = made.named ? made.columns : (['id', 'day', 'amount', 'label'] as const);
        const query = `select ${order.map((column, index) => `${pick(column)} as c${index}`).join(', ')} ${made.from} where ${made.source}`;
        const [clear, predicate] = made.slice;
        const fill = `insert into target${made.named ? ` (${order.join(', ')})` : ''} ${made.wrap(query)}`;
        // As an earlier run may have left it, where it can.
        for (const statement of [fill, aDayLater(fill), ...made.edits])
          await sql(fixture.warehouse, statement).catch(() => undefined);
        const slices: UnitJob['slices'] = [
          {
            table: 'target',
            column: predicate === undefined ? undefined : 'day',
            from: predicate === undefined ? undefined : '2026-11-02T00:00:00.000Z',
            to: predicate === undefined ? undefined : '2026-11-03T00:00:00.000Z',
            predicate,
            mode: predicate === undefined ? 'full_replace' : 'delete+insert',
            key: made.key,
            volatile: [],
          },
        ];
        const one = job({ statements: [clear, fill], slices, options: { compare: made.compare } });
        const units = [one, JSON.parse(aDayLater(JSON.stringify(one))) as UnitJob].slice(0, made.twoDays ? 2 : 1);
        const byWay = async (together: boolean) => {
          const preview = openPreview(fixture.warehouse, env, 60_000, together ? units : []);
          const outcomes: Omit<UnitOutcome, 'durationMs'>[] = [];
          for (const unit of units) {
            const { durationMs: _, ...outcome } = await preview.executor.execute(unit, neverAborted);
            outcomes.push(outcome);
          }
          return { outcomes, ...(await preview.end()) };
        };
        const [together, ran] = [await byWay(true), await byWay(false)];
        expect(ran.way).toBe('transaction');
        expect(together.outcomes).toEqual(ran.outcomes);
        all++;
        if (together.way === 'query') {
          looked[units.length > 1 ? 1 : 0]++;
          for (const { state } of together.outcomes) expect(['previewed', 'held']).toContain(state);
        }
      }),
      { numRuns: runs },
    );
    // A law that never takes the way it is about holds of nothing.
    expect(looked[0]).toBeGreaterThan(all / 20);
    expect(looked[1]).toBeGreaterThan(0);
  });
});
