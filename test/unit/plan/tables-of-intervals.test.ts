import { describe, expect, it } from 'vitest';
import type { ReadWindow } from '../../../src/core/lineage/facts/facts.ts';
import type { DatabaseDefinitions } from '../../../src/core/pipeline/model/database-definitions.ts';
import { tablesOfIntervals } from '../../../src/core/plan/tasks/tables-of-intervals.ts';

const whole: ReadWindow = { kind: 'unbounded' };
const day: ReadWindow = { kind: 'range', column: 'day', lo: [{ anchor: 'start', steps: [] }], hi: [] };
const written = ['mart.sh_<yyyymmdd>', 'mart.h_<yyyymmddthhmiss>', 'mart.m_<yyyy_mm>', 'mart.total', 'mart.ev'];

const database: DatabaseDefinitions = {
  relations: new Map(
    [
      { name: 'mart.all_sh', parts: ['mart.sh_20261110', 'mart.sh_20261111', 'mart.total'] },
      { name: 'mart.ev', parts: ['mart.ev_20261110', 'mart.ev_rest'] },
    ].map((relation) => [
      relation.name,
      {
        kind: 'table',
        columns: [],
        types: [],
        query: undefined,
        reads: [],
        calls: [],
        hasPolicies: false,
        ...relation,
      },
    ]),
  ),
  routines: new Map(),
};
const touched = (table: string, window: ReadWindow = whole, known?: DatabaseDefinitions) =>
  tablesOfIntervals(written, known)({ table, window }).map((one) => [one.table, one.window.kind]);

describe('tables that a read touches', () => {
  it.each([
    ['mart.total', ['mart.total']],
    ['mart.sh_20261110', ['mart.sh_<yyyymmdd>']],
    ['mart.h_20261110t030000', ['mart.h_<yyyymmddthhmiss>']],
    ['mart.m_2026_11', ['mart.m_<yyyy_mm>']],
    ['mart.sh_2026111', []],
    ['mart.sh_20261110_old', []],
    ['mart.sh_2026_11', []],
    ['other.sh_20261110', []],
    ['mart.sh_<yyyymmdd>', ['mart.sh_<yyyymmdd>']],
    ['mart.sh_*', ['mart.sh_<yyyymmdd>']],
    ['mart.*', written],
  ])('%s', (table, tables) => {
    expect(touched(table).map(([name]) => name)).toEqual(tables);
  });

  it('of a single one it is not known for which interval, unless a condition says so', () => {
    expect(touched('mart.sh_20261110')).toEqual([['mart.sh_<yyyymmdd>', 'unknown']]);
    expect(touched('mart.sh_20261110', day)).toEqual([['mart.sh_<yyyymmdd>', 'range']]);
  });

  it.each([
    ['mart.all_sh', ['mart.sh_<yyyymmdd>', 'mart.total']],
    ['mart.ev', ['mart.ev']],
    ['mart.ev_20261110', ['mart.ev']],
    ['mart.ev_<yyyymmdd>', ['mart.ev']],
    ['mart.ev_2026', []],
  ])('%s by the partitions that the database has', (table, tables) => {
    expect(touched(table, day, database)).toEqual(tables.map((name) => [name, 'range']));
  });
});
