import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import { makePlanFile, requestOf } from '../../../src/core/run/reviewed/make-plan-file.ts';
import { comparePlans } from '../../../src/core/run/reviewed/moved-on.ts';
import type { PlanFile, PlannedUnit } from '../../../src/core/run/reviewed/plan-file.ts';
import { planFileText, readPlanFile } from '../../../src/core/run/reviewed/plan-file-text.ts';
import { markedTitle, runsOfPlan } from '../../../src/core/run/reviewed/plan-mark.ts';
import { at, cadence, own, range, request, task } from '../plan/planning.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const daily = cadence('day', 'UTC', '2024-01-01', '2025-01-10');
const options = {
  compare: 'rows',
  samples: 5,
  holdShrinkPercent: 50,
  keepBeforeRows: 100,
  earlyCutoff: true,
  lockTable: undefined,
  lockTimeoutMs: 1,
  statementTimeoutMs: 1,
  leaseMs: 1,
  settings: { timezone: 'UTC', 'app.token': 'a secret' },
} as const;

const asked = request(['a'], range('2024-05-01', '2024-05-04'), { order: 'newest', without: ['c'] });
const file = (tasks = [task('a', daily), task('b', daily, { a: own })]): PlanFile =>
  makePlanFile(
    {
      title: 'a 2024-05-01 to 2024-05-04',
      request: asked,
      plan: makePlan(tasks, asked),
      prepared: { jobs: new Map(), refused: new Map() },
      connection: 'dw',
      target: 'postgres://host/shop',
      options,
      state: undefined,
      filesOf: (id) => [`dags/${id}.py`],
      text: (name) => `text of ${name}`,
      configFile: 'backfill.yaml',
    },
    digest,
  );
const reasons = (then: PlanFile, now: PlanFile) => comparePlans(then, now).movedOn.map(({ message }) => message);
const withUnit = (plan: PlanFile, position: number, change: (unit: PlannedUnit) => PlannedUnit): PlanFile => ({
  ...plan,
  units: plan.units.map((unit, index) => (index === position ? change(unit) : unit)),
});

test('a view that was redefined puts a plan out of date, one that is read no more only by itself', () => {
  const withViews = (...views: readonly (readonly [string, string])[]): PlanFile => ({
    ...file(),
    server: '16',
    views: views.map(([view, definition]) => ({ view, definition })),
  });
  const then = withViews(['mart.a', '16 x'], ['mart.b', '16 y']);
  const read = readPlanFile(planFileText(then, digest), digest);
  expect(read).toMatchObject({ ok: true, file: { views: then.views } });
  expect(reasons(then, then)).toEqual([]);
  expect(reasons({ ...then, views: undefined }, then)).toEqual([]);
  expect(reasons(then, withViews(['mart.a', '16 z']))).toEqual(['the view mart.a was redefined']);
  expect(reasons(then, withViews(['mart.a', '16 x']))).toEqual(['mart.b is not a view that is read any more']);
});

describe('a plan file', () => {
  test('reads back as it was written, whatever its layout, and asks for the same plan', () => {
    const written = planFileText(file(), digest);
    const read = readPlanFile(written, digest);
    expect(read).toMatchObject({ ok: true, file: file() });
    expect(readPlanFile(JSON.stringify(JSON.parse(written)), digest)).toEqual(read);
    expect(requestOf(file())).toEqual({ ...asked, allowExpired: false });
    const dates = {
      ...asked,
      selection: { kind: 'logical-dates', first: at('2024-05-01'), last: at('2024-05-03') },
    } as const;
    expect(requestOf({ ...file(), asked: { ...file().asked, logical: true, to: '2024-05-03T00:00:00Z' } })).toEqual({
      ...dates,
      allowExpired: false,
    });
  });

  test('has one line for each unit, and no value that may be a secret', () => {
    const written = planFileText(file(), digest);
    expect(written.split('\n').filter((line) => line.startsWith('    {"unit":'))).toHaveLength(file().units.length);
    expect(written).toContain('"connections.dw.settings.timezone": "UTC"');
    expect(written).not.toContain('a secret');
  });

  test('is refused in words for every way in which it can be broken', () => {
    const written = planFileText(file(), digest);
    const why = (text: string) => {
      const read = readPlanFile(text, digest);
      return read.ok ? 'read' : read.reason;
    };
    expect(why('')).toContain('cut off');
    for (const length of [1, 40, written.length >> 1, written.length - 3])
      expect(why(written.slice(0, length))).toContain('cut off');
    expect(why(`${written}}`)).toContain('not JSON');
    for (const other of ['[]', '7', 'null', '{"version":1}'])
      expect(['is no plan file', 'is cut off: its end is missing']).toContain(why(other));
    expect(why(written.replace('"backfillPlan": 1', '"backfillPlan": 9'))).toContain(
      'version 9, and this program reads version 1',
    );
    for (const edit of [
      written.replace('2024-05-04', '2024-05-05'),
      written.replace(/^.*"seal".*\n/m, ''),
      written.replace('"findings"', '"finding"'),
    ])
      expect(why(edit)).toContain('was changed after it was written');
  });

  test('says of a member that it cannot read where that is', () => {
    const odd = planFileText({ ...file(), now: 7 } as unknown as PlanFile, digest);
    expect(readPlanFile(odd, digest)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('now: expected a text'),
    });
  });

  test('marks the runs that are made of it', () => {
    const title = markedTitle('a', 'sha256:0123456789abcdef');
    expect(title).toBe('a (plan 0123456789ab)');
    const summary = { run: 'r', title, createdAt: at('2024-05-01'), createdBy: 'me', counts: {} } as const;
    const run = { ...summary, task: undefined, workedOnBy: undefined };
    expect(runsOfPlan([run, { ...run, title: 'a' }], 'sha256:0123456789abcdef')).toEqual([run]);
  });
});

