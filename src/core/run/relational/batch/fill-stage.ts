import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { callsSql, numberedStageSql, stagedSlicesSql } from '../../../warehouse/dialects/postgres/slice/batch-sql.ts';
import { sliceNumber } from '../../../warehouse/dialects/postgres/slice/pairs-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { JoinedUnits } from '../../batch/join-units.ts';
import { hasTouched, stageColumns, stageTable } from '../apply/stage.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { readCatalogWrites, runStatement, sendFor } from '../task/run-statements.ts';
import { fillSql } from '../task/slice-replacement.ts';
import { RunAlone } from './run-alone.ts';

export interface FilledStage {
  /** Columns of the target that can be written to. */
  readonly writable: readonly string[];
  readonly rows: number;
  /** How many of them are of each unit that has any. */
  readonly staged: ReadonlyMap<number, number>;
}

/** The rows of all units, each with the number of its own. */
export async function fillStage(
  unit: OpenUnit,
  relation: SliceRelation,
  { jobs, replacement, query, checks, slices }: JoinedUnits,
): Promise<FilledStage> {
  const { session, job } = unit;
  const found = await stageColumns(session, relation, replacement);
  if (found === undefined)
    throw new RunAlone('its table does more with rows than keep them, or may not be written by this role', true);
  const { columns } = relation.table;
  const filled = replacement.columns ?? columns.map(({ name }) => name);
  if (replacement.columns === undefined && found.writable.length !== columns.length)
    throw new RunAlone('its INSERT names no columns, and its table computes some', true);
  const [row = []] = (await session.query(callsSql, [JSON.stringify(query.calls), relation.table.oid])).rows;
  const [volatile, aggregate, excludes] = row;
  if (volatile) throw new RunAlone(`it calls ${volatile}, which may give something else each time`, true);
  if (aggregate && !query.grouped)
    throw new RunAlone(`it calls ${aggregate} without GROUP BY, which sees the rows of all intervals`, true);
  if (excludes === 't') throw new RunAlone('its table has exclusion constraints', true);
  if (checks.length > 0) {
    const [holds] = (await session.query(`select ${checks.join(' and ')}`)).rows[0] ?? [];
    if (holds !== 't') throw new RunAlone('the ranges of its intervals overlap or leave gaps');
  }
  await session.query(numberedStageSql(stageTable, found.columns));
  const types = filled.map((name) => plainType(columns.find((column) => column.name === name)?.baseType));
  const texts = await cheapestFill(session, jobs, query, types, (select) =>
    fillSql(stageTable, { columns: [...filled, sliceNumber.slice(1, -1)], select }),
  );
  const before = await readCatalogWrites(session);
  const leaving = { client_encoding: 'UTF8', ...job.options.settings, role: unit.start.role };
  let filledRows = 0;
  for (const text of texts.slice(0, -1)) filledRows += (await sendFor(unit, replacement.fill, text)) ?? Number.NaN;
  const ran = await runStatement(unit, replacement.fill, texts.at(-1) ?? '', leaving);
  filledRows += ran.rows ?? Number.NaN;
  if (Number.isNaN(filledRows) || ran.catalogWrites !== before)
    throw new RunAlone('its query does more than read', true);
  if (await hasTouched(session, relation)) throw new RunAlone('its query reads the table that it writes', true);
  const { rows } = await session.query(stagedSlicesSql(stageTable, slices.predicate, slices.number));
  if (rows.some(([, , strayed]) => strayed !== 'f'))
    throw new RunAlone('a row of its query is not in the slice of its interval');
  const staged = new Map(rows.map(([slice, count]) => [Number(slice) - 1, Number(count)]));
  return { writable: found.writable, rows: filledRows, staged };
}

/**
 * The statements that fill the stage: one for all units, or the query of each as it is, which needs no more memory than alone and
 * lets an index find its rows; what the server expects to cost less. Without an index each would read the whole source.
 */
async function cheapestFill(
  session: Session,
  jobs: JoinedUnits['jobs'],
  query: JoinedUnits['query'],
  types: readonly (string | undefined)[],
  fill: (select: string) => string,
): Promise<readonly string[]> {
  const select = query.sql(types as readonly string[]);
  if (select === undefined) throw new RunAlone('a literal of the interval fills a column of an uncommon type', true);
  const [merged, own] = [fill(select), jobs.map((_, index) => fill(query.own(index)))];
  const costOf = async (text: string): Promise<number> => {
    const { rows } = await session.query(`explain (format json) ${text}`);
    const [{ Plan: plan }] = JSON.parse(rows.map(([line]) => line).join('\n')) as [{ Plan: { 'Total Cost': number } }];
    return plan['Total Cost'];
  };
  // Days at the ends may be beyond what the server knows of the source.
  const each = await costOf(own[own.length >> 1] ?? '');
  return each * own.length < (await costOf(merged)) ? own : [merged];
}

/** A type that takes a literal as its column does; `undefined` for all that are not plain. */
const plainType = (baseType: string | undefined): string | undefined =>
  /^(?:text|varchar|bpchar|int[248]|numeric|date|timestamp|timestamptz)$/.test(baseType ?? '')
    ? `pg_catalog.${baseType}`
    : undefined;
