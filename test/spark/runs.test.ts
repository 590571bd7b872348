import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { runCli } from '../support/run-cli.ts';

let lake: LakeFixture;

const days = '--from 2026-11-01 --to 2026-11-03 --now 2026-11-10T00:00'.split(' ');

/** Runs the tasks and tells what became of their units, by task and day. */
async function run(task: string, ...more: readonly string[]) {
  const { out, err, code } = await runCli(
    ['run', `lake.${task}`, ...days, '--format', 'json', '--yes', ...more],
    lake.root,
  );
  const json = out.trim() === '' ? undefined : JSON.parse(out);
  return { json, code, err, units: (json?.units ?? []) as readonly Record<string, never>[] };
}

const states = (units: readonly Record<string, unknown>[]) => units.map(({ state }) => state);

beforeAll(async () => {
  const declared = [
    'tasks:',
    '  lake.parts: { writes: [{ table: runs.parts, columns: [y, m, d], slice: day of start }] }',
    '  lake.declared: { writes: [{ table: runs.declared, column: day, slice: day of start }] }',
  ];
  lake = await lakeFixture(inject('spark').url, 'runs', { config: declared.join('\n') });
  await lake.sql(
    `create table runs.visits (page string, at timestamp, amount decimal(20,4), ratio double, tags array<string>, day date)
     using parquet partitioned by (day)`,
    `insert into runs.visits values
      ('a', timestamp'2026-11-01 00:30:00', 1.5, double('NaN'), array('x', null), date'2026-11-01'),
      (null, null, null, null, null, date'2026-11-01'),
      ('b', timestamp'2026-11-02 23:30:00', 12345678901234.5678, double('-0.0'), array(), date'2026-11-02')`,
    `create table runs.daily (page string, at timestamp, amount decimal(20,4), ratio double, tags array<string>, m map<string,int>)
     using parquet partitioned by (day date)`,
    "insert overwrite runs.daily partition (day = '2026-11-09') values ('kept', null, 1, 1, null, map('a', 1))",
    'create table runs.totals (page string, visits bigint, day string, country string) using orc partitioned by (day, country)',
    "insert overwrite runs.totals values ('old', 1, '2026-11-01', 'DE'), ('old', 1, '2026-11-01', 'FR'), ('old', 2, '2026-11-01', 'AT')",
    'create table runs.emptied (page string) using parquet partitioned by (day date)',
    "insert overwrite runs.emptied values ('old', date'2026-11-01'), ('kept', date'2026-11-09')",
    'create table runs.added (page string) using parquet partitioned by (day date)',
    'create table runs.flat (page string, day date) using parquet',
    'create view runs.seen as select * from runs.daily',
    'create table runs.parts (page string, y int, m string, d int) using parquet partitioned by (y, m, d)',
    "insert into runs.parts values ('kept', 2026, '10', 1), ('old', 2026, '11', 1), ('kept', 2026, '11', 3)",
    'create table runs.random (page string, day date) using parquet partitioned by (day)',
    'create table runs.clocked (page string, day date) using parquet partitioned by (day)',
    'create table runs.declared (page string, day date) using parquet partitioned by (day)',
    "insert into runs.declared values ('kept', date'2026-11-09')",
  );
  lake.dag({
    daily: `INSERT OVERWRITE TABLE runs.daily PARTITION (day = '{{ ds }}')
            SELECT page, at, amount, ratio, tags, map('k', 1, 'l', null) FROM runs.visits WHERE day = '{{ ds }}'`,
    totals: `SET spark.sql.sources.partitionOverwriteMode = dynamic;
             INSERT OVERWRITE runs.totals PARTITION (day, country)
             SELECT coalesce(page, 'none'), count(*), day, country
             FROM (SELECT page, cast(day as string) as day, if(page is null, 'FR', 'DE') as country FROM runs.visits
                   WHERE day >= '{{ ds }}' AND day < '{{ data_interval_end | ds }}') v
             WHERE day = '{{ ds }}' GROUP BY page, day, country`,
    none: `INSERT OVERWRITE TABLE runs.emptied PARTITION (day = '{{ ds }}')
           SELECT page FROM runs.visits WHERE day = '{{ ds }}' AND page = 'nobody'`,
    whole: "INSERT OVERWRITE runs.everything SELECT page, day FROM runs.visits WHERE day = '{{ ds }}'",
    adds: "INSERT INTO runs.added PARTITION (day = '{{ ds }}') SELECT page FROM runs.visits WHERE day = '{{ ds }}'",
    flat: "INSERT OVERWRITE runs.flat PARTITION (day = '{{ ds }}') SELECT page FROM runs.visits WHERE day = '{{ ds }}'",
    random:
      "INSERT OVERWRITE TABLE runs.random PARTITION (day = '{{ ds }}') SELECT uuid() FROM runs.visits WHERE day = '{{ ds }}'",
    clocked: `INSERT OVERWRITE TABLE runs.clocked PARTITION (day = '{{ ds }}')
              SELECT cast(current_date() as string) FROM runs.visits WHERE day = '{{ ds }}'`,
    parts: `INSERT OVERWRITE runs.parts PARTITION (y = {{ logical_date.year }}, m = '{{ logical_date.strftime("%m") }}', d = {{ logical_date.day }})
            SELECT page FROM runs.visits WHERE day = '{{ ds }}' AND page IS NOT NULL`,
    declared:
      "INSERT OVERWRITE runs.declared SELECT page, day FROM runs.visits WHERE day = '{{ ds }}' AND page IS NOT NULL",
    view: "INSERT OVERWRITE runs.seen PARTITION (day = '{{ ds }}') SELECT page FROM runs.visits WHERE day = '{{ ds }}'",
  });
});
afterAll(() => lake.close());

