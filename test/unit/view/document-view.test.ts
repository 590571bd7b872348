import { describe, expect, test } from 'vitest';
import type { DeclaredSources } from '../../../src/core/lineage/facts/declared-sources.ts';
import type { TaskId } from '../../../src/core/pipeline/model/model.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { makeDocumentView } from '../../../src/core/view/document/make-document-view.ts';
import { planGrid, type TaskNames } from '../../../src/core/view/page/plan-view.ts';
import { planTypedRange, rangeView } from '../../../src/core/view/page/range/range-view.ts';
import { type Files, factsOf } from '../../support/check-files.ts';

const now = instant(Date.UTC(2026, 10, 29, 12));
const dag = (zone: string): Files => ({
  'dags/shop.py': `import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("shop", schedule="0 0 * * *", start_date=pendulum.datetime(2026, 1, 1, tz="${zone}"), catchup=False):
    clean = SQLExecuteQueryOperator(task_id="clean", conn_id="w", sql="sql/clean.sql")
    sums = SQLExecuteQueryOperator(task_id="sums", conn_id="w", sql="""
        DELETE FROM mart.sums WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}';
        INSERT INTO mart.sums SELECT at, n FROM mart.clean
        WHERE at >= '{{ data_interval_start.subtract(days=6) }}' AND at < '{{ data_interval_end }}';""")
    clean >> sums
`,
  'dags/sql/clean.sql': `DELETE FROM mart.clean WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}';
INSERT INTO mart.clean SELECT at, n FROM raw.events
WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}';
`,
});

const children = new Map<TaskId, TaskId[]>([['shop.clean', ['shop.sums']]]);
const tasksOf = (files: Files) => plannableTasks(factsOf(files), (text) => text);
const snapshots = { table: 'raw.events_{{ ds_nodash }}', column: undefined, date: '{{ ds }}', columns: [] };
const shots: DeclaredSources = new Map([
  ['raw.events', { table: 'raw.events', retention: undefined, mutable: true, snapshots }],
]);
const viewOf = (
  files: Files,
  file: string,
  choice = new Map<string, ReturnType<typeof instant>>(),
  sources?: DeclaredSources,
) =>
  makeDocumentView({
    file,
    facts: factsOf(files, {}, new Map(), sources),
    findings: [],
    problems: [],
    links: { place: (path, { line }) => `open:${path}#${line}`, declare: (task) => `declare:${task}` },
    choice,
    now,
    shownIn: undefined,
    variables: {},
    params: {},
    children,
    versions: () => [],
  });

describe('the view of a document', () => {
  test('a lens stands at each task, with the last finished interval and the tasks behind it', () => {
    const { tasks, pipelines } = viewOf(dag('UTC'), 'dags/shop.py');
    expect(tasks.map(({ task, interval, downstream }) => [task, interval?.label, downstream])).toEqual([
      ['shop.clean', '2026-11-28', 1],
      ['shop.sums', '2026-11-28', 0],
    ]);
    expect(pipelines).toMatchObject([{ pipeline: 'shop', zone: 'UTC', schedule: '0 0 * * *' }]);
  });

  test('a SQL file shows the task that runs it, and its values stand behind each expression', () => {
    const files = dag('UTC');
    const { tasks, hints } = viewOf(files, 'dags/sql/clean.sql');
    expect(tasks.map(({ task, at }) => [task, at.start])).toEqual([['shop.clean', 0]]);
    const text = files['dags/sql/clean.sql'] ?? '';
    const marked = hints.map(({ offset, label }) => `${text.slice(Math.max(0, offset - 5), offset)}| ${label}`);
    expect(marked).toContain('rt }}| ⟶ 2026-11-28');
    expect(hints.filter(({ kind }) => kind === 'slice').map(({ label }) => label)).toEqual([
      '→ mart.clean · at 2026-11-28',
    ]);
  });

  test('intervals are those of the zone of the pipeline, across a clock change', () => {
    const berlin = dag('Europe/Berlin');
    const fallBack = instant(Date.UTC(2026, 9, 25, 10));
    const { tasks } = viewOf(berlin, 'dags/shop.py', new Map([['shop', fallBack]]));
    expect(tasks[0]?.interval).toEqual({
      label: '2026-10-25',
      data: { start: Date.UTC(2026, 9, 24, 22), end: Date.UTC(2026, 9, 25, 23) },
    });
  });

  test('a hover says interval, slice, windows and the SQL that would run', () => {
    const { hovers } = viewOf(dag('UTC'), 'dags/shop.py');
    const text = hovers.find(({ markdown }) => markdown.startsWith('**shop.sums**'))?.markdown ?? '';
    expect(text).toContain('Interval **2026-11-28** (UTC) — UTC 2026-11-28T00:00:00Z to 2026-11-29T00:00:00Z');
    expect(text).toContain('Writes `mart.sums` — delete+insert, at 2026-11-28');
    expect(text).toMatch(/Reads `mart\.clean` — at 2026-11-22 to 2026-11-28, in words .*start - 6 days, end/);
    expect(text).toContain("WHERE at >= '2026-11-22 00:00:00+00:00' AND at < '2026-11-29 00:00:00+00:00'");
  });

  test('the name of a SQL file leads to it, and says what it is for the interval', () => {
    const files = dag('UTC');
    const { links, hovers } = viewOf(files, 'dags/shop.py');
    const text = files['dags/shop.py'] ?? '';
    expect(links.map(({ at, file }) => [text.slice(at.start, at.end), file])).toEqual([
      ['sql/clean.sql', 'dags/sql/clean.sql'],
    ]);
    const hover = hovers.find(({ at }) => at.start === links[0]?.at.start)?.markdown;
    expect(hover).toContain('**dags/sql/clean.sql** for 2026-11-28');
    expect(hover).toContain("DELETE FROM mart.clean WHERE at >= '2026-11-28 00:00:00+00:00'");
    expect(viewOf(files, 'dags/sql/clean.sql').links).toEqual([]);
  });

  test('a hover shows the snapshot that would be read instead of a source', () => {
    const { hovers } = viewOf(dag('UTC'), 'dags/shop.py', new Map(), shots);
    const text = hovers.map(({ markdown }) => markdown).find((markdown) => markdown.includes('FROM raw.'));
    expect(text).toContain('SELECT at, n FROM raw.events_20261128 as events');
    expect(text).toContain('declared in backfill.yaml instead of raw.events');
  });

  test('a file without pipelines has nothing to show', () => {
    expect(viewOf({ 'notes.py': 'print(1)\n' }, 'notes.py')).toMatchObject({ pipelines: [], tasks: [], hints: [] });
  });
});

