import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

interface Cut {
  /** Columns of its table, and what they hold for a `day`, as SQL. */
  readonly columns: string;
  readonly of: string;
  /** How it is declared. */
  readonly said: string;
  /** First and last day that an interval writes, as SQL; else its own day. */
  readonly days?: readonly [string, string];
}

const ds = "date '{{ ds }}'";

/** Tables whose rows no single column tells apart; the session is in Warsaw, where 23:00 in UTC is another day. */
const cuts: Readonly<Record<string, Cut>> = {
  parts: {
    columns: 'y int, m text, d char(2)',
    of: "extract(year from day), to_char(day, 'MM'), to_char(day, 'DD')",
    said: 'columns: [y, m, d], slice: day of start',
  },
  weeks: {
    columns: 'y text, m int2, d numeric',
    of: "to_char(day, 'YYYY'), extract(month from day), extract(day from day)",
    said: 'columns: [y, m, d], from: day of start - 6 days, to: day of start + 1 day',
    days: [`${ds} - 6`, ds],
  },
  months: {
    columns: 'y int, m int',
    of: 'extract(year from day), extract(month from day)',
    said: 'columns: [y, m], slice: month of start',
    days: [`date_trunc('month', ${ds})`, `date_trunc('month', ${ds}) + interval '1 month - 1 day'`],
  },
  moment: {
    columns: 'epoch int8',
    of: "extract(epoch from day + interval '23 hours')::int8",
    said: 'expression: to_timestamp(epoch), slice: day of start',
  },
  wall: {
    columns: 'epoch int8',
    of: "extract(epoch from day + interval '23 hours')::int8",
    said: "expression: to_timestamp(epoch) at time zone 'UTC'",
  },
  document: {
    columns: 'doc jsonb',
    of: "jsonb_build_object('on', day::text)",
    said: `expression: "(doc ->> 'on')::date -- as it came", slice: day of start`,
  },
};
const names = Object.keys(cuts);
const columnsOf = ({ columns }: Cut): string => columns.replace(/(\w+) [^,]+/g, '$1');

const refused: Readonly<Record<string, readonly [said: string, why: string]>> = {
  as_text: ["expression: doc ->> 'on'", 'is of type text, no date. Write it in backfill.yaml so that it gives a date'],
  no_part: ['columns: [y, doc]', 'The column doc of mart.refused (jsonb) holds no part of a date'],
  no_column: ['expression: nobody::date', 'column "nobody" does not exist'],
  grouped: ['expression: max(at)', 'aggregate functions are not allowed in WHERE'],
  anew: ['expression: mart.anew(at)', 'calls anew, which gives another value each time'],
  in_a_day: ['expression: at::date, from: start - 5 hours, to: end - 5 hours', 'falls inside a UTC day'],
};

let workspace: DagWorkspace;

beforeAll(async () => {
  const tasks = Object.entries(cuts).map(([name, cut]) => {
    const [first, last] = cut.days ?? [ds, ds];
    return `SQLExecuteQueryOperator(task_id="${name}", conn_id="wh", sql=["""DELETE FROM mart.${name} WHERE (${columnsOf(cut)}) IN (
SELECT ${cut.of} FROM generate_series(${first}, ${last}, interval '1 day') g(at), LATERAL (SELECT at::date AS day) s)""", """
INSERT INTO mart.${name} (${columnsOf(cut)}, n) SELECT ${cut.of}, n FROM raw.ev WHERE day BETWEEN ${first} AND ${last}"""])`;
  });
  const stray = `SQLExecuteQueryOperator(task_id="stray", conn_id="wh", sql="""DELETE FROM mart.stray WHERE doc ->> 'on' = '{{ ds }}';
INSERT INTO mart.stray SELECT ${cuts.document?.of}, n FROM raw.ev WHERE day BETWEEN ${ds} AND ${ds} + 1""")`;
  const others = Object.keys(refused).map(
    (name) =>
      `SQLExecuteQueryOperator(task_id="${name}", conn_id="wh", sql="INSERT INTO mart.refused (y) SELECT n FROM raw.ev WHERE day = '{{ ds }}'")`,
  );
  workspace = await dagWorkspace(
    `create schema raw; create schema mart; create table raw.ev (day date, n int);
     insert into raw.ev select date '2026-11-01' + i / 2, i from generate_series(0, 39) i;
     ${Object.entries(cuts)
       .map(([name, { columns }]) => `create table mart.${name} (${columns}, n int);`)
       .join(' ')}
     create table mart.stray (doc jsonb, n int); create table mart.refused (y int, doc jsonb, at timestamp);
     create function mart.anew(at timestamp) returns date language plpgsql as 'begin return at; end'`,
    [...tasks, stray, ...others].join('\n'),
    { settings: '{ timezone: Europe/Warsaw }' },
  );
  const entry = (task: string, table: string, said: string): string =>
    `  d.${task}: { writes: [{ table: mart.${table}, ${said} }] }\n`;
  appendFileSync(
    join(workspace.root, 'backfill.yaml'),
    `tasks:\n${Object.entries(cuts)
      .map(([name, { said }]) => entry(name, name, said))
      .join('')}${entry('stray', 'stray', cuts.document?.said ?? '')}${Object.entries(refused)
      .map(([name, [said]]) => entry(name, 'refused', said))
      .join('')}`,
  );
}, patienceMs);

