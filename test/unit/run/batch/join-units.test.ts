import { describe, expect, test } from 'vitest';
import { joinUnits } from '../../../../src/core/run/batch/join-units.ts';
import { mayJoin } from '../../../../src/core/run/batch/may-join.ts';
import { isApart } from '../../../../src/core/run/batch/varying-text.ts';
import type { UnitJob } from '../../../../src/core/run/unit/unit-job.ts';
import { job } from '../../../support/warehouse-fixture.ts';

const dayMs = 86_400_000;
const first = Date.parse('2026-11-01T00:00:00Z');
const dayOf = (index: number): string => new Date(first + index * dayMs).toISOString().slice(0, 10);

/** Three days of a task; `@` and `#` stand for the day and the one after it. */
const unitsOf = (query: string, predicate = "day >= '@' and day < '#'"): readonly UnitJob[] =>
  [0, 1, 2].map((index) => {
    const on = (text: string) => text.replaceAll('@', dayOf(index)).replaceAll('#', dayOf(index + 1));
    return job({
      statements: [on(`delete from sales where ${predicate}`), on(`insert into sales (day, k, n) ${query}`)],
      slices: [
        {
          table: 'sales',
          column: 'day',
          from: `${dayOf(index)}T00:00:00.000Z`,
          to: `${dayOf(index + 1)}T00:00:00.000Z`,
          predicate: on(predicate),
          mode: 'delete+insert',
          key: [],
          volatile: [],
        },
      ],
      options: { batchMs: 7 * dayMs },
    });
  });

const types = ['pg_catalog.date', 'pg_catalog.int4', 'pg_catalog.int8'];

function merged(query: string, predicate?: string): string {
  const units = joinUnits(unitsOf(query, predicate));
  return isApart(units) ? `apart: ${units.apart}` : (units.query.sql(types) ?? 'no type').replace(/\s+/g, ' ');
}

const number = "case when (s.at) < '2026-11-02' then 1 else case when (s.at) < '2026-11-03' then 2 else 3 end end";

describe('the query of several units', () => {
  test('reads from the first start to the last end, with the number of the unit as one more key', () => {
    const sql = merged(
      "select s.at, k, sum(n) from s where s.at >= '@' and s.at < '#' group by 1, k having sum(n) > 0",
    );
    expect(sql).toBe(
      `select s.at, k, sum(n), ${number} from s where (s.at) >= '2026-11-01' and (s.at) < '2026-11-04' ` +
        `group by 1, k, ${number} having sum(n) > 0`,
    );
  });

  test('has the literals of each unit in the select list, of the type of their column where they have none', () => {
    expect(merged("select '@', k, n from s where s.at = '@'")).toContain(
      `select ((array['2026-11-01', '2026-11-02', '2026-11-03']::pg_catalog.date[])[${number}]), k, n, ${number} from s`,
    );
    expect(merged("select date '@' as day, k, n from s where s.at = '@'")).toContain(
      `((array[date '2026-11-01', date '2026-11-02', date '2026-11-03'])[${number}]) as day, k, n`,
    );
    expect(merged("select '@'::date, k, n from s where s.at = '@'")).toContain("array['2026-11-01'::date, ");
  });

  test('takes rows of which all bounds are those of one unit', () => {
    const sql = merged("select s.at, k, n from s join o using (k) where s.at = '@' and o.at >= '@' and o.at < '#'");
    expect(sql).toContain("(s.at) in ('2026-11-01', '2026-11-02', '2026-11-03')");
    expect(sql).toContain(` and ${number} = ${number.replaceAll('s.at', 'o.at')}`);
  });

  test('bounds that are computed are compared by the database first', () => {
    const units = joinUnits(unitsOf("select s.at, k, n from s where s.at >= '@'::date and s.at < '@'::date + 1"));
    expect(isApart(units) ? units.apart : units.checks).toEqual([
      "('2026-11-01'::date + 1) = ('2026-11-02'::date)",
      "('2026-11-02'::date + 1) = ('2026-11-03'::date)",
    ]);
  });

  test.each([
    ["select s.at, k, n from s where s.at <= '@'", 'its bounds are not|reads more than its interval'],
    ["select s.at, k, n from s where s.at >= '2026-10-01' and s.at < '#'", 'reads more than its interval'],
    ["select s.at, k, n from s where s.at > '@' and s.at <= '#'", 'bounds'],
    ["select s.at, k, n from s where s.at >= '@' and s.at < '#' order by n limit 1", 'LIMIT'],
    ["select s.at, k, row_number() over (order by k) from s where s.at = '@'", 'window functions'],
    ["select s.at, k, n from s where s.at = '@' union all select '@', 1, 1", 'UNION'],
    ["with a as (select * from s where s.at = '@') select at, k, n from a", 'common tables'],
    ["select s.at, k, n from s join o on o.at = '@' where s.at = '@'", 'a join'],
    ["select s.at, k, (select max(n) from o where o.at = '@') from s where s.at = '@'", 'a query within its query'],
    ["select s.at, k, n from s where s.at = '@' or k = 1", 'bounds'],
    ["select s.at, k, n from s where not s.at = '@'", 'bounds'],
    ["select s.at, k, n from s where s.at = '@' and now() > s.at", 'now'],
    ['select s.at, k, n from s where k > 1', 'the same in each interval'],
    ["select s.at, k, n from sales s where s.at = '@'", 'does not read it'],
    ["select s.at, k, sum(n) from s where s.at = '@' group by rollup (s.at, k)", 'ROLLUP'],
  ])('%s goes by itself', (query, reason) => {
    const sql = merged(query);
    expect(sql).toMatch(/^apart: /);
    expect(sql).toMatch(new RegExp(reason));
  });

  test('tables that are named by the interval go by themselves', () => {
    const units = unitsOf("select s.at, k, n from s where s.at = '@'").map((unit, index) => ({
      ...unit,
      statements: unit.statements.map(({ text, at }) => ({ text: text.replace('from s ', `from s_${index} s `), at })),
    }));
    expect(joinUnits(units)).toEqual({ apart: 'the interval decides more of it than literals (s_0)' });
  });
});

test('units go together side by side and no longer than was asked for', () => {
  const [a, b, c] = unitsOf("select s.at, k, n from s where s.at = '@'") as [UnitJob, UnitJob, UnitJob];
  expect(mayJoin(a, a, b)).toBe(true);
  expect(mayJoin(a, a, c)).toBe(false);
  expect(mayJoin(a, b, c)).toBe(true);
  const two = { ...a, options: { ...a.options, batchMs: 2 * dayMs } };
  expect(mayJoin(two, two, b)).toBe(true);
  expect(mayJoin(two, b, c)).toBe(false);
  const none = { ...a, options: { ...a.options, batchMs: undefined } };
  expect(mayJoin(none, none, b)).toBe(false);
});
