import {
  countSql,
  duplicateKeysBySql,
  duplicateKeysSql,
  figuresSql,
  movedFiguresSql,
} from '../warehouse/dialects/postgres/slice/figures-sql.ts';
import type { Session } from '../warehouse/port/ports.ts';
import type { ColumnDescription } from '../warehouse/port/table-description.ts';
import { movedFigures } from './moved-figures.ts';
import type { SliceFigures } from './slice-figures.ts';
import type { SliceRelation } from './slice-relation.ts';

/** Figures with what the protocol needs beside them. */
export interface TakenFigures {
  readonly figures: SliceFigures;
  /** Rows that this unit wrote, where asked for. */
  readonly ownRows: number;
  /** No NULL and no duplicate in the key: rows can be told apart by it. */
  readonly keyUsable: boolean;
}

/** With the sum over the versions of its rows, where that was asked for. It means something within one transaction only. */
export interface VersionedFigures extends TakenFigures {
  readonly versions?: string | undefined;
}

/** What to scan, as SQL. `versions`: which version of a row this is, as SQL. */
interface Scanned {
  readonly sql: string;
  readonly predicate: string | undefined;
  readonly versions?: string | undefined;
}

/** What the row checksum sees: all columns in the target's order but the volatile ones. */
export const comparedColumns = (relation: SliceRelation): readonly ColumnDescription[] =>
  relation.table.columns.filter((column) => !relation.volatile.includes(column.name));

export const keyColumns = (relation: SliceRelation): readonly ColumnDescription[] =>
  relation.key.flatMap((name) => relation.table.columns.find((column) => column.name === name) ?? []);

/** Count and checksums of a slice in one pass, of the live table or of a copy (which holds nothing but the slice). */
export async function takeFigures(
  session: Session,
  relation: SliceRelation,
  from: Scanned & { readonly ownAge: string | undefined },
): Promise<VersionedFigures> {
  const columns = comparedColumns(relation);
  const key = keyColumns(relation);
  const sql = figuresSql({
    from: from.sql,
    predicate: from.predicate,
    columns,
    key,
    hash: relation.hash,
    ownAge: from.ownAge,
    versions: from.versions,
  });
  const [row = []] = (await session.query(sql)).rows;
  const taken = takenFrom(row, relation, await countDuplicates(session, relation, from, Number(row[0])));
  return from.versions === undefined ? taken : { ...taken, versions: row[7] ?? '0' };
}

/**
 * The same for several slices of one table in one pass: `by` is the number of a row's slice, from 1 to `count`, as SQL. A
 * slice without rows has the figures of none.
 */
export async function takeFiguresBy(
  session: Session,
  relation: SliceRelation,
  from: Scanned & { readonly by: string; readonly count: number },
): Promise<readonly VersionedFigures[]> {
  const { predicate, by, versions } = from;
  const [columns, key] = [comparedColumns(relation), keyColumns(relation)];
  const query = { from: from.sql, predicate, columns, key, hash: relation.hash, ownAge: undefined, by, versions };
  const found = new Map((await session.query(figuresSql(query))).rows.map((row) => [Number(row.at(-1)), row]));
  const mayRepeat = relation.key.length > 0 && !relation.keyGuaranteed;
  const repeated = mayRepeat
    ? (await session.query(duplicateKeysBySql(from.sql, predicate, relation.key, by))).rows
    : [];
  const duplicates = new Map(repeated.map(([slice, rows]) => [Number(slice), Number(rows)]));
  return [...Array(from.count).keys()].map((index) => {
    const row = found.get(index + 1) ?? ['0', null, null, null, null, '0', '0'];
    const taken = takenFrom(row, relation, relation.key.length === 0 ? undefined : (duplicates.get(index + 1) ?? 0));
    return versions === undefined ? taken : { ...taken, versions: (row.length > 8 ? row[7] : undefined) ?? '0' };
  });
}

/** A slice that was measured with its versions before this transaction wrote it, and the rows that it took away. */
export interface MeasuredBefore {
  readonly before: VersionedFigures;
  readonly gone: VersionedFigures;
}

/**
 * The figures of slices that this transaction wrote, by number: only its own rows are read again, as long as the others are still
 * the versions that were read before. `undefined` for a slice of which they are not: somebody else wrote it meanwhile. Of keys that no
 * row has twice.
 */
