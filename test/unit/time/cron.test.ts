import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseCron } from '../../../src/core/time/schedules/cron.ts';
import { cronTicks } from '../../../src/core/time/schedules/cron-ticks.ts';
import { type WallTime, wallTime } from '../../../src/core/time/zones/wall-time.ts';

/** croniter's own ticks of random expressions, in minutes from `base`; written by scripts/airflow/generate.sh. */
interface Fixture {
  readonly base: string;
  readonly expressions: readonly (readonly [
    expression: string,
    after: readonly number[] | null,
    before?: readonly number[],
  ])[];
}

const fixture: Fixture = JSON.parse(readFileSync(new URL('../../fixtures/time/crons.json', import.meta.url), 'utf8'));
const base = Date.parse(`${fixture.base}Z`);

function walk(from: WallTime, step: (wall: WallTime) => WallTime, times: number): number[] {
  const found: number[] = [];
  for (let wall = step(from); found.length < times; wall = step(wall)) found.push((wall - base) / 60_000);
  return found;
}

const rows = fixture.expressions.map(([expression, after, before]) => ({
  expression,
  ticks: after === null || before === undefined ? undefined : { after, before },
  parsed: parseCron(expression),
}));

test('what croniter refuses is refused', () => {
  const refusedThere = rows.filter(({ ticks }) => ticks === undefined);
  expect(refusedThere.length).toBeGreaterThan(50);
  expect(refusedThere.filter(({ parsed }) => parsed.cron !== undefined)).toEqual([]);
});

test('what is read gives the ticks of croniter, forwards and backwards', () => {
  let compared = 0;
  for (const { expression, ticks, parsed } of rows) {
    if (ticks === undefined || parsed.cron === undefined) continue;
    const own = cronTicks(parsed.cron);
    expect({ expression, after: walk(wallTime(base), own.next, ticks.after.length) }).toEqual({
      expression,
      after: ticks.after,
    });
    expect({ expression, before: walk(wallTime(base), own.previous, ticks.before.length) }).toEqual({
      expression,
      before: ticks.before,
    });
    compared += 1;
  }
  expect(compared).toBeGreaterThan(500);
});

test('of what croniter reads, only these kinds are refused', () => {
  const refused = rows.flatMap(({ ticks, parsed }) =>
    ticks === undefined || parsed.cron !== undefined ? [] : [parsed.reason.replace(/'[^']*'/, '…')],
  );
  expect([...new Set(refused)].sort()).toEqual([
    'a day of month together with an nth or last weekday is not read',
    'cron expressions with seconds or years are not read',
    'day of month … is not read',
    'day of week … is a range past the end with a step, which is not read',
    'day of week … is not read',
    'hour … is a range past the end with a step, which is not read',
    'minute … has a star among other values',
    'minute … is not read',
  ]);
});

test.each([
  '@once',
  '@hourly-ish',
  '@Quarterly',
  'constructor',
  ' @daily',
  '',
  '   ',
  '* * * *',
  '* * * * * *',
  'H H * * *',
  '0 0 * * mon#6',
  '\u00a00 0 * * *',
  '1e1 0 * * *',
])('refuses %j with a reason', (expression) => {
  const parsed = parseCron(expression);
  expect(parsed.cron).toBeUndefined();
  expect('reason' in parsed && parsed.reason).toMatch(/\w/);
});

test('presets are read whatever their case', () => {
  expect(parseCron('@Daily')).toEqual(parseCron('0 0 * * *'));
  expect(parseCron('@quarterly')).toEqual(parseCron('0 0 1 1,4,7,10 *'));
});
