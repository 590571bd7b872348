import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema raw; create schema mart;
  create table raw.ev (day date, id int, v int);
  insert into raw.ev select date '2026-11-10' + n % 3, n, n from generate_series(0, 29) n;
  create table mart.a (day date, id int, v int); create table mart.b3 (day date, id int, v int)`;

const fill = (table: string, more = ''): string =>
  `delete from ${table} where day = '{{ ds }}' ${more}; insert into ${table} select * from raw.ev where day = '{{ ds }}' ${more};`;

const ways: Readonly<Record<string, readonly [sql: string, rows: string]>> = {
  branches: [
    `{% if ds < '2026-11-12' %}${fill('mart.a')}{% else %}${fill('mart.a', 'and id > 20')}{% endif %}`,
    'a 23, b 0',
  ],
  loop: [`{% for k in [0, 1, 2] %}${fill('mart.a', 'and id % 3 = {{ k }}')}{% endfor %}`, 'a 30, b 0'],
  prepared: [
    `prepare clear(date) as delete from mart.a where day = $1; prepare fill(date, int) as insert into mart.a select * from raw.ev where day = $1 and id >= $2;
     execute clear('{{ ds }}'); execute fill('{{ ds }}', 0); deallocate all`,
    'a 30, b 0',
  ],
  put_together: [`{% set t = 'b' ~ params.floor %}${fill('mart.{{ t }}')}`, 'a 0, b 30'],
};

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

test.each(Object.entries(ways))(
  '%s: what an interval renders to is what is run',
  { timeout: patienceMs },
  async (id, [text, rows]) => {
    const quoted = JSON.stringify(text);
    folder = await dagWorkspace(setup, `SQLExecuteQueryOperator(task_id="${id}", conn_id="wh", sql=${quoted})`);
    const run = () => folder?.cli(['run', `d.${id}`, '--from', '2026-11-10', '--to', '2026-11-13', '--yes']);
    const counts = `select concat('a ', (select count(*) from mart.a), ', b ', (select count(*) from mart.b3))`;
    for (const said of [/0 unchanged, 3 changed|1 unchanged, 2 changed/, /3 unchanged, 0 changed/]) {
      const { code, out, err } = (await run()) ?? { code: 1, out: '', err: '' };
      expect(code, out + err).toBe(0);
      expect(out).toMatch(said);
      expect((await folder.rows(counts))[0]?.[0]).toBe(rows);
    }
  },
);

const emptied = (branches: string): string =>
  `${branches} insert into mart.a select * from raw.ev where day = '{{ ds }}'`;
const slice = "delete from mart.a where day = '{{ ds }}';";

test.each([
  ['other rows', emptied(`{% if params.floor > 5 %}truncate mart.a;{% else %}${slice}{% endif %}`)],
  ['no deletion', emptied(`{% if params.floor < 5 %}${slice}{% endif %}`)],
])(
  '%s in another branch: the rows of an interval are not known, and what is run is told as it is',
  { timeout: patienceMs },
  async (_, text) => {
    folder = await dagWorkspace(
      setup,
      `SQLExecuteQueryOperator(task_id="t", conn_id="wh", sql=${JSON.stringify(text)})`,
    );
    const place = folder;
    const unknown =
      /rows of mart\.a that one interval owns are not known: when .*params\.floor.*, its template takes another branch/;
    expect((await place.cli(['show'])).out).toMatch(unknown);
    for (const declared of [
      '',
      'tasks:\n  d.t:\n    writes: [{ table: mart.a, column: day, slice: day of start (UTC) }]\n',
    ]) {
      appendFileSync(join(place.root, 'backfill.yaml'), declared);
      await place.rows('delete from mart.a');
      for (const said of [/0 unchanged, 3 changed/, /3 unchanged, 0 changed/]) {
        const { code, out, err } = await place.cli([
          'run',
          'd.t',
          '--from',
          '2026-11-10',
          '--to',
          '2026-11-13',
          '--yes',
        ]);
        expect(code, out + err).toBe(0);
        expect(out).toMatch(said);
        expect(await place.rows('select count(*)::int from mart.a')).toEqual([[30]]);
      }
    }
    expect((await place.cli(['show'])).out).not.toMatch(unknown);
  },
);
