import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema raw; create schema mart;
  create table raw.ev (day date, id int, v int);
  insert into raw.ev select date '2026-11-10' + n % 2, n, n from generate_series(0, 19) n;
  create table mart.t (day date, id int, v int); insert into mart.t select day, id, -v from raw.ev`;

const ways = {
  added: `alter table mart.t add column if not exists w int; delete from mart.t where day = '{{ ds }}'; insert into mart.t select day, id, v, v from raw.ev where day = '{{ ds }}'`,
  dropped: `alter table mart.t drop column if exists v; delete from mart.t where day = '{{ ds }}'; insert into mart.t (day, id) select day, id + 100 from raw.ev where day = '{{ ds }}'`,
};

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

test.each(Object.entries(ways))(
  'a column that a run has %s keeps it from being undone as a whole, before anything is put back',
  { timeout: patienceMs },
  async (id, text) => {
    const open = await dagWorkspace(setup, `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql="${text}")`);
    folder = open;
    const ran = await open.cli(['run', `d.${id}`, '--from', '2026-11-10', '--to', '2026-11-12', '--yes']);
    expect(ran.code, ran.out + ran.err).toBe(0);
    const run = /run (\S+): 0 unchanged, 2 changed/.exec(ran.out)?.[1] ?? '';
    const rows = () => open.rows('select * from mart.t order by day, id');
    const left = await rows();
    for (const units of [[], ['--unit', `d.${id}@2026-11-10T00:00:00Z`]]) {
      const undone = await open.cli(['undo', run, '--yes', ...units]);
      expect(undone.code).not.toBe(0);
      expect(undone.out + undone.err).toMatch(
        new RegExp(`cannot be undone.*: d\\.${id}@2026-11-10T00:00:00Z changed the columns of mart\\.t`),
      );
      expect(await rows()).toEqual(left);
    }
    // The interval after it found the columns as they are now.
    const later = await open.cli(['undo', run, '--yes', '--unit', `d.${id}@2026-11-11T00:00:00Z`]);
    expect(later.code, later.out + later.err).toBe(0);
  },
);