const named = (task: string): TaskNames => ({
  zone: 'UTC',
  dag: 'shop',
  name: task.replace('shop.', ''),
  session: [],
});

describe('a typed range', () => {
  const typed = (from: string, to: string) => ({ task: 'shop.clean', from, to, without: [], now });

  test('says the first and last interval and what is not included', () => {
    const view = rangeView(tasksOf(dag('Europe/Berlin')), children, typed('2026-10-24', '2026-10-27'), undefined);
    expect(view).toMatchObject({
      zone: 'Europe/Berlin',
      valid: true,
      count: '3 intervals',
      summary: '2026-10-24 to 2026-10-26; 2026-10-27 is not included.',
    });
    expect(view.downstream.map(({ task, depth, count }) => [task, depth, count])).toEqual([
      ['shop.clean', 0, '3 intervals'],
      ['shop.sums', 1, '9 intervals'],
    ]);
  });

  test('says of days to come that they are left out', () => {
    const said = (to: string) => rangeView(tasksOf(dag('UTC')), children, typed('2026-11-26', to), undefined).summary;
    expect(said('2027-01-01')).toBe(
      '2026-11-26 to 2026-11-28; 2026-11-29 and later are left out: they have not ended yet.',
    );
    expect(said('2026-11-29')).toBe('2026-11-26 to 2026-11-28; 2026-11-29 is not included.');
  });

  test.each([
    ['2026-11-03', '2026-11-03', /end is not after the start/],
    ['yesterday', '2026-11-03', /“yesterday” is not a date or time/],
    ['2026-02-30', '2026-03-02', /“2026-02-30” is not a date or time/],
    ['2026-11-29', '2026-11-30', /not finished/],
  ])('%s to %s cannot be meant', (from, to, why) => {
    const view = rangeView(tasksOf(dag('UTC')), children, typed(from, to), undefined);
    expect(view.valid).toBe(false);
    expect(view.summary).toMatch(why);
  });

  test('as a grid: rows by task, units outside the selection marked, reasons in words', () => {
    const made = planTypedRange(tasksOf(dag('UTC')), typed('2026-11-10', '2026-11-12'));
    if ('wrong' in made) throw new Error(made.wrong);
    const grid = planGrid(made.plan, named, { kind: 'run' });
    expect(grid.rows.map(({ task, units }) => [task, units.length])).toEqual([
      ['shop.clean', 2],
      ['shop.sums', 8],
    ]);
    expect(grid.units.filter(({ widened }) => widened)).toHaveLength(6);
    expect(grid).toMatchObject({ title: '10 units of 2 tasks', startable: true });
    expect(grid.units.find(({ task }) => task === 'shop.sums')?.reason).toMatch(/^reads mart\.clean.*, 2026-11-10$/);
    expect(planGrid(made.plan, named, { kind: 'undo', run: 'r1' })).toMatchObject({
      title: '10 units of 2 tasks, put back to their rows of before run r1',
      units: expect.arrayContaining([expect.objectContaining({ reason: 'run r1 changed it' })]),
    });
  });

  test('for a proof: the task alone, also where it appends', () => {
    const made = planTypedRange(tasksOf(dag('UTC')), typed('2026-11-10', '2026-11-12'), 'proof');
    if ('wrong' in made) throw new Error(made.wrong);
    expect(planGrid(made.plan, named, { kind: 'proof' })).toMatchObject({
      title: '2 units of 1 task, each run twice; nothing is kept',
      rows: [{ task: 'shop.clean' }],
      startable: true,
    });
  });
});
