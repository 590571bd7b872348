import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReadFact } from '../../src/core/lineage/facts/facts.ts';
import { windowRange } from '../../src/core/lineage/facts/window-range.ts';
import { renderTemplate } from '../../src/core/template/render/render.ts';
import type { DataInterval } from '../../src/core/time/intervals/data-interval.ts';
import { floorTo } from '../../src/core/time/zones/floor.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import { shift } from '../../src/core/time/zones/shift.ts';
import { lawRuns } from '../support/laws.ts';
import { workspace } from '../unit/lineage/workspace.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York'] as const;
const types = ['timestamptz', 'timestamp', 'date'] as const;
type Type = (typeof types)[number];
const dayMs = 86_400_000;
const first = Date.UTC(2024, 1, 10) / 1000;
const last = Date.UTC(2024, 3, 20) / 1000;
let db: PGlite;

beforeAll(async () => {
  db = await PGlite.create();
  await db.exec("set timezone = 'UTC'");
  for (const type of types) {
    for (const [name, step] of [
      ['src', '1 hour'],
      ['other', '5 hours'],
    ] as const) {
      const table = `${name}_${type}`;
      await db.exec(`create table ${table} (ts ${type}, at bigint);
        insert into ${table} select t at time zone 'UTC', extract(epoch from t)::bigint * 1000
        from generate_series(to_timestamp(${first}), to_timestamp(${last}), interval '${step}') t`);
    }
  }
  await db.exec(`update src_timestamptz set ts = to_timestamp(at / 1000);
    update other_timestamptz set ts = to_timestamp(at / 1000)`);
});
afterAll(() => db.close());

const bases = [
  "'{{ data_interval_start }}'",
  "'{{ data_interval_end }}'",
  "'{{ ds }}'",
  "'{{ macros.ds_add(ds, -2) }}'",
];
const edge = fc
  .tuple(
    fc.constantFrom(...bases),
    fc.constantFrom('::timestamptz', '::timestamp', '::date'),
    fc.constantFrom('', '', "- interval '1 day'", "+ interval '26 hours'", "- interval '1 month'"),
  )
  .map(([base, type, moved]) => `${base}${type} ${moved}`);

/** `#`: the column. */
const shown = fc.constantFrom(
  '#',
  '#',
  '#::date',
  "date_trunc('day', #)",
  "date_trunc('day', # + interval '90 minutes')",
  "date_trunc('week', # + interval '1 day') - interval '1 day'",
  "(date_trunc('month', #) + interval '1 month')",
  "date_trunc('day', # at time zone 'Europe/Berlin')",
  "(date_trunc('day', # at time zone 'Europe/Berlin') at time zone 'Europe/Berlin')",
  "to_char(#, 'YYYY-MM-DD')::timestamp",
);
const comparison = fc.tuple(shown, fc.constantFrom('<', '<=', '>', '>=', '='), edge).map((parts) => parts.join(' '));
const { condition } = fc.letrec((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'c' },
    { weight: 4, arbitrary: comparison },
    { weight: 3, arbitrary: fc.tuple(tie('condition'), tie('condition')).map((all) => `(${all.join(' and ')})`) },
    { weight: 1, arbitrary: fc.tuple(tie('condition'), tie('condition')).map((all) => `(${all.join(' or ')})`) },
    { weight: 1, arbitrary: tie('condition').map((inner) => `not (${inner})`) },
    {
      weight: 1,
      arbitrary: fc.tuple(shown, edge, edge).map(([side, low, high]) => `${side} between ${low} and ${high}`),
    },
  ),
})) as { condition: fc.Arbitrary<string> };

/** `{c}`: the condition on a column `t`; `{o.c}`, `{s.c}`: on the tables' own column. */
const carriers = [
  'select at from src where {c ts}',
  'with x as (select at, ts as t from src) select at from x where {c t}',
  'with x as (select at, ts from src), y (a, t) as (select at, ts from x) select a from y where {c t}',
  'with x as (select at, ts::date as t from src) select at from x where {c t}',
  "with x as (select at, date_trunc('day', ts) as t, ts + interval '1 day' u from src) select at from x where {c t}",
  "select at from (select at, ts - interval '1 day' as t from src) q where {c q.t}",
  'select at from (select at, ts as t from src where at % 7 = 0 union all select at, ts from src where {c ts}) q where {c t}',
  'select o.at, s.at from other o join src s on s.ts = o.ts where {c o.ts}',
  'select o.at, s.at from other o, src s where s.ts::date = o.ts::date and {c o.ts}',
  "select o.at, count(s.at) from other o join src s on s.ts between o.ts - interval '1 hour' and o.ts where {c o.ts} group by 1",
  "select o.at, count(s.at) from other o left join src s on s.ts > o.ts - interval '1 day' and s.ts <= o.ts where {c o.ts} group by 1",
  "select o.at, count(s.at) from src s join other o on date_trunc('day', s.ts) = o.ts where {c s.ts} group by 1",
  "select o.at, count(s.at) from other o right join src s on o.ts <= s.ts and o.ts + interval '1 day' > s.ts where {c o.ts} group by 1",
  'select o.at, s.at from other o full join src s on s.ts = o.ts and {c o.ts}',
  'select at from src where ts in (select ts from other where {c ts})',
  'select at from src where ts::date in (select ts::date from other where {c ts})',
  'select at from other where {c ts} and exists (select 1 from src where src.ts = other.ts)',
  'select at from other where exists (select 1 from src where {c ts} and src.at = other.at)',
  'select at from src where {c ts} order by at limit 3',
] as const;

