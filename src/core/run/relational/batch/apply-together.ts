import { sameSum } from '../../../diff/row-sum.ts';
import type { SliceRelation } from '../../../diff/slice-relation.ts';
import {
  keyColumns,
  type TakenFigures,
  takeFiguresBy,
  takeMovedFigures,
  type VersionedFigures,
} from '../../../diff/take-figures.ts';
import { movedKeysSql, type SlicesQuery } from '../../../warehouse/dialects/postgres/slice/batch-sql.ts';
import { type UniqueIndex, uniqueIndexesSql } from '../../../warehouse/dialects/postgres/slice/shadow-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { TableDescription } from '../../../warehouse/port/table-description.ts';
import type { JoinedUnits } from '../../batch/join-units.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { isTextual } from '../../tables/slice-state.ts';
import { tableSql } from '../../tables/target.ts';
import { compareSlices } from '../apply/compare-slices.ts';
import { toldByPairs } from '../apply/publish-stage.ts';
import { stageTable } from '../apply/stage.ts';
import { findEscape, readWrittenTables, uncountedTables } from '../guards/escape.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { sendFor } from '../task/run-statements.ts';
import { type ComparedTogether, compareByCopies, compareByPairs, liveRows } from './compare-together.ts';
import { fillStage } from './fill-stage.ts';
import { RunAlone } from './run-alone.ts';

/** The slices of several units, compared with what their tasks would make of them; nothing is written yet. */
export interface TogetherSlices {
  /** By unit. */
  readonly applied: readonly AppliedSlice[];
  readonly notes: readonly string[];
  /** Writes the slices of these units, and makes sure that they are then what was compared; tells of each what it is. */
  publish(units: readonly number[]): Promise<readonly (VersionedFigures | undefined)[]>;
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
  const { rows, writable, staged } = await fillStage(unit, whole, units);
  const query = {
    stage: stageTable,
    live: tableSql(relation.table),
    columns: relation.table.columns,
    key: keyColumns(relation),
    predicate: slices.predicate,
    number: slices.number,
  };
  const sliceColumn = targets[0]?.slice.column;
  await refuseMovedKeys(session, { ...query, old: liveRows(query) }, relation.table, sliceColumn);
  const { compare, samples } = unit.job.options;
  const asked = { sliceColumn, tellsRows: compare === 'rows', samples };
  const question = {
    session,
    relation: whole,
    query,
    count: jobs.length,
    staged,
    writable,
    known: unit.known,
    ...asked,
  };
  const compared = await (toldByPairs(relation) ? compareByPairs : compareByCopies)(question);
  const { before, after } = compared;
  if (after.reduce((sum, { figures }) => sum + figures.rows, 0) !== rows)
    throw new RunAlone('a row of its query is in no slice');
  const applied: AppliedSlice[] = [];
  for (const [index, job] of jobs.entries()) {
    const target = targets[index];
    const [was, is] = [before[index], after[index]];
    if (target?.relation === undefined || was === undefined || is === undefined)
      throw new RunAlone('a slice of it is not known');
    const slice = { target, index, relation: target.relation, column: target.slice.column, before: was, after: is };
    const found = await compareSlices({ session, job, plan: { ...plan, notes: [] } }, [
      { ...slice, ...compared.of(index), replaced: true },
    ]);
    const [one] = found.slices;
    if (one !== undefined) applied.push(one);
  }
  return {
    applied,
    notes: plan.notes,
    publish: (written) => publishSlices(unit, { units, query, relation: whole, compared }, written),
  };
}

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

interface Publication {
  readonly units: JoinedUnits;
  readonly query: Omit<SlicesQuery, 'old'>;
  readonly relation: SliceRelation;
  readonly compared: ComparedTogether;
}

async function publishSlices(
  unit: OpenUnit,
  { units, query, relation, compared }: Publication,
  written: readonly number[],
): Promise<readonly (VersionedFigures | undefined)[]> {
  const { session, position } = unit;
  const { clear, fill } = units.replacement;
  const { before, after, moved: differing } = compared;
  const rows = (figures: readonly TakenFigures[]): number =>
    written.reduce((sum, index) => sum + (figures[index]?.figures.rows ?? 0), 0);
  const differ = written.reduce((sum, index) => sum + (differing?.get(index) ?? 0), 0);
  const isPart = differing !== undefined && differ < Math.min(rows(before), rows(after)) / 2;
  const statements = compared.writing(
    written.map((index) => index + 1),
    isPart,
  );
  await sendFor(unit, clear, statements.clear);
  await sendFor(unit, fill, statements.fill);
  await session.query('set constraints all immediate');
  const tables = await readWrittenTables(session);
  const [first] = before;
  const slice = { relation, column: unit.targets[0]?.slice.column, before: first, after: first as TakenFigures };
  const verdict = await findEscape(session, [slice], position, { plain: true, proven: true, written: tables });
  if (verdict.kind !== 'none' || uncountedTables(tables).length > 0) throw new RunAlone('it writes to other tables');
  const from = { sql: query.live, predicate: query.predicate, by: query.number, count: units.jobs.length };
  const measured = before.flatMap((taken, index) => {
    const gone = compared.gone[index];
    return gone === undefined || !isPart ? [] : [{ before: taken, gone }];
  });
  const { ownAge } = position;
  const moved = await takeMovedFigures(
    session,
    relation,
    { ...from, ownAge, storage: relation.table.storage },
    measured,
  );
  const isKnown = written.every((index) => moved[index] !== undefined);
  const now = isKnown ? moved : await takeFiguresBy(session, relation, from);
  // Somebody else wrote them meanwhile, or the table keeps other rows than it is given.
  const isSame = written.every((index) => sameSum(now[index]?.figures as never, after[index]?.figures as never));
  if (!isSame) throw new RunAlone('its slices are not what it wrote');
  return now.map((figures, index) => (written.includes(index) ? figures : undefined));
}
