import { PGlite } from '@electric-sql/pglite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { windowRange } from '../../src/core/lineage/facts/window-range.ts';
import { renderTemplate } from '../../src/core/template/render/render.ts';
import { floorTo } from '../../src/core/time/zones/floor.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import { toIso } from '../../src/core/time/zones/iso.ts';
import { shift } from '../../src/core/time/zones/shift.ts';
import { lawRuns } from '../support/laws.ts';
import { workspace } from '../unit/lineage/workspace.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'] as const;
const types = ['timestamptz', 'timestamp', 'date'] as const;
type Type = (typeof types)[number];

const first = Date.UTC(2024, 1, 1);
const last = Date.UTC(2024, 4, 1);
const halfHour = 1_800_000;
let db: PGlite;

beforeAll(async () => {
  db = await PGlite.create();
  await db.exec("set timezone = 'UTC'");
  for (const type of types) {
    await db.exec(`create table src_${type} (ts ${type}, at bigint);
      insert into src_${type} select t at time zone 'UTC', extract(epoch from t)::bigint * 1000
      from generate_series(to_timestamp(${first / 1000}), to_timestamp(${last / 1000}), interval '30 minutes') t`);
  }
  // A moment keeps its instant; the naive types hold what a clock in UTC shows.
  await db.exec('update src_timestamptz set ts = to_timestamp(at / 1000)');
});
afterAll(() => db.close());

const start = "'{{ data_interval_start }}'";
const end = "'{{ data_interval_end }}'";
const lengths = ['1 day', '6 days', '23 hours', '1 month', '2 weeks', '90 minutes'] as const;

const edge = fc
  .record({
    base: fc.constantFrom(
      start,
      end,
      "'{{ ds }}'",
      "'{{ ts }}'",
      "'{{ data_interval_end | ds }}'",
      "'{{ macros.ds_add(ds, -3) }}'",
      "'{{ ds }} 06:00:00'",
    ),
    type: fc.constantFrom('::timestamptz', '::timestamp', '::date'),
    unit: fc.constantFrom(undefined, undefined, 'hour', 'day', 'week', 'month'),
    length: fc.option(fc.constantFrom(...lengths), { nil: undefined }),
    sign: fc.constantFrom('+', '-'),
  })
  .map(({ base, type, unit, length, sign }) => {
    const floored = unit === undefined ? `${base}${type}` : `date_trunc('${unit}', ${base}${type})`;
    return length === undefined ? floored : `${floored} ${sign} interval '${length}'`;
  });
const column = fc.constantFrom(
  'ts',
  'ts',
  'ts::date',
  "date_trunc('day', ts)",
  "date_trunc('week', ts)",
  "(ts + interval '1 hour')",
);
const comparison = fc.tuple(column, fc.constantFrom('<', '<=', '>', '>=', '='), edge).map((parts) => parts.join(' '));
const condition = fc.oneof(
  { weight: 3, arbitrary: fc.array(comparison, { minLength: 1, maxLength: 3 }).map((all) => all.join(' and ')) },
  { weight: 1, arbitrary: fc.tuple(comparison, comparison).map(([a, b]) => `(${a} or ${b})`) },
  {
    weight: 1,
    arbitrary: fc.tuple(column, edge, edge).map(([side, low, high]) => `${side} between ${low} and ${high}`),
  },
);

/** The instants that a stored value stands for: a moment, or a whole UTC day. */
const covered = (at: number, type: Type): [number, number] => {
  if (type !== 'date') return [at, at + 1];
  const day = Math.floor(at / 86_400_000) * 86_400_000;
  return [day, day + 86_400_000];
};

describe('no row that PostgreSQL reads lies outside of the window', () => {
  it.each(types)('of a column of type %s', async (type) => {
    let bounded = 0;
    await fc.assert(
      fc.asyncProperty(
        condition,
        fc.constantFrom(...zones),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 0, max: 40 }),
        fc.constantFrom('hour', 'day'),
        async (where, zone, sessionInZone, isSaid, offset, grain) => {
          const session = sessionInZone ? zone : 'UTC';
          const sql = `insert into t select * from src where ${where}`;
          const ddl = `create table if not exists src (ts ${type}, at bigint)`;
          const facts = workspace({
            s: {
              tasks: { ddl, load: `delete from src where ts >= ${start} and ts < ${end}; insert into src select 1` },
            },
            d: { zone, ...(isSaid ? { session } : {}), tasks: { t: sql } },
          });
          const window = facts.facts.get('d.t')?.reads[0]?.window;
          expect(window?.kind, where).toMatch(/range|unbounded/);
          if (window?.kind !== 'range') return;
          bounded++;
          const midnight = floorTo(instant(Date.UTC(2024, 2, 1, 12) + offset * 86_400_000), 'day', zone);
          const interval =
            grain === 'day'
              ? { start: midnight, end: shift(midnight, { months: 0, days: 1, ms: 0 }, zone) }
              : { start: instant(midnight + 7 * halfHour * 2), end: instant(midnight + 8 * halfHour * 2) };
          const rendered = renderTemplate(`select at from src_${type} as src where ${where}`, {
            interval,
            zone,
            dagId: 'd',
            taskId: 't',
            params: {},
            variables: {},
            airflowVersion: 2,
          });
          if (!rendered.ok) throw new Error(rendered.reason);
          await db.exec(`set timezone = '${session}'`);
          const { rows } = await db.query<{ at: number }>(rendered.text);
          const { from, to } = windowRange(window, interval);
          const outside = rows
            .map(({ at }) => Number(at))
            .filter((at) => {
              const [a, b] = covered(at, type);
              return !(a < to && b > from);
            });
          expect(
            outside.slice(0, 3).map((at) => new Date(at).toISOString()),
            `${rendered.text}\nwindow ${toIso(from)} … ${toIso(to)}`,
          ).toEqual([]);
        },
      ),
      { numRuns: lawRuns(150) },
    );
    expect(bounded).toBeGreaterThan(50);
  });
});
