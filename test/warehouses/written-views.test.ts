import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const fill = (table: string, columns = 'day, id, v, region', where = 'true'): string =>
  `DELETE FROM mart.${table} t WHERE t.day = '{{ ds }}'; INSERT INTO mart.${table} (${columns}) SELECT ${columns} FROM raw.ev WHERE day = '{{ ds }}' AND ${where}`;

const tasks: Readonly<Record<string, string>> = {
  whole: fill('shown'),
  part: fill('eu', undefined, "region = 'eu'"),
  report:
    "DELETE FROM mart.report WHERE day = '{{ ds }}'; INSERT INTO mart.report SELECT day, count(*) FROM mart.orders WHERE day = '{{ ds }}' GROUP BY day",
  by_trigger: fill('triggered'),
  by_rule: fill('ruled'),
  renamed: fill('renamed', 'day, id'),
  foreign: fill('abroad', 'day, id'),
  parents: fill('parent', 'day, id'),
};

let workspace: DagWorkspace;

beforeAll(async () => {
  workspace = await dagWorkspace(
    `create schema raw; create schema mart;
     create table raw.ev (day date, id int, v int, region text);
     insert into raw.ev select date '2026-11-10' + g % 3, g, g, case g % 2 when 0 then 'eu' else 'us' end from generate_series(1, 12) g;
     create table mart.orders (day date, id int, v int, region text); create table mart.report (day date, n int);
     create view mart.inner_view as select * from mart.orders; create view mart.shown as select * from mart.inner_view;
     create view mart.eu as select day, id, v, region from mart.orders where region = 'eu';
     create view mart.triggered as select * from mart.orders;
     create function mart.elsewhere() returns trigger language plpgsql as 'begin return null; end';
     create trigger divert instead of insert on mart.triggered for each row execute function mart.elsewhere();
     create view mart.ruled as select * from mart.orders;
     create rule soft as on delete to mart.ruled do instead nothing;
     create view mart.renamed as select day, id as number, v as id from mart.orders;
     create foreign data wrapper nowhere; create server far foreign data wrapper nowhere;
     create foreign table mart.abroad (day date, id int) server far;
     create table mart.parent (id int primary key, day date);
     create table mart.child (id int primary key, parent int references mart.parent on delete cascade);
     create table mart.note (child int constraint of_child references mart.child on delete set null, text text)`,
    Object.entries(tasks)
      .map(([id, text]) => `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql="""${text}""")`)
      .join('\n'),
  );
}, patienceMs);
afterAll(() => workspace?.close());

const range = ['--from', '2026-11-10', '--to', '2026-11-13'];
interface Said {
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    readonly message: string;
    readonly task: string;
  }[];
  readonly units: readonly { readonly id: string; readonly state: string }[];
  readonly runId: string;
}
const json = async (...words: readonly string[]): Promise<Said & { readonly code: number }> => {
  const { code, out } = await workspace.cli([...words, '--format', 'json']);
  return { code, ...(JSON.parse(out) as Said) };
};
const orders = (region = '%'): Promise<unknown> =>
  workspace.rows(`select day::text, id, v from mart.orders where region like '${region}' order by id`);

test(
  'rows that go through a view are those of its table, with whoever reads it',
  async () => {
    const plan = await json('plan', 'd.whole', ...range, '--downstream');
    expect(plan.findings).toContainEqual({
      code: 'written-view',
      severity: 'info',
      message:
        'd.whole writes mart.shown, a view: the rows are those of mart.orders, which is claimed, compared and undone.',
      task: 'd.whole',
    });
    expect(plan.units.filter(({ id }) => id.startsWith('d.report'))).toHaveLength(3);
    const first = await json('run', 'd.whole', ...range, '--yes');
    expect(first.code).toBe(0);
    const all = await orders();
    expect(all).toHaveLength(12);
    // Rows that the view leaves out stay, and are nobody's left-overs.
    await workspace.rows("update raw.ev set v = v + 100 where day = '2026-11-11'");
    const part = await json('run', 'd.part', ...range, '--yes');
    expect(part.units.map(({ state }) => state).sort()).toEqual(['changed', 'unchanged', 'unchanged']);
    expect(await orders('eu')).toEqual(
      await workspace.rows("select day::text, id, v from raw.ev where region = 'eu' order by id"),
    );
    expect(await workspace.rows("select count(*)::int, max(v) from mart.orders where region = 'us'")).toEqual([
      [6, 11],
    ]);
    expect((await workspace.cli(['undo', part.runId, '--yes'])).code).toBe(0);
    expect(await orders()).toEqual(all);
    const shown = await workspace.cli(['show', 'dags/d.py']);
    expect(shown.out).not.toContain('through the view');
  },
  patienceMs,
);

test(
  'a plan says of each target that is no table what it is, and what deleting takes with it',
  async () => {
    const { findings, code } = await json(
      'plan',
      ...['by_trigger', 'by_rule', 'renamed', 'foreign', 'parents'].map((id) => `d.${id}`),
      ...range,
    );
    expect(code).toBe(1);
    const said = findings.filter((one) => /^(?:no-table|cascade)$/.test(one.code));
    const of = (task: string) => said.filter((one) => one.task === `d.${task}`).map((one) => one.message);
    expect(of('by_trigger').join()).toContain('mart.triggered, a view of which the trigger divert (elsewhere()) puts');
    expect(of('by_rule').join()).toContain('mart.ruled, a view of which the rule soft puts the rows elsewhere');
    expect(of('renamed').join()).toContain('mart.renamed, a view that does not show the columns of one table');
    expect(of('foreign').join()).toContain('mart.abroad, a foreign table of the server far');
    expect(of('parents')).toEqual([
      expect.stringMatching(
        /child_parent_fkey takes rows of mart\.child with them: a unit that does is held.*slice: all/,
      ),
      expect.stringMatching(/of_child takes child of rows of mart\.note: .*table: mart\.note/),
    ]);
  },
  patienceMs,
);
