import { sumsBySlice } from '../../../diff/column-sums.ts';
import { comparePairs, type RowComparison } from '../../../diff/compare-rows.ts';
import { movedFigures } from '../../../diff/moved-figures.ts';
import type { SliceRelation } from '../../../diff/slice-relation.ts';
import {
  comparedColumns,
  type KnownFigures,
  sameFigures,
  type TakenFigures,
  takeFiguresBy,
  takeKnownFigures,
  type VersionedFigures,
} from '../../../diff/take-figures.ts';
import {
  analyzeSql,
  clearSlicesSql,
  copySlicesSql,
  countDifferingSql,
  differingSlicesSql,
  fillSlicesSql,
  indexSlicesSql,
  numberedRowsSql,
  type SlicesQuery,
  sliceRowsSql,
} from '../../../warehouse/dialects/postgres/slice/batch-sql.ts';
import { versionHash } from '../../../warehouse/dialects/postgres/slice/figures-sql.ts';
import {
  countPairsSql,
  deletePairsSql,
  differingPairsSql,
  insertPairsSql,
  oldVersion,
  pairedRowsSql,
  pairSideSql,
  sliceNumber,
} from '../../../warehouse/dialects/postgres/slice/pairs-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { withMemoryFor } from '../../session/session-settings.ts';
import { oldCopy } from '../../tables/slice-state.ts';
import type { ComparedSlice } from '../apply/compare-slices.ts';
import { stageTable } from '../apply/stage.ts';
import { RunAlone } from './run-alone.ts';

/** The slices of several units beside what their tasks would make of them; by unit. */
export interface ComparedTogether {
  readonly before: readonly VersionedFigures[];
  readonly after: readonly VersionedFigures[];
  /** The rows that go, where the slices were measured with their versions. */
  readonly gone: readonly VersionedFigures[];
  /** Of the rows that are told apart by a key, those that differ, by unit; `undefined`: there is no such key. */
  readonly moved: ReadonlyMap<number, number> | undefined;
  /** Where the rows of a slice are, and what they add up to. */
  of(index: number): Pick<ComparedSlice, 'sides' | 'whole' | 'rows' | 'sums' | 'oldRows'>;
  /** Statements that take rows of these slices away and put theirs in: of all, or only those that differ. */
  writing(slices: readonly number[], isPart: boolean): { readonly clear: string; readonly fill: string };
}

interface Question {
  readonly session: Session;
  /** Of all slices. */
  readonly relation: SliceRelation;
  readonly query: Omit<SlicesQuery, 'old'>;
  readonly count: number;
  /** How many rows are staged, by unit. */
  readonly staged: ReadonlyMap<number, number>;
  readonly writable: readonly string[];
  readonly sliceColumn: string | undefined;
  /** Rows that differ are to be told, with what columns add up to. */
  readonly tellsRows: boolean;
  readonly samples: number;
  /** By unit: what its slice was when its last version was made. */
  readonly known: readonly (KnownFigures | undefined)[] | undefined;
}

/** The rows of all slices as they are, each with its number. */
export const liveRows = ({ live, columns, predicate, number }: Question['query']): string =>
  numberedRowsSql(live, columns, predicate, number);

const pairs = 'pg_temp.backfill_pairs';

/**
 * Where the differing pairs of rows tell all: figures come from one pass over the slices as they are and from the pairs. Throws
 * {@link RunAlone} where a key is staged twice.
 */
