import { sameSum } from '../../../diff/row-sum.ts';
import type { SliceRelation } from '../../../diff/slice-relation.ts';
import {
  comparedColumns,
  keyColumns,
  sameFigures,
  type TakenFigures,
  takeFiguresBy,
} from '../../../diff/take-figures.ts';
import {
  callsSql,
  clearSlicesSql,
  copySlicesSql,
  countDifferingSql,
  differingSlicesSql,
  fillSlicesSql,
  indexSlicesSql,
  movedKeysSql,
  numberedStageSql,
  type SlicesQuery,
  sliceNumber,
  sliceRowsSql,
  strayedSql,
} from '../../../warehouse/dialects/postgres/slice/batch-sql.ts';
import { type UniqueIndex, uniqueIndexesSql } from '../../../warehouse/dialects/postgres/slice/shadow-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { TableDescription } from '../../../warehouse/port/table-description.ts';
import type { JoinedUnits } from '../../batch/join-units.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { isTextual, oldCopy } from '../../tables/slice-state.ts';
import { tableSql } from '../../tables/target.ts';
import { compareSlices } from '../apply/compare-slices.ts';
import { hasTouched, stageColumns } from '../apply/stage.ts';
import { findEscape, readWrittenTables } from '../guards/escape.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { readCatalogWrites, runStatement, sendFor } from '../task/run-statements.ts';
import { fillSql } from '../task/slice-replacement.ts';
import { RunAlone } from './run-alone.ts';

const stage = 'pg_temp.backfill_stage';
const differing = 'pg_temp.backfill_differing';
const old = oldCopy(0);

/** The slices of several units, compared with what their tasks would make of them; nothing is written yet. */
export interface TogetherSlices {
  /** By unit. */
  readonly applied: readonly AppliedSlice[];
  readonly notes: readonly string[];
  /** The old rows of the slice of a unit, as SQL. */
  oldRows(unit: number): string;
  /** Writes the slices of these units, and makes sure that they are then what was compared. */
  publish(units: readonly number[]): Promise<void>;
}

/**
 * Runs the query of all units into one table, and compares its rows with those of the slices. Throws {@link RunAlone} where the
 * target does more with rows than keep them, or where a row might not be the one that a unit alone would make.
 */
export async function applyTogether(unit: OpenUnit, units: JoinedUnits): Promise<TogetherSlices> {
  const { session, targets, plan } = unit;
  const { jobs, slices } = units;
  const relation = targets[0]?.relation;
  if (relation === undefined) throw new RunAlone('its table is not there yet');
  if (isTextual(relation)) throw new RunAlone('its table has columns that are compared as text', true);
  const whole: SliceRelation = { ...relation, predicate: slices.predicate };
  const columns = await fillStage(unit, whole, units);
  const query: SlicesQuery = {
    stage,
    old,
    live: tableSql(relation.table),
    columns: relation.table.columns,
    key: keyColumns(relation),
    predicate: slices.predicate,
    number: slices.number,
  };
  await session.query(copySlicesSql(old, query.live, query.columns, query.predicate, query.number));
  const copied = { predicate: undefined, by: sliceNumber, count: jobs.length };
  const before = await takeFiguresBy(session, whole, { ...copied, sql: old });
  const staged = await takeFiguresBy(session, { ...whole, keyGuaranteed: false }, { ...copied, sql: stage });
  if (staged.reduce((sum, { figures }) => sum + figures.rows, 0) !== columns.rows)
    throw new RunAlone('a row of its query is in no slice');
  await refuseMovedKeys(session, query, relation.table, targets[0]?.slice.column);
  const isKeyed =
    query.key.length > 0 &&
    comparedColumns(relation).length === query.columns.length &&
    [...before, ...staged].every(({ figures, keyUsable }) => figures.rows === 0 || keyUsable);
  const moved = isKeyed ? await differingRows(session, query) : undefined;
  const others = before.some((figures, index) => !sameFigures(figures, staged[index] as TakenFigures));
  if (others) for (const table of [old, stage]) await session.query(indexSlicesSql(table));
  const applied: AppliedSlice[] = [];
  for (const [index, job] of jobs.entries()) {
    const target = targets[index];
    const [was, is] = [before[index], staged[index]];
    if (target?.relation === undefined || was === undefined || is === undefined)
      throw new RunAlone('a slice of it is not known');
    const rows = (table: string, isPart: boolean) =>
      sliceRowsSql(
        table,
        query.columns,
        index + 1,
        isPart && isKeyed ? { table: differing, key: query.key } : undefined,
      );
    const sides = (isPart: boolean) => ({ old: rows(old, isPart), live: rows(stage, isPart), predicate: undefined });
    const slice = { target, index, relation: target.relation, column: target.slice.column, before: was, after: is };
    const compared = await compareSlices({ session, job, plan: { ...plan, notes: [] } }, [
      { ...slice, sides: sides(true), whole: sides(false), replaced: true },
    ]);
    const [one] = compared.slices;
    if (one !== undefined) applied.push(one);
  }
  const publish = (written: readonly number[]): Promise<void> =>
    publishSlices(unit, { units, query, relation: whole, writable: columns.writable, before, staged, moved }, written);
  return {
    applied,
    notes: plan.notes,
    oldRows: (index) => sliceRowsSql(old, query.columns, index + 1),
    publish,
  };
}