export async function takeMovedFigures(
  session: Session,
  relation: SliceRelation,
  from: Omit<Scanned, 'versions'> & { readonly ownAge: string; readonly by?: string | undefined },
  slices: readonly MeasuredBefore[],
): Promise<readonly (TakenFigures | undefined)[]> {
  if (
    slices.length === 0 ||
    slices.some(({ before, gone }) => before.versions === undefined || gone.versions === undefined)
  )
    return slices.map(() => undefined);
  const { sql, predicate, ownAge, by } = from;
  const [columns, key] = [comparedColumns(relation), keyColumns(relation)];
  const { rows } = await session.query(
    movedFiguresSql({ from: sql, predicate, columns, key, hash: relation.hash, ownAge, by }),
  );
  const found = new Map(rows.map((row) => [by === undefined ? 1 : Number(row.at(-1)), row]));
  return slices.map(({ before, gone }, index) => {
    const [versions, kept, own, row0, row1, key0, key1] = found.get(index + 1) ?? ['0', '0', '0'];
    const stayed = BigInt(before.versions ?? '0') - BigInt(gone.versions ?? '0');
    if (BigInt(versions ?? '0') !== stayed || Number(kept) !== before.figures.rows - gone.figures.rows)
      return undefined;
    const come = { rows: Number(own), rowChecksum: checksum(row0, row1), keyChecksum: checksum(key0, key1) };
    return { ...before, figures: movedFigures(before.figures, gone.figures, come), ownRows: come.rows };
  });
}

function takenFrom(
  [rows, row0, row1, key0, key1, nullKeys, own]: readonly (string | null)[],
  relation: SliceRelation,
  duplicateKeys: number | undefined,
): TakenFigures {
  const hasKey = keyColumns(relation).length > 0;
  const columns = comparedColumns(relation).map(({ name }) => name);
  return {
    figures: {
      rows: Number(rows),
      keyChecksum: hasKey ? checksum(key0, key1) : undefined,
      rowChecksum: checksum(row0, row1),
      algorithm: `${relation.hash === 'hash' ? 'record-hash' : 'record-md5'}/1 ${relation.server.split('.')[0]} ${columns.join(',')}`,
      duplicateKeys,
    },
    ownRows: Number(own),
    keyUsable: hasKey && duplicateKeys === 0 && Number(nullKeys) === 0,
  };
}

/** The row count alone, for runs that compare nothing. Its algorithm never equals one with checksums. */
export async function takeCount(
  session: Session,
  from: { readonly sql: string; readonly predicate: string | undefined; readonly ownAge: string | undefined },
): Promise<TakenFigures> {
  const [rows, own] = (await session.query(countSql(from.sql, from.predicate, from.ownAge))).rows[0] ?? [];
  return {
    figures: {
      rows: Number(rows),
      keyChecksum: undefined,
      rowChecksum: '',
      algorithm: 'count/1',
      duplicateKeys: undefined,
    },
    ownRows: Number(own),
    keyUsable: false,
  };
}

async function countDuplicates(
  session: Session,
  relation: SliceRelation,
  from: { readonly sql: string; readonly predicate: string | undefined },
  rows: number,
): Promise<number | undefined> {
  if (relation.key.length === 0) return undefined;
  if (relation.keyGuaranteed || rows < 2) return 0;
  const result = await session.query(duplicateKeysSql(from.sql, from.predicate, relation.key));
  return Number(result.rows[0]?.[0]);
}

/** Both sums as 96-bit two's complement: a sum of 64-bit hashes over 2³² rows still fits. */
export function checksum(sum0: string | null | undefined, sum1: string | null | undefined): string {
  const half = (sum: string | null | undefined) =>
    BigInt.asUintN(96, BigInt(sum ?? '0'))
      .toString(16)
      .padStart(24, '0');
  return half(sum0) + half(sum1);
}

/** Equal figures mean equal rows; a mere count never does. */
export const sameFigures = (before: TakenFigures, after: TakenFigures): boolean =>
  before.figures.algorithm === after.figures.algorithm &&
  before.figures.rowChecksum !== '' &&
  before.figures.rows === after.figures.rows &&
  before.figures.rowChecksum === after.figures.rowChecksum;