/** Carriers behind which no condition holds for the rows that are read. */
const keepsAll = /full join|limit/;

interface Case {
  readonly carrier: string;
  readonly conditions: readonly [string, string];
  readonly srcType: Type;
  readonly otherType: Type;
}

const textOf = ({ carrier, conditions }: Case): string => {
  let at = 0;
  return carrier.replace(/\{c ([\w.]+)\}/g, (_, column: string) =>
    (conditions[at++] ?? 'true').replaceAll('#', column),
  );
};

/** The rows of a table that may matter: those that the window of some read of it touches. */
function touched(table: string, type: Type, reads: readonly ReadFact[], interval: DataInterval): string {
  const [at, length] = type === 'date' ? [`(at / ${dayMs} * ${dayMs})`, dayMs] : ['at', 1];
  const parts = reads
    .filter((read) => read.table === table)
    .map(({ window }) => {
      if (window.kind !== 'range') return 'true';
      const { from, to } = windowRange(window, interval);
      const low = Number.isFinite(from) ? `${at} + ${length} > ${from}` : 'true';
      return Number.isFinite(to) ? `(${low} and ${at} < ${to})` : low;
    });
  return parts.length === 0 ? 'false' : parts.join(' or ');
}

describe('rows outside of the windows change nothing in what PostgreSQL answers', () => {
  it.each(carriers)('%s', async (carrier) => {
    let bounded = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record<Case>({
          carrier: fc.constant(carrier),
          conditions: fc.tuple(condition, condition),
          srcType: fc.constantFrom(...types),
          otherType: fc.constantFrom(...types),
        }),
        fc.constantFrom(...zones),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom('hour', 'day'),
        async (one, zone, sessionInZone, isSaid, offset, grain) => {
          const query = textOf(one);
          const session = sessionInZone ? zone : 'UTC';
          const load = (table: string) =>
            `delete from ${table} where ts >= ${bases[0]} and ts < ${bases[1]}; insert into ${table} select 1`;
          const facts = workspace({
            s: {
              tasks: {
                src: `create table if not exists src (ts ${one.srcType}, at bigint); ${load('src')}`,
                other: `create table if not exists other (ts ${one.otherType}, at bigint); ${load('other')}`,
              },
            },
            d: { zone, ...(isSaid ? { session } : {}), tasks: { t: `insert into t ${query}` } },
          });
          const reads = facts.facts.get('d.t')?.reads ?? [];
          if (reads.some(({ window }) => window.kind === 'unknown')) return;
          if (reads.some(({ window }) => window.kind === 'range')) bounded++;
          const midnight = floorTo(instant(Date.UTC(2024, 2, 1, 12) + offset * dayMs), 'day', zone);
          const interval =
            grain === 'day'
              ? { start: midnight, end: shift(midnight, { months: 0, days: 1, ms: 0 }, zone) }
              : { start: instant(midnight + 7 * 3_600_000), end: instant(midnight + 8 * 3_600_000) };
          const answer = `select count(*)::text || ' ' || coalesce(sum(hashtext(q::text)), 0) a from (${query}) q`;
          const rendered = renderTemplate(answer, {
            interval,
            zone,
            dagId: 'd',
            taskId: 't',
            params: {},
            variables: {},
            airflowVersion: 2,
          });
          if (!rendered.ok) throw new Error(rendered.reason);
          const answerOver = async (src: string, other: string): Promise<unknown> => {
            await db.exec(`create or replace temp view src as select * from src_${one.srcType} where ${src};
              create or replace temp view other as select * from other_${one.otherType} where ${other}`);
            const result = await db.query<{ a: string }>(rendered.text).catch((error: Error) => error.message);
            await db.exec('drop view src; drop view other');
            return typeof result === 'string' ? result : result.rows[0]?.a;
          };
          await db.exec(`set timezone = '${session}'`);
          const src = touched('src', one.srcType, reads, interval);
          const other = touched('other', one.otherType, reads, interval);
          const [all, within] = [await answerOver('true', 'true'), await answerOver(src, other)];
          expect(within, `${rendered.text}\nsrc: ${src}\nother: ${other}`).toBe(all);
        },
      ),
      { numRuns: lawRuns(25) },
    );
    expect(bounded > 2 || keepsAll.test(carrier)).toBe(true);
  });
});
