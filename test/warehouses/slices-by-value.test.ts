import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

/** How a table says which day its rows are of: its columns, what an upsert puts into them, and its rows of a day. */
const tables = {
  ymd: ['y int, m int, d int', "{{ logical_date.year }}, {{ logical_date.month }}, '{{ ds[8:] }}'", 'd = 11'],
  number: ['day int', '{{ ds_nodash }}', 'day = 20261111'],
  letters: ['day text', "'{{ ds_nodash }}'", "day = '20261111'"],
  partition: ['part varchar(20)', "'p{{ ds_nodash }}'", "part = 'p20261111'"],
  folder: ['part text', "'day={{ ds }}'", "part = 'day=2026-11-11'"],
} as const;
const names = Object.keys(tables) as (keyof typeof tables)[];

let workspace: DagWorkspace;

beforeAll(async () => {
  const made = names.map((name) => {
    const columns = tables[name][0].split(', ').map((column) => column.split(' ')[0]);
    return `create table mart.${name} (${tables[name][0]}, k int, n int, primary key (${columns.join(', ')}, k));`;
  });
  workspace = await dagWorkspace(
    `create schema raw; create schema mart; create table raw.ev (day date, k int, n int);
     insert into raw.ev select date '2026-11-10' + i / 3, i % 3, i from generate_series(0, 8) i; ${made.join(' ')}`,
    names
      .map((name) => {
        const columns = tables[name][0].split(', ').map((column) => column.split(' ')[0]);
        return `PostgresOperator(task_id="${name}", postgres_conn_id="wh", sql="""
INSERT INTO mart.${name} (${columns.join(', ')}, k, n)
SELECT ${tables[name][1]}, k, n FROM raw.ev WHERE day = '{{ ds }}'
ON CONFLICT (${columns.join(', ')}, k) DO UPDATE SET n = excluded.n""")`;
      })
      .join('\n'),
  );
}, patienceMs);

afterAll(() => workspace?.close());

const range = ['--from', '2026-11-10', '--to', '2026-11-13', '--now', '2026-11-29T12:00Z', '--yes', '--format', 'json'];

test(
  'an upsert owns the rows with the values that it puts into its key, compared and undone by them',
  async () => {
    const all = names.map((name) => `d.${name}`);
    const states = (out: string) =>
      (JSON.parse(out) as { units: { id: string; state: string }[] }).units
        .map(({ id, state }) => `${id} ${state}`)
        .sort();
    const of = (state: (day: number) => string) =>
      all.flatMap((task) => [10, 11, 12].map((day) => `${task}@2026-11-${day}T00:00:00Z ${state(day)}`)).sort();
    expect(states((await workspace.cli(['run', ...all, ...range])).out)).toEqual(of(() => 'changed'));
    await workspace.rows("update raw.ev set n = n + 100 where day = '2026-11-11'");
    const again = await workspace.cli(['run', ...all, ...range]);
    expect(states(again.out)).toEqual(of((day) => (day === 11 ? 'changed' : 'unchanged')));
    const { runId } = JSON.parse(again.out) as { runId: string };
    const sums = (name: keyof typeof tables) =>
      workspace.rows(`select count(*)::int, sum(n)::int from mart.${name} where ${tables[name][2]}`);
    for (const name of names) expect(await sums(name)).toEqual([[3, 312]]);
    expect((await workspace.cli(['undo', runId, '--yes'])).code).toBe(0);
    for (const name of names) expect(await sums(name)).toEqual([[3, 12]]);
  },
  patienceMs,
);