export async function compareByPairs(question: Question): Promise<ComparedTogether> {
  const { session, relation, query, count, writable, staged } = question;
  const { live, predicate, number, columns, key } = query;
  const versions = relation.hash === 'hash' ? versionHash : undefined;
  const from = { sql: live, predicate, by: number, storage: relation.table.storage };
  const before =
    (await takeKnownFigures(session, relation, from, question.known ?? [undefined])) ??
    (await takeFiguresBy(session, relation, { ...from, count, versions }));
  const asked = { ...query, stage: stageTable, versions };
  const rows = [...staged.values()].reduce((sum, own) => sum + own, 0);
  await withMemoryFor(session, rows, () => session.query(differingPairsSql(pairs, asked)));
  await session.query(indexSlicesSql(pairs));
  await session.query(analyzeSql(pairs));
  const moved = countsOf((await session.query(countPairsSql(pairs))).rows);
  const beside = versions === undefined ? [] : [oldVersion];
  const [gone, come] = [pairSideSql(pairs, columns, 'old', 'all', beside), pairSideSql(pairs, columns, 'new', 'all')];
  const figures = (sql: string, version?: string) =>
    takeFiguresBy(session, relation, { sql, predicate: undefined, by: sliceNumber, count, versions: version });
  const [went, came] = moved.size === 0 ? [[], []] : [await figures(gone, versions && oldVersion), await figures(come)];
  const after = before.map((taken, index): VersionedFigures => {
    const [old, now] = [went[index]?.figures, came[index]?.figures];
    const figures = old === undefined || now === undefined ? taken.figures : movedFigures(taken.figures, old, now);
    if (figures.rows !== (staged.get(index) ?? 0)) throw new RunAlone('a key is in its rows more than once');
    // Which versions it will have is known when it is written.
    return moved.has(index) ? { figures, ownRows: 0, keyUsable: taken.keyUsable } : taken;
  });
  const sides = { live, predicate, stage: stageTable, gone, come, by: [number, sliceNumber] as const };
  const tells = question.tellsRows && moved.size > 0;
  const rowsBySlice: ReadonlyMap<number, RowComparison> = tells
    ? await comparePairs(
        session,
        relation,
        { from: pairedRowsSql(pairs, columns), by: `p.${sliceNumber}` },
        question.samples,
      )
    : new Map();
  const sums = tells
    ? await sumsBySlice(session, relation, sides, question.sliceColumn === undefined ? [] : [question.sliceColumn])
    : new Map<number, never>();
  return {
    before,
    after,
    gone: went,
    moved,
    of(index) {
      const side = (of: 'old' | 'new' | 'added') => pairSideSql(pairs, columns, of, index + 1);
      const slice = index + 1;
      const compared = rowsBySlice.get(slice);
      return {
        sides: { old: side('old'), live: side('new'), predicate: undefined },
        rows: compared && (() => compared),
        sums: sums.get(slice) ?? [],
        oldRows: {
          ...{ rows: side('old'), part: { added: side('added'), key: key.map(({ name }) => name) } },
          among: { pairs, slice },
        },
      };
    },
    writing(slices, isPart) {
      if (!isPart) return writingAll(asked, writable, slices);
      return {
        clear: deletePairsSql(pairs, asked, slices),
        fill: insertPairsSql(pairs, asked, writable, slices),
      };
    },
  };
}

const old = oldCopy(0);
const differing = 'pg_temp.backfill_differing';

/** Where rows are not told apart for sure, or not by all that is compared: both sides are taken whole. */
export async function compareByCopies(question: Question): Promise<ComparedTogether> {
  const { session, relation, count, writable } = question;
  const query: SlicesQuery = { ...question.query, old };
  const { live, columns, predicate, number, key, stage } = query;
  await session.query(copySlicesSql(old, live, columns, predicate, number));
  for (const table of [old, stage]) await session.query(analyzeSql(table));
  const copied = { predicate: undefined, by: sliceNumber, count };
  const before = await takeFiguresBy(session, relation, { ...copied, sql: old });
  const after = await takeFiguresBy(session, { ...relation, keyGuaranteed: false }, { ...copied, sql: stage });
  const isKeyed =
    key.length > 0 &&
    comparedColumns(relation).length === columns.length &&
    [...before, ...after].every(({ figures, keyUsable }) => figures.rows === 0 || keyUsable);
  const moved = isKeyed ? await differingRows(session, query) : undefined;
  const others = before.some((figures, index) => !sameFigures(figures, after[index] as TakenFigures));
  if (others) for (const table of [old, stage]) await session.query(indexSlicesSql(table));
  const rows = (table: string, index: number, isPart: boolean) =>
    sliceRowsSql(table, columns, index + 1, isPart && isKeyed ? { table: differing, key } : undefined);
  const sides = (index: number, isPart: boolean) => ({
    old: rows(old, index, isPart),
    live: rows(stage, index, isPart),
    predicate: undefined,
  });
  return {
    before,
    after,
    gone: [],
    moved,
    of: (index) => ({
      sides: sides(index, true),
      whole: sides(index, false),
      oldRows: { rows: rows(old, index, false) },
    }),
    writing(slices, isPart) {
      const part = { slices, differing: isPart ? differing : undefined };
      return { clear: clearSlicesSql(query, part), fill: fillSlicesSql(query, writable, part) };
    },
  };
}

function writingAll(query: Omit<SlicesQuery, 'old'>, writable: readonly string[], slices: readonly number[]) {
  const all = { slices, differing: undefined };
  return { clear: clearSlicesSql(query, all), fill: fillSlicesSql(query, writable, all) };
}

/** How many rows differ, by slice. */
async function differingRows(session: Session, query: SlicesQuery): Promise<ReadonlyMap<number, number>> {
  await session.query(differingSlicesSql(differing, query));
  await session.query(analyzeSql(differing));
  return countsOf((await session.query(countDifferingSql(differing))).rows);
}

/** By unit: slices are numbered from 1. */
const countsOf = (rows: readonly (readonly (string | null)[])[]): ReadonlyMap<number, number> =>
  new Map(rows.map(([slice, count]) => [Number(slice) - 1, Number(count)]));