afterAll(() => workspace?.close());

const range = ['--from', '2026-11-10', '--to', '2026-11-12', '--now', '2026-11-29T12:00Z', '--yes', '--format', 'json'];
const tasks = names.map((name) => `d.${name}`);

/** What a table holds that one clean run of each interval has filled, and nothing else. */
const clean = (name: string): Promise<unknown> => {
  const cut = cuts[name] as Cut;
  const [first, last] = { weeks: ['04', '11'], months: ['01', '30'] }[name] ?? ['10', '11'];
  const of = `select ${cut.of}, n from raw.ev where day between '2026-11-${first}' and '2026-11-${last}'`;
  return workspace.rows(`select t::text from (${of}) t(${columnsOf(cut)}, n) order by n`);
};
const held = (name: string): Promise<unknown> => workspace.rows(`select t::text from mart.${name} t order by n`);

test(
  'slices of parts of a date and of expressions are replaced, compared and undone as a clean run leaves them',
  async () => {
    const first = await workspace.cli(['run', ...tasks, ...range]);
    expect(first.code, first.err).toBe(0);
    for (const name of names) expect(await held(name), name).toEqual(await clean(name));
    await workspace.rows("update raw.ev set n = n + 100 where day = '2026-11-11'");
    const again = await workspace.cli(['run', ...tasks, ...range]);
    for (const name of names) expect(await held(name), name).toEqual(await clean(name));
    const { runId, units } = JSON.parse(again.out) as { runId: string; units: { id: string; state: string }[] };
    const daily = (state: string) =>
      units
        .filter(({ id, state: own }) => own === state && !/weeks|months/.test(id))
        .map(({ id }) => id.slice(-20, -10));
    expect(new Set(daily('changed'))).toEqual(new Set(['2026-11-11']));
    expect(daily('unchanged')).toHaveLength(4);
    expect((await workspace.cli(['undo', runId, '--yes'])).code).toBe(0);
    await workspace.rows("update raw.ev set n = n - 100 where day = '2026-11-11'");
    for (const name of names) expect(await held(name), name).toEqual(await clean(name));
  },
  patienceMs,
);

test(
  'intervals without rows are told by the same parts and expressions, and rows beside them are held',
  async () => {
    const daily = names.filter((name) => cuts[name]?.days === undefined);
    for (const name of daily) {
      const cut = cuts[name] as Cut;
      const from = "raw.ev where day < '2026-11-19' and day <> '2026-11-07'";
      await workspace.rows(`truncate mart.${name}; insert into mart.${name} select ${cut.of}, n from ${from}`);
    }
    const words = ['--now', '2026-11-19T12:00Z', '--format', 'json'];
    const gaps = await workspace.cli(['gaps', ...daily.map((name) => `d.${name}`), ...words]);
    const counted = (JSON.parse(gaps.out) as { tasks: { gaps: { unit: string }[]; untold: unknown[] }[] }).tasks;
    expect(counted).toMatchObject(
      daily.map((name) => ({ untold: [], gaps: [{ unit: `d.${name}@2026-11-07T00:00:00Z` }] })),
    );
    const stray = await workspace.cli(['run', 'd.stray', ...range]);
    expect(stray.code).toBe(3);
    expect(stray.out).toContain('of mart.stray outside its slice');
    const shown = await workspace.cli(['show', 'dags/d.py']);
    expect(shown.out).toContain("(doc ->> 'on')::date -- as it came in [day of start");
    expect(shown.out).toContain('y, m, d in [day of start');
  },
  patienceMs,
);

test(
  'a cut that the database cannot tell rows by is an error of the plan, with its cure',
  async () => {
    const asked = Object.keys(refused).map((name) => `d.${name}`);
    const { code, out } = await workspace.cli(['plan', ...asked, ...range.slice(0, 4), '--format', 'json']);
    const { findings } = JSON.parse(out) as {
      findings: { code: string; severity: string; message: string; task: string }[];
    };
    expect(code).toBe(1);
    for (const [name, [, why]] of Object.entries(refused)) {
      const found = findings.find((one) => one.code === 'unsayable-slice' && one.task === `d.${name}`);
      expect(found, name).toMatchObject({ severity: 'error', message: expect.stringContaining(why) });
    }
  },
  patienceMs,
);