const daily = () =>
  lake.sql(
    'select cast(day as string), page, cast(at as string), cast(amount as string), cast(ratio as string), cast(tags as string), cast(m as string) from runs.daily order by 1, 2',
  );

test('a preview tells the difference and publishes nothing', async () => {
  const { units, code } = await run('daily', '--preview');
  expect([states(units), code]).toEqual([['changed', 'changed'], 0]);
  expect(await daily()).toHaveLength(1);
  expect(await lake.sql('show tables in runs')).toHaveLength(11);
});

const emptied = () => lake.sql('select page from runs.emptied order by 1');
let first: string;

test('a run makes the partitions of its intervals, and a second one finds nothing to change', async () => {
  const one = await run('daily');
  first = one.json.runId;
  expect([states(one.units), one.code]).toEqual([['changed', 'changed'], 0]);
  expect(await daily()).toEqual([
    ['2026-11-01', null, null, null, null, null, '{k -> 1, l -> null}'],
    ['2026-11-01', 'a', '2026-11-01 00:30:00', '1.5000', 'NaN', '[x, null]', '{k -> 1, l -> null}'],
    ['2026-11-02', 'b', '2026-11-02 23:30:00', '12345678901234.5678', '-0.0', '[]', '{k -> 1, l -> null}'],
    ['2026-11-09', 'kept', null, '1.0000', '1.0', null, '{a -> 1}'],
  ]);
  const two = await run('daily');
  expect([states(two.units), two.code]).toEqual([['unchanged', 'unchanged'], 0]);
});

test('a change of one row is told, with its cause, and undone', async () => {
  await lake.sql("insert into runs.visits values ('c', null, 2, 2, null, date'2026-11-02')");
  const changed = await run('daily', '--samples', '1');
  expect(states(changed.units)).toEqual(['unchanged', 'changed']);
  expect(changed.units[1]).toMatchObject({ slices: [{ rowsBefore: 1, rowsAfter: 2, added: 1, removed: 0 }] });
  const undone = await runCli(['undo', changed.json.runId, '--yes', '--format', 'json'], lake.root);
  expect(JSON.parse(undone.out).units).toMatchObject([{ state: 'changed', slices: [{ rowsBefore: 2, rowsAfter: 1 }] }]);
  expect((await daily()).filter(([day]) => day === '2026-11-02')).toHaveLength(1);
  // And the first run after it: the partitions that it made go.
  expect(await runCli(['undo', first, '--yes'], lake.root)).toMatchObject({ code: 0 });
  expect((await daily()).map(([day]) => day)).toEqual(['2026-11-09']);
  expect(await lake.sql('show partitions runs.daily')).toEqual([['day=2026-11-09']]);
});

test('partitions that come out empty are emptied, whatever the mode of overwriting is', async () => {
  const { units, code } = await run('totals');
  expect([states(units), code]).toEqual([['changed', 'changed'], 0]);
  expect(await lake.sql('select day, country, page, cast(visits as string) from runs.totals order by 1, 2')).toEqual([
    ['2026-11-01', 'DE', 'a', '1'],
    ['2026-11-01', 'FR', 'none', '1'],
    ['2026-11-02', 'DE', 'b', '1'],
    ['2026-11-02', 'DE', 'c', '1'],
  ]);
});

