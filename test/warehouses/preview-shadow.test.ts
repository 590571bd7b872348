import { beforeAll, describe, expect, test } from 'vitest';
import { openPreview } from '../../src/core/run/relational/preview/preview.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { UnitOutcome } from '../../src/core/run/unit/unit-outcome.ts';
import {
  engines,
  job,
  neverAborted,
  realClock,
  scalar,
  shopTables,
  sql,
  useFixture,
} from '../support/warehouse-fixture.ts';

const env = { clock: realClock, owner: 'previewer' };
const clear = "delete from sales where day = '2026-11-01'";
const fill = "insert into sales select id, day, amount from orders where day = '2026-11-01'";
const sliced = (predicate = "day = '2026-11-01'", table = 'sales') => [
  { ...(job().slices[0] as UnitJob['slices'][number]), table, predicate },
];
const replacement = (statements: readonly string[] = [clear, fill], options: Partial<UnitJob['options']> = {}) =>
  job({ statements, slices: sliced(), options });

describe.each(engines)('a preview of one replacement on %s', (engine) => {
  const fixture = useFixture(engine);
  beforeAll(async () => {
    await sql(
      fixture.warehouse,
      ...shopTables,
      'update orders set amount = amount + 1 where id = 10',
      'create function next_amount(int) returns numeric language sql volatile as $$select coalesce(sum(amount), 0) from sales where id = $1$$',
      'create view sold as select * from sales',
      'create sequence numbers',
    );
  });

  const previewed = async (one: UnitJob, alone = true) => {
    const preview = openPreview(fixture.warehouse, env, 60_000, alone ? [one] : []);
    const outcome = await preview.executor.execute(one, neverAborted);
    return { outcome: bare(outcome), ...(await preview.end()) };
  };
  const bothWays = async (one: UnitJob) => {
    const [looked, ran] = [await previewed(one), await previewed(one, false)];
    expect(ran.way).toBe('transaction');
    expect(looked.outcome).toEqual(ran.outcome);
    return looked;
  };

  test.each(['rows', 'checksums', 'none'] as const)('compares %s without writing anything', async (compare) => {
    const before = await scalar(
      fixture.warehouse,
      "select string_agg(s::text || xmin::text, ';' order by id) from sales s",
    );
    const looked = await bothWays(replacement([clear, fill], { compare }));
    expect(looked).toMatchObject({
      way: 'query',
      traces: { deadRows: [], sequences: [] },
      outcome: { state: 'previewed', changed: true, slices: [compare === 'rows' ? { changed: 1 } : {}] },
    });
    expect(
      await scalar(fixture.warehouse, "select string_agg(s::text || xmin::text, ';' order by id) from sales s"),
    ).toBe(before);
  });

  test('holds a slice that would be empty, and calls an unchanged one unchanged', async () => {
    expect(await bothWays(replacement([clear, `${fill} and false`]))).toMatchObject({
      way: 'query',
      outcome: { state: 'held', code: 'empty' },
    });
    expect(
      await bothWays(
        replacement([
          clear,
          "insert into sales select * from orders where day = '2026-11-01' and id <> 10 union all select 10, '2026-11-01', 15",
        ]),
      ),
    ).toMatchObject({ way: 'query', outcome: { state: 'previewed', changed: false } });
  });

  test.each([
    [
      'rows outside of the slice',
      [clear, "insert into sales select id + 100, day, amount from orders where day >= '2026-11-01'"],
    ],
    ['a key that is there outside of the slice', [clear, `${fill} union all select 0, '2026-11-01', 5`]],
    ['a key that comes twice', [clear, `${fill} union all select 10, '2026-11-01', 5`]],
    ['NULL where there must be none', [clear, 'insert into sales (id, amount) select id, amount from orders']],
    ['a value that does not fit', [clear, `${fill} union all select 999, '2026-11-01', 1e12`]],
    ['a query that fails', [clear, `${fill} and 1 / (id - 10) > 0`]],
    [
      'the target behind a view',
      [
        clear,
        "insert into sales select o.id, o.day, o.amount + (select count(*) from sold s where s.id = o.id) from orders o where day = '2026-11-01'",
      ],
    ],
    [
      'the target behind a function',
      [clear, "insert into sales select id, day, amount + next_amount(id) from orders where day = '2026-11-01'"],
    ],
    [
      'the target as text',
      [
        clear,
        "insert into sales select id, day, amount + length(query_to_xml('select * from sales', true, true, '')::text) from orders where day = '2026-11-01'",
      ],
    ],
    ['a slice that another table cuts', [clear.replace("'2026-11-01'", '(select min(day) + 1 from orders)'), fill]],
  ])('runs the task where its query alone does not tell: %s', async (_, statements) => {
    const slices = sliced(/where (.*)$/.exec(statements[0] as string)?.[1]);
    const looked = await bothWays(job({ statements, slices }));
    expect(looked.way).toBe('transaction');
  });

  test('leaves a sequence as it is where the query only looks at it, and says so where it is used', async () => {
    const ran = await previewed(
      replacement([clear, `${fill} union all select 900 + nextval('numbers'), '2026-11-01', 5`]),
    );
    expect(ran).toMatchObject({
      way: 'transaction',
      outcome: { state: 'previewed', slices: [{ added: 1 }] },
      traces: { deadRows: [{ table: 'public.sales' }], sequences: ['public.numbers'] },
    });
  });

  test.each([
    ['nothing', 'select 1', 'query'],
    ['a trigger', 'create trigger t before insert on target for each row execute function touch()'],
    ['a rule', 'create rule r as on insert to target do also nothing'],
    ['a foreign key', 'alter table target add foreign key (id) references orders (id)'],
    ['a foreign key of another table', 'create table child (id int references target (id))'],
    ['an identity column', 'alter table target add n int generated always as identity'],
    ['a default that counts', "alter table target add n int default nextval('numbers')"],
    ['a function in a check', 'alter table target add check (next_amount(id) >= 0)'],
    [
      'a key that has NULL once',
      'update target set loaded = id; create unique index on target (loaded) nulls not distinct',
    ],
    ['a child', 'create table child () inherits (target)'],
    ['a parent', 'create table parent (id int not null); alter table target inherit parent'],
    ['row security', 'alter table target enable row level security'],
  ])('runs the task where its target does more than keep rows: %s', async (_, change, way = 'transaction') => {
    try {
      await sql(
        fixture.warehouse,
        'create table target (id int primary key, day date not null, amount numeric(10, 2), loaded int)',
        'insert into target select * from sales',
        "create function touch() returns trigger language plpgsql as 'begin new.amount = new.amount + 1; return new; end'",
        ...change.split('; '),
      );
      const statements = [clear.replace('sales', 'target'), fill.replace('sales', 'target (id, day, amount)')];
      const one = job({ statements, slices: sliced("day = '2026-11-01'", 'target') });
      expect(await previewed(one)).toMatchObject({ way });
    } finally {
      await sql(
        fixture.warehouse,
        'drop table if exists child, target, parent cascade',
        'drop function if exists touch',
      );
    }
  });

  describe('of several intervals', () => {
    const days = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
    const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString();
    const dayOf = (day: string, from: string, target = 'facts'): UnitJob =>
      job({
        unit: `shop.facts@${day}`,
        statements: [
          `delete from ${target} where day = '${day}'`,
          `insert into ${target} ${from.replaceAll('DAY', `'${day}'`)}`,
        ],
        slices: [
          { ...(sliced(`day = '${day}'`, target)[0] as UnitJob['slices'][number]), from: day, to: nextDay(day) },
        ],
      });
    const plain = 'select day, id, amount from orders where day = DAY';
    const previewAll = async (units: readonly UnitJob[], together: boolean) => {
      const preview = openPreview(fixture.warehouse, env, 60_000, together ? units : []);
      const outcomes: unknown[] = [];
      for (const unit of units) outcomes.push(bare(await preview.executor.execute(unit, neverAborted)));
      return { outcomes, ...(await preview.end()) };
    };
    const bothWaysAll = async (units: readonly UnitJob[]) => {
      const [looked, ran] = [await previewAll(units, true), await previewAll(units, false)];
      expect(ran.way).toBe('transaction');
      expect(looked.outcomes).toEqual(ran.outcomes);
      return looked;
    };
    beforeAll(() =>
      sql(
        fixture.warehouse,
        'create table facts (day date, id int, amount numeric, primary key (day, id))',
        'insert into facts select day, id, amount from orders where id <> 3',
        'create view told as select * from facts',
      ),
    );

    test('looks at each by itself where no row of one can meet one of another', async () => {
      const looked = await bothWaysAll(days.map((day) => dayOf(day, plain)));
      expect(looked).toMatchObject({
        way: 'query',
        outcomes: [{ changed: true, slices: [{ added: 1 }] }, { changed: false }, { changed: false }],
      });
    });

    test.each([
      ['a later one fails', [plain, plain, 'select day, 1, amount from orders where day = DAY']],
      [
        'a later one reads what an earlier one wrote, through a view',
        [plain, plain, 'select date DAY, 1, sum(amount) from told where day < DAY'],
      ],
      ['a later one is of another kind', [plain, plain, 'values (date DAY, 1, 2)']],
    ])('runs all of them, the ones before too, where %s', async (_, froms) => {
      const looked = await bothWaysAll(days.map((day, index) => dayOf(day, froms[index] as string)));
      expect(looked.way).toBe('transaction');
    });

    test('runs them where a key of one can be that of another, and where their slices overlap', async () => {
      const sales = 'select id, day, amount from orders where day = DAY';
      expect((await bothWaysAll(days.map((day) => dayOf(day, sales, 'sales')))).way).toBe('transaction');
      const twice = [days[0], days[1], days[1]].map((day) => dayOf(day, plain));
      expect((await bothWaysAll(twice)).way).toBe('transaction');
    });
  });

  test('fills defaults, generated columns and shorter types as the table does', async () => {
    await sql(
      fixture.warehouse,
      "create table shaped (id int, day date not null, label varchar(3) default 'abc', price numeric(6, 1) check (price > 0), twice numeric generated always as (price * 2) stored, loaded timestamptz default now(), tags text[], score float8, kind json)",
      'create unique index on shaped (day, id) where id > 0',
      'create unique index on shaped (day, lower(label), id)',
    );
    const statements = [
      clear.replace('sales', 'shaped'),
      "insert into shaped (price, day, id, score, tags, kind) select amount, day, id, amount / 3, array[id::text], json_build_object('a', id) from orders where day = '2026-11-01'",
    ];
    const one = job({
      statements,
      slices: sliced("day = '2026-11-01'", 'shaped').map((slice) => ({ ...slice, volatile: ['loaded'] })),
    });
    expect(await bothWays(one)).toMatchObject({ way: 'query', outcome: { changed: true, slices: [{ added: 10 }] } });
    await sql(fixture.warehouse, ...statements, 'update shaped set score = score + 1 where id = 11');
    expect(await bothWays(one)).toMatchObject({ way: 'query', outcome: { changed: true } });
    await sql(fixture.warehouse, 'drop table shaped');
  });
});

const bare = ({ durationMs: _, ...outcome }: UnitOutcome) => outcome;
