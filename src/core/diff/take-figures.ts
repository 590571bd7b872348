import { countSql, duplicateKeysSql, figuresSql } from '../warehouse/dialects/postgres/slice/figures-sql.ts';
import type { Session } from '../warehouse/port/ports.ts';
import type { ColumnDescription } from '../warehouse/port/table-description.ts';
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

/** What the row checksum sees: all columns in the target's order but the volatile ones. */
export const comparedColumns = (relation: SliceRelation): readonly ColumnDescription[] =>
  relation.table.columns.filter((column) => !relation.volatile.includes(column.name));

export const keyColumns = (relation: SliceRelation): readonly ColumnDescription[] =>
  relation.key.flatMap((name) => relation.table.columns.find((column) => column.name === name) ?? []);

/** Count and checksums of a slice in one pass, of the live table or of a copy (which holds nothing but the slice). */
export async function takeFigures(
  session: Session,
  relation: SliceRelation,
  from: { readonly sql: string; readonly predicate: string | undefined; readonly ownAge: string | undefined },
): Promise<TakenFigures> {
  const columns = comparedColumns(relation);
  const key = keyColumns(relation);
  const sql = figuresSql({
    from: from.sql,
    predicate: from.predicate,
    columns,
    key,
    hash: relation.hash,
    ownAge: from.ownAge,
  });
  const [rows, row0, row1, key0, key1, nullKeys, own] = (await session.query(sql)).rows[0] ?? [];
  const duplicateKeys = await countDuplicates(session, relation, from, Number(rows));
  return {
    figures: {
      rows: Number(rows),
      keyChecksum: key.length > 0 ? checksum(key0, key1) : undefined,
      rowChecksum: checksum(row0, row1),
      algorithm: `${relation.hash === 'hash' ? 'record-hash' : 'record-md5'}/1 ${relation.server.split('.')[0]} ${columns
        .map((column) => column.name)
        .join(',')}`,
      duplicateKeys,
    },
    ownRows: Number(own),
    keyUsable: key.length > 0 && duplicateKeys === 0 && Number(nullKeys) === 0,
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
function checksum(sum0: string | null | undefined, sum1: string | null | undefined): string {
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