/** The rows of all units, each with the number of its own. */
async function fillStage(
  unit: OpenUnit,
  relation: SliceRelation,
  { replacement, query, checks, slices }: JoinedUnits,
): Promise<{ readonly writable: readonly string[]; readonly rows: number }> {
  const { session, job } = unit;
  const found = await stageColumns(session, relation, replacement);
  if (found === undefined)
    throw new RunAlone('its table does more with rows than keep them, or may not be written by this role', true);
  const { columns } = relation.table;
  const filled = replacement.columns ?? columns.map(({ name }) => name);
  if (replacement.columns === undefined && found.writable.length !== columns.length)
    throw new RunAlone('its INSERT names no columns, and its table computes some', true);
  const types = filled.map((name) => plainType(columns.find((column) => column.name === name)?.baseType));
  const select = query.sql(types as readonly string[]);
  if (select === undefined) throw new RunAlone('a literal of the interval fills a column of an uncommon type', true);
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
  await session.query(numberedStageSql(stage, found.columns));
  const before = await readCatalogWrites(session);
  const leaving = { client_encoding: 'UTF8', ...job.options.settings, role: unit.start.role };
  const text = fillSql(stage, { columns: [...filled, sliceNumber.slice(1, -1)], select });
  const ran = await runStatement(unit, replacement.fill, text, leaving);
  if (ran.rows === undefined || ran.catalogWrites !== before) throw new RunAlone('its query does more than read', true);
  if (await hasTouched(session, relation)) throw new RunAlone('its query reads the table that it writes', true);
  const [strayed] = (await session.query(strayedSql(stage, slices.predicate, slices.number))).rows[0] ?? [];
  if (strayed !== 'f') throw new RunAlone('a row of its query is not in the slice of its interval');
  return { writable: found.writable, rows: ran.rows };
}

/** A type that takes a literal as its column does; `undefined` for all that are not plain. */
const plainType = (baseType: string | undefined): string | undefined =>
  /^(?:text|varchar|bpchar|int[248]|numeric|date|timestamp|timestamptz)$/.test(baseType ?? '')
    ? `pg_catalog.${baseType}`
    : undefined;

/** Alone, a unit that puts a row where another slice still has its key fails; together it would not. */
async function refuseMovedKeys(
  session: Session,
  query: SlicesQuery,
  table: TableDescription,
  sliceColumn: string | undefined,
): Promise<void> {
  const json = (await session.query(uniqueIndexesSql, [table.oid])).rows[0]?.[0];
  for (const index of json ? (JSON.parse(json) as UniqueIndex[]) : []) {
    if (sliceColumn !== undefined && index.columns.includes(sliceColumn) && !index.special) continue;
    if (index.special) throw new RunAlone('a unique index of its table takes values for equal that are not', true);
    const [moved] = (await session.query(movedKeysSql(query, index))).rows[0] ?? [];
    if (moved !== 'f') throw new RunAlone('a key moves from the slice of one interval to that of another');
  }
}

/** How many rows differ, by slice. */
async function differingRows(session: Session, query: SlicesQuery): Promise<ReadonlyMap<number, number>> {
  await session.query(differingSlicesSql(differing, query));
  const { rows } = await session.query(countDifferingSql(differing));
  return new Map(rows.map(([slice, count]) => [Number(slice) - 1, Number(count)]));
}

interface Publication {
  readonly units: JoinedUnits;
  readonly query: SlicesQuery;
  readonly relation: SliceRelation;
  readonly writable: readonly string[];
  readonly before: readonly TakenFigures[];
  readonly staged: readonly TakenFigures[];
  /** Rows that differ, by slice; `undefined`: no key tells them apart. */
  readonly moved: ReadonlyMap<number, number> | undefined;
}

async function publishSlices(
  unit: OpenUnit,
  { units, query, relation, writable, before, staged, moved }: Publication,
  written: readonly number[],
): Promise<void> {
  const { session, position } = unit;
  const { clear, fill } = units.replacement;
  const rows = (figures: readonly TakenFigures[]): number =>
    written.reduce((sum, index) => sum + (figures[index]?.figures.rows ?? 0), 0);
  const differ = written.reduce((sum, index) => sum + (moved?.get(index) ?? 0), 0);
  const isPart = moved !== undefined && differ < Math.min(rows(before), rows(staged)) / 2;
  const part = { slices: written.map((index) => index + 1), differing: isPart ? differing : undefined };
  await sendFor(unit, clear, clearSlicesSql(query, part));
  await sendFor(unit, fill, fillSlicesSql(query, writable, part));
  await session.query('set constraints all immediate');
  const tables = await readWrittenTables(session);
  const [first] = before;
  const slice = { relation, column: unit.targets[0]?.slice.column, before: first, after: first as TakenFigures };
  const verdict = await findEscape(session, [slice], position, { plain: true, proven: true, written: tables });
  if (verdict.kind !== 'none') throw new RunAlone('it writes to other tables');
  const from = { sql: query.live, predicate: query.predicate, by: query.number, count: units.jobs.length };
  const after = await takeFiguresBy(session, relation, from);
  // Somebody else wrote them meanwhile, or the table keeps other rows than it is given.
  const isSame = written.every((index) => sameSum(after[index]?.figures as never, staged[index]?.figures as never));
  if (!isSame) throw new RunAlone('its slices are not what it wrote');
}