test('an empty result is held, and empties the slice once somebody lets it', async () => {
  const held = await run('none');
  expect([held.units[0]?.state, held.code]).toEqual(['held', 3]);
  expect(await emptied()).toEqual([['kept'], ['old']]);
  const accepted = await runCli(['resume', held.json.runId, '--accept-held', '--format', 'json'], lake.root);
  expect(accepted.code).toBe(0);
  expect(await emptied()).toEqual([['kept']]);
});

/** What came of two runs of a task, by verdict, and what was said. */
async function prove(task: string, ...more: readonly string[]) {
  const { out, err, code } = await runCli(['prove', `lake.${task}`, ...days, ...more, '--format', 'json'], lake.root);
  const { units } = JSON.parse(out || '{"units":[]}');
  return { code, err, units: units as readonly Record<string, unknown>[] };
}

test('a proof finds what a second run would give otherwise, and keeps nothing', async () => {
  const before = await lake.sql('show partitions runs.totals');
  const stable = await prove('totals');
  expect([stable.code, stable.units.map(({ verdict }) => verdict)]).toEqual([0, ['no-difference', 'no-difference']]);
  const random = await prove('random', '--to', '2026-11-02');
  expect(random).toMatchObject({ code: 1, units: [{ verdict: 'different', under: null }] });
  const clocked = await prove('clocked', '--to', '2026-11-02');
  expect(clocked.units).toMatchObject([{ verdict: 'different', under: expect.stringContaining('current_date') }]);
  expect(await lake.sql('show partitions runs.totals')).toEqual(before);
  expect(await lake.sql('show tables in runs')).toHaveLength(11);
});

test('a proof tells of the rows that a dynamic overwrite leaves in partitions that get none', async () => {
  await lake.sql("insert into runs.totals values ('stale', 7, '2026-11-01', 'XX')");
  expect(await prove('totals', '--to', '2026-11-02')).toMatchObject({
    code: 1,
    units: [{ verdict: 'not-clean', slices: [{ removed: 1 }] }],
  });
});

test('partitions by parts of a date are those of the interval where they are declared', async () => {
  const { units, code } = await run('parts');
  expect([states(units), code]).toEqual([['changed', 'changed'], 0]);
  expect(await lake.sql('select m, cast(d as string), page from runs.parts order by 1, 2, 3')).toEqual([
    ['10', '1', 'kept'],
    ['11', '1', 'a'],
    ['11', '2', 'b'],
    ['11', '2', 'c'],
    ['11', '3', 'kept'],
  ]);
  const { out } = await runCli(['gaps', 'lake.parts', '--now', '2026-11-05T00:00'], lake.root);
  expect(out).toContain('4 intervals, 2026-11-01 to 2026-11-04, 1 gap');
  expect(out).toMatch(/^2026-11-04 {2}missing/m);
});

test('an overwrite without a partition replaces its interval here, and it is said that elsewhere it replaces all', async () => {
  const { out } = await runCli(['run', 'lake.declared', ...days, '--yes'], lake.root);
  expect(out).toMatch(/warning wider-elsewhere .*run by its scheduler the whole of runs\.declared/);
  expect(out).toContain('2 changed');
  expect(await lake.sql('select page from runs.declared order by 1')).toEqual([['a'], ['b'], ['c'], ['kept']]);
});

test('what cannot be carried out on files is refused by name before anything is sent', async () => {
  const said = async (task: string) => {
    const { code, out, err } = await runCli(['run', `lake.${task}`, ...days, '--yes', '--preview'], lake.root);
    expect([task, code]).not.toEqual([task, 0]);
    return `${out}${err}`;
  };
  expect(await said('whole')).toContain('without PARTITION (…) a static overwrite empties the whole table');
  expect(await said('adds')).toMatch(
    /append-in-plan[\s\S]*what adds to files is not run from here; or let its scheduler/,
  );
  expect(await said('flat')).toContain('runs.flat is not partitioned');
  expect(await said('view')).toContain('is a view');
});

test('intervals without rows are found', async () => {
  const { out, code } = await runCli(['gaps', 'lake.totals', '--now', '2026-11-04T00:00'], lake.root);
  expect(code).toBe(1);
  expect(out).toContain('2026-11-03');
});

test('REPLACE WHERE of a table that has no versions is refused by name', async () => {
  await lake.sql('create table runs.replaced (page string, day date) using parquet partitioned by (day)');
  lake.dag({ daily: "INSERT INTO runs.replaced REPLACE WHERE day = '{{ ds }}' SELECT 'a', DATE'{{ ds }}'" });
  const { out, code } = await runCli(['run', 'lake.daily', ...days, '--yes'], lake.root);
  expect([code, out]).toEqual([1, expect.stringContaining('REPLACE WHERE is for tables of Delta and Iceberg')]);
});
