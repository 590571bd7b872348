import type pg from 'pg';
import { ledgerSchema } from '../src/core/sql/names/ledger-name.ts';

/** Units of each run; every eighth run makes the same slices again. */
export const unitsOfRun = 1000;
const slices = 8 * unitsOfRun;

/** The units of runs as one statement sees them: `r` the run, `u` its unit, `k` the slice, `day` where that begins. */
const unitsSql = `
from generate_series($1::int, $2::int) r, generate_series(0, ${unitsOfRun - 1}) u,
  lateral (select (r * ${unitsOfRun} + u) % ${slices} as k) x,
  lateral (select 'run-' || lpad(r::text, 4, '0') as run, 'mart.t' || k % 4 as target, 'shop.t' || k % 4 as task,
    timestamp '2010-01-01' + k / 4 * interval '1 day' as day) y,
  lateral (select task || '@' || to_char(day, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as unit) z`;

/** Writes the records of runs from one number to another into a ledger that is there, as though each had changed its rows. */
export async function recordRuns(client: pg.Client, from: number, to: number): Promise<void> {
  const range = [from, to];
  await client.query(
    `insert into ${ledgerSchema}.runs (run, title, created_at, created_by, document)
    select 'run-' || lpad(r::text, 4, '0'), 'shop', timestamptz '2026-01-01' + r * interval '1 hour', 'bench', '{}'
    from generate_series($1::int, $2::int) r`,
    range,
  );
  await client.query(
    `insert into ${ledgerSchema}.units (run, unit, position, state, attempts, duration_ms, slices)
    select run, unit, u, 'changed', 1, 40, '[{"table":"mart.t","column":"day","rowsBefore":100,"rowsAfter":100}]' ${unitsSql}`,
    range,
  );
  await client.query(
    `insert into ${ledgerSchema}.versions (run, unit, slice, task, target, slice_column, lower, upper, state, row_count,
      key_checksum, row_checksum, algorithm, schema_hash, statements_hash, definitions_hash, code_hash, settings, inputs, diff, owner)
    select run, unit, target || '|day|' || day, task, target, 'day', day, day + interval '1 day', 'changed', 100,
      md5(k::text), md5((k * r)::text), 'bench', md5('s'), md5('t'), md5('d'), md5('c'), '{"timezone":"UTC"}',
      json_build_array(json_build_object('table', 'raw.events', 'column', 'ts', 'lower', day, 'upper', day + interval '1 day',
        'rows', 100, 'checksum', md5(k::text), 'versions', '[]'::json)), '{"added":1,"removed":0,"changed":2}', 'bench' ${unitsSql}`,
    range,
  );
  // What autovacuum would have done by then.
  await client.query('vacuum analyze');
}
