import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyFix, checkFiles, type Files } from '../support/check-files.ts';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';

const setup = `
  create schema raw; create schema mart;
  create table raw.ev(day date, id int, v int, updated_at timestamptz);
  insert into raw.ev select date '2026-11-10' + g % 3, g, g, timestamptz '2026-11-10 06:00+00' + (g % 3) * interval '1 day' from generate_series(1, 30) g;
  create table mart.added(day date, id int, v int);
  create table mart.emptied(day date, id int, v int);
  create table mart.unfiltered(day date, id int, v int);
  create table mart.clock(day date, id int, v int);
  create table mart.kept(day date, id int, v int, primary key (day, id));
  create table mart.pinned(day date, id int, v int);
  create table mart.renamed(day date, id int, v int);
  create table mart.moments(updated_at timestamptz, id int, v int);
  create table mart.totals(id int primary key, v int);
  create table raw.sent(day date, part int, rec int, id int, v int, sent_at timestamptz, kind text, primary key (part, rec));
  insert into raw.sent select e.day, c, e.id, e.id, e.v + c, timestamptz '2026-11-10 06:00+00', case when e.id % 2 = 0 then '' else 'k' || e.id end from raw.ev e cross join generate_series(0, 1) c;
  create table mart.keyed(day date, key uuid, id int, v bigint, unique (key));
  create table mart.picked(day date, id int, v int);
  create table mart.merged(day date, id int, kind text, v bigint);
  create table mart.latest(id int primary key, v int, updated_at timestamptz);`;

const task = (id: string, sql: string) => `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql="""${sql}""")`;
const day = "WHERE day = '{{ ds }}'";

/** A task for each rule whose fix is SQL that PostgreSQL runs. */
const tasks = {
  'plain-insert': task('added', `INSERT INTO mart.added (day, id, v) SELECT day, id, v FROM raw.ev ${day}`),
  'whole-target-overwrite': task(
    'emptied',
    `TRUNCATE mart.emptied; INSERT INTO mart.emptied (day, id, v) SELECT day, id, v FROM raw.ev ${day}`,
  ),
  'missing-interval-filter': task(
    'unfiltered',
    `DELETE FROM mart.unfiltered ${day}; INSERT INTO mart.unfiltered (day, id, v) SELECT day, id, v FROM raw.ev`,
  ),
  'wall-clock': task(
    'clock',
    'DELETE FROM mart.clock WHERE day = CURRENT_DATE - 1; INSERT INTO mart.clock SELECT day, id, v FROM raw.ev WHERE day = CURRENT_DATE - 1',
  ),
  'do-nothing-upsert': task(
    'kept',
    `INSERT INTO mart.kept (day, id, v) SELECT day, id, v FROM raw.ev ${day} ON CONFLICT (day, id) DO NOTHING`,
  ),
  'unconditional-upsert': task(
    'latest',
    `INSERT INTO mart.latest (id, v, updated_at) SELECT id, v, updated_at FROM raw.ev
        WHERE updated_at >= '{{ data_interval_start }}' AND updated_at < '{{ data_interval_end }}'
        ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v, updated_at = EXCLUDED.updated_at`,
  ),
  'hard-coded-date': task(
    'pinned',
    "DELETE FROM mart.pinned WHERE day = '2026-11-10'; INSERT INTO mart.pinned SELECT day, id, v FROM raw.ev WHERE day = '2026-11-10'",
  ),
  'removed-interval-macro': task(
    'renamed',
    "DELETE FROM mart.renamed WHERE day = '{{ execution_date | ds }}'; INSERT INTO mart.renamed SELECT day, id, v FROM raw.ev WHERE day = '{{ execution_date | ds }}'",
  ),
  'date-vs-timestamp-bound': task(
    'moments',
    `DELETE FROM mart.moments WHERE updated_at BETWEEN '{{ ds }}' AND '{{ ds }}';
        INSERT INTO mart.moments SELECT updated_at, id, v FROM raw.ev WHERE updated_at BETWEEN '{{ ds }}' AND '{{ ds }}'`,
  ),
  'partial-group': task(
    'totals',
    `INSERT INTO mart.totals (id, v) SELECT id, sum(v) FROM raw.ev ${day} GROUP BY id
        ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v`,
  ),
  'unstable-key': task(
    'keyed',
    `DELETE FROM mart.keyed ${day}; INSERT INTO mart.keyed (day, key, id, v) SELECT day, gen_random_uuid(), id, sum(v) FROM raw.ev ${day} GROUP BY day, id`,
  ),
  'unstable-pick': task(
    'picked',
    `DELETE FROM mart.picked ${day}; INSERT INTO mart.picked (day, id, v) SELECT day, id, v FROM (SELECT day, id, max(v) AS v, row_number() OVER (PARTITION BY day ORDER BY count(*) DESC) AS rn FROM raw.sent ${day} GROUP BY day, id) q WHERE rn <= 10`,
  ),
  'nullable-merge-key': task(
    'merged',
    `MERGE INTO mart.merged t USING (SELECT day, id, nullif(kind, '') AS kind, sum(v) AS v FROM raw.sent ${day} GROUP BY 1, 2, 3) s
        ON t.day = s.day AND t.id = s.id AND t.kind = s.kind
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (day, id, kind, v) VALUES (s.day, s.id, s.kind, s.v)`,
  ),
};

let ws: DagWorkspace;
let before: Files;
beforeAll(async () => {
  ws = await dagWorkspace(setup, Object.values(tasks).join('\n'));
  before = { 'dags/d.py': readFileSync(join(ws.root, 'dags/d.py'), 'utf8') };
});
afterAll(() => ws.close());

const range = ['--from', '2026-11-10', '--to', '2026-11-13', '--now', '2026-11-20T00:00Z'];

test.each(Object.keys(tasks))(
  'a task as the fix of %s makes it gives a clean run’s rows as often as it runs',
  async (rule) => {
    const [finding] = checkFiles(before).filter((one) => one.rule === rule);
    const fix = finding?.fixes.find(({ preferred }) => preferred);
    expect(fix, `${rule} has a fix`).toBeDefined();
    if (fix === undefined) return;
    const after = applyFix(before, fix);
    expect(checkFiles(after).map((one) => one.rule)).toEqual(
      checkFiles(before)
        .map((one) => one.rule)
        .filter((one) => one !== rule),
    );
    writeFileSync(join(ws.root, 'dags/d.py'), after['dags/d.py'] ?? '');
    const id = /task_id="(\w+)"/.exec(tasks[rule as keyof typeof tasks])?.[1] ?? '';
    const proof = await ws.cli(['prove', `d.${id}`, ...range, '--format', 'json']);
    expect(JSON.parse(proof.out).units.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
      'no-difference',
      'no-difference',
      'no-difference',
    ]);
    // And run for the whole range it holds exactly the rows of the range.
    expect(await ws.cli(['run', `d.${id}`, ...range, '--yes'])).toMatchObject({ code: 0 });
    expect(await ws.rows(`select count(*)::int, count(distinct id)::int from mart.${id}`)).toEqual([[30, 30]]);
  },
);
