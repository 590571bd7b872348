import {
  countSql,
  duplicateKeysBySql,
  duplicateKeysSql,
  figuresSql,
  movedFiguresSql,
  versionsSql,
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

/** With the sum over the versions of its rows, where that was asked for. */
export interface VersionedFigures extends TakenFigures {
  readonly versions?: string | undefined;
  /** What that sum means something within; absent: within one transaction only. */
  readonly place?: VersionsPlace | undefined;
}

/** The same versions are the same rows where they are of the same files and columns, and transactions have not been numbered all anew. */
export interface VersionsPlace {
  readonly files: string;
  /** Number of the transaction that looked. */
  readonly at: string;
}

/** Figures of a slice that were taken once, and of which versions of rows. */
export interface KnownFigures {
  readonly figures: SliceFigures;
  readonly versions: string;
  readonly place: VersionsPlace;
}

/** What to scan, as SQL. `versions`: which version of a row this is, as SQL. */
interface Scanned {
  readonly sql: string;
  readonly predicate: string | undefined;
  readonly versions?: string | undefined;
  /** Tables whose rows these versions are, by oid, where the sum is to mean something later, too. */
  readonly storage?: readonly string[] | undefined;
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
    storage: from.storage,
  });
  const [row = []] = (await session.query(sql)).rows;
  const taken = takenFrom(row, relation, await countDuplicates(session, relation, from, Number(row[0])));
  return from.versions === undefined ? taken : { ...taken, versions: row[7] ?? '0', place: placeOf(row[8], row[9]) };
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
  const { predicate, by, versions, storage } = from;
  const [columns, key] = [comparedColumns(relation), keyColumns(relation)];
  const query = {
    from: from.sql,
    predicate,
    columns,
    key,
    hash: relation.hash,
    ownAge: undefined,
    by,
    versions,
    storage,
  };
  const found = new Map((await session.query(figuresSql(query))).rows.map((row) => [Number(row.at(-1)), row]));
  const mayRepeat = relation.key.length > 0 && !relation.keyGuaranteed;
  const repeated = mayRepeat
    ? (await session.query(duplicateKeysBySql(from.sql, predicate, relation.key, by))).rows
    : [];
  const duplicates = new Map(repeated.map(([slice, rows]) => [Number(slice), Number(rows)]));
  return [...Array(from.count).keys()].map((index) => {
    const row = found.get(index + 1) ?? ['0', null, null, null, null, '0', '0'];
    const taken = takenFrom(row, relation, relation.key.length === 0 ? undefined : (duplicates.get(index + 1) ?? 0));
    if (versions === undefined) return taken;
    const [sum, files, at] = row.length > 8 ? row.slice(7) : [];
    return { ...taken, versions: sum ?? '0', place: storage && placeOf(files, at) };
  });
}

const placeOf = (files: string | null | undefined, at: string | null | undefined): VersionsPlace | undefined =>
  files && at ? { files, at } : undefined;

/** Before the numbers of transactions come again. */
const mostTransactions = 2n ** 31n;

/**
 * The figures of slices of which it is known what they were when they had these versions of rows: `undefined` unless each of them has
 * them still. Of keys that no row has twice.
 */
export async function takeKnownFigures(
  session: Session,
  relation: SliceRelation,
  from: Omit<Scanned, 'versions'> & { readonly by?: string | undefined },
  known: readonly (KnownFigures | undefined)[],
): Promise<readonly VersionedFigures[] | undefined> {
  if (!known.every((one) => one !== undefined)) return undefined;
  const { predicate, by, storage } = from;
  const { rows } = await session.query(versionsSql({ from: from.sql, predicate, storage, by }));
  const found = new Map(rows.map((row) => [by === undefined ? 1 : Number(row.at(-1)), row]));
  const taken = known.map(({ figures, versions, place }, index): VersionedFigures | undefined => {
    const [count, sum, files, at] = found.get(index + 1) ?? [];
    const now = placeOf(files, at);
    const same = now?.files === place.files && Number(count) === figures.rows && sum === versions;
    if (now === undefined || !same || BigInt(now.at) - BigInt(place.at) >= mostTransactions) return undefined;
    return { figures, ownRows: 0, keyUsable: keyColumns(relation).length > 0, versions, place: now };
  });
  return taken.every((one) => one !== undefined) ? taken : undefined;
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
): Promise<readonly (VersionedFigures | undefined)[]> {
  if (
    slices.length === 0 ||
    slices.some(({ before, gone }) => before.versions === undefined || gone.versions === undefined)
  )
    return slices.map(() => undefined);
  const { sql, predicate, ownAge, by, storage } = from;
  const [columns, key] = [comparedColumns(relation), keyColumns(relation)];
  const { rows } = await session.query(
    movedFiguresSql({ from: sql, predicate, columns, key, hash: relation.hash, ownAge, by, storage }),
  );
  const found = new Map(rows.map((row) => [by === undefined ? 1 : Number(row.at(-1)), row]));
  return slices.map(({ before, gone }, index) => {
    const [versions, kept, own, row0, row1, key0, key1, all, files, at] = found.get(index + 1) ?? ['0', '0', '0'];
    const stayed = BigInt(before.versions ?? '0') - BigInt(gone.versions ?? '0');
    if (BigInt(versions ?? '0') !== stayed || Number(kept) !== before.figures.rows - gone.figures.rows)
      return undefined;
    const come = { rows: Number(own), rowChecksum: checksum(row0, row1), keyChecksum: checksum(key0, key1) };
    const figures = movedFigures(before.figures, gone.figures, come);
    return { ...before, figures, ownRows: come.rows, versions: all ?? '0', place: storage && placeOf(files, at) };
  });
}

function takenFrom(
  [rows, row0, row1, key0, key1, nullKeys, own]: readonly (string | null)[],
  relation: SliceRelation,
  duplicateKeys: number | undefined,
): TakenFigures {
  const hasKey = keyColumns(relation).length > 0;
  return {
    figures: {
      rows: Number(rows),
      keyChecksum: hasKey ? checksum(key0, key1) : undefined,
      rowChecksum: checksum(row0, row1),
      algorithm: algorithmOf(relation),
      duplicateKeys,
    },
    ownRows: Number(own),
    keyUsable: hasKey && duplicateKeys === 0 && Number(nullKeys) === 0,
  };
}

/** Figures of one algorithm can be compared. */
export const algorithmOf = (relation: SliceRelation): string => {
  const columns = comparedColumns(relation).map(({ name }) => name);
  return `${relation.hash === 'hash' ? 'record-hash' : 'record-md5'}/1 ${relation.server.split('.')[0]} ${columns.join(',')}`;
};

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
