import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema raw; create schema mart;
  create table raw.ev (day date, id int);
  insert into raw.ev select date '2026-11-10' + n % 3, n from generate_series(0, 29) n;
  create table mart.t (day date, id int); create table mart.down (day date, n int)`;

const fill =
  "delete from mart.t where day = '{{ ds }}'; insert into mart.t select * from raw.ev where day = '{{ ds }}'";
const count =
  "delete from mart.down where day = '{{ ds }}'; insert into mart.down select day, count(*) from mart.t where day = '{{ ds }}' group by 1";

let folder: DagWorkspace;
const range = ['--from', '2026-11-10', '--to', '2026-11-13'];
const tasksOf = (out: string): readonly string[] =>
  [...new Set((JSON.parse(out) as { units: { task: string }[] }).units.map(({ task }) => task))].sort();
const downstream = async (task: string): Promise<readonly string[]> =>
  tasksOf((await folder.cli(['plan', `d.${task}`, ...range, '--downstream', '--offline', '--format', 'json'])).out);

beforeEach(async () => {
  folder = await dagWorkspace(
    setup,
    ([, other]) =>
      [
        ['a', 'wh', fill, ''],
        ['b', 'wh2', fill, ''],
        ['here', 'wh', count, ''],
        ['there', 'wh2', count, ''],
        ['named', 'wh', count, `, database="${other}"`],
        ['nowhere', 'elsewhere', count, ''],
      ]
        .map(
          ([id, conn, sql, more]) => `SQLExecuteQueryOperator(task_id="${id}", conn_id="${conn}", sql="${sql}"${more})`,
        )
        .join('\n'),
    { databases: 2 },
  );
  const config = join(folder.root, 'backfill.yaml');
  const lines = readFileSync(config, 'utf8').split('\n');
  writeFileSync(
    config,
    lines
      .map((line) => (line.startsWith('  wh2:') ? line.replace('airflowIds: [wh]', 'airflowIds: [wh, wh2]') : line))
      .join('\n'),
  );
});
afterEach(() => folder.close());

test('tables of one name in two databases are two', { timeout: patienceMs }, async () => {
  // Where nobody says which database a connection is, one name is one table.
  expect(await downstream('a')).toEqual(['d.a', 'd.here', 'd.nowhere']);
  expect(await downstream('b')).toEqual(['d.b', 'd.named', 'd.nowhere', 'd.there']);
  const both = await folder.cli(['run', 'd.a', ...range, '--downstream', '--yes', '--without', 'd.nowhere']);
  expect(both.code, both.out + both.err).toBe(0);
  expect(both.out).toContain('6 changed');
  const other = await folder.cli(['gaps', 'd.b']);
  expect(other.code).toBe(1);
  expect(other.out).toContain(
    'its connection wh2 means wh2, and this run is on wh; run it by itself with --connection wh2',
  );
  const shown = await folder.cli(['show', '--format', 'json']);
  const tasks = (
    JSON.parse(shown.out) as { pipelines: { tasks: { id: string; parents?: string[] }[] }[] }
  ).pipelines.flatMap((pipeline) => pipeline.tasks);
  expect(tasks.find(({ id }) => id === 'd.there')).toMatchObject({ parents: ['d.b'] });
});