describe('what has moved on', () => {
  test('is nothing where the same plan is made again, also where a file changed without it', () => {
    expect(comparePlans(file(), file())).toEqual({ movedOn: [], untouched: [] });
    const edited = { ...file(), files: file().files.map((one) => ({ ...one, hash: 'other' })) };
    expect(comparePlans(file(), edited)).toEqual({
      movedOn: [],
      untouched: ['backfill.yaml', 'dags/a.py', 'dags/b.py'],
    });
  });

  test('is said by its place: connection, settings, code and its file', () => {
    expect(reasons(file(), { ...file(), connection: 'other' })).toEqual([
      'it is planned for the connection dw, and this run is on other',
    ]);
    expect(reasons(file(), { ...file(), target: 'postgres://host/prod' })).toEqual([
      'connection dw was postgres://host/shop and is postgres://host/prod',
    ]);
    const settings = { ...file().settings, 'run.lockTable': 'true' };
    expect(reasons(file(), { ...file(), settings })).toEqual([
      'run.lockTable in backfill.yaml was not set and is true',
    ]);
    const recoded = { ...file(), tasks: file().tasks.map((one) => ({ ...one, code: `${one.code}x` })) };
    expect(reasons(file(), { ...recoded, files: [{ file: 'dags/a.py', hash: 'x' }] })).toEqual([
      'the code of a was changed in dags/a.py',
      'the code of b was changed in dags/b.py',
    ]);
    expect(reasons(file(), recoded)).toEqual([
      'the code of a was changed, in what its file reads or imports',
      'the code of b was changed, in what its file reads or imports',
    ]);
  });

  test('is said of units that come, go, wait, write or send otherwise, and of their order', () => {
    const shorter = { ...file(), units: file().units.slice(1) };
    const first = file().units[0]?.unit ?? '';
    expect(reasons(file(), shorter)[0]).toContain(`${first} would not run any more`);
    expect(reasons(shorter, file())[0]).toContain(`${first} would run as well`);
    expect(
      reasons(
        file(),
        withUnit(file(), 1, (unit) => ({ ...unit, waitsFor: [] })),
      )[0],
    ).toContain('would wait for others');
    expect(
      reasons(
        file(),
        withUnit(file(), 0, (unit) => ({ ...unit, sql: 'x' })),
      )[0],
    ).toContain('would send other SQL');
    expect(
      reasons(
        file(),
        withUnit(file(), 0, (unit) => ({ ...unit, slices: [] })),
      )[0],
    ).toContain('would write other rows');
    expect(reasons(file(), { ...file(), units: file().units.toReversed() })).toEqual([
      'the units would run in another order',
    ]);
  });

  test('is said of tables and rows, and of neither where one side did not look', () => {
    const tables = (...columns: readonly string[]) => [{ table: 'a', columns }];
    const looked = { ...file(), server: '16', tables: tables('ts date', 'x integer') };
    const held = (rows: number, content: string, plan: PlanFile = looked) =>
      withUnit(plan, 0, (unit) => ({ ...unit, slices: unit.slices.map((slice) => ({ ...slice, rows, content })) }));
    expect(reasons(held(3, 'p'), held(3, 'p'))).toEqual([]);
    const [slice] = file().units[0]?.slices ?? [];
    const where = `${slice?.from} to ${slice?.to}`;
    expect(reasons(held(3, 'p'), held(4, 'q'))).toEqual([`rows of a were changed: ${where} had 3 rows and has 4`]);
    expect(reasons(held(3, 'p'), held(3, 'q'))).toEqual([
      `rows of a were changed: ${where} has other values in its 3 rows`,
    ]);
    const wider = { ...looked, tables: tables('ts date', 'x bigint', 'y text') };
    expect(reasons(held(3, 'p'), held(3, 'q', wider))).toEqual([
      'the table a has x bigint, y text and has no more x integer',
    ]);
    expect(reasons(held(3, 'p'), held(3, 'q', { ...looked, server: '17' }))[0]).toContain('cannot be compared');
    expect(reasons(held(3, 'p'), held(4, 'q', { ...looked, server: undefined }))).toEqual([]);
    expect(reasons(looked, { ...looked, tables: [{ table: 'a' }] })).toEqual(['the table a is not there any more']);
  });
});
