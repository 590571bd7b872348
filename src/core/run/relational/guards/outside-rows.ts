import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { plural } from '../../../text/plural.ts';
import {
  outsideCountsSql,
  outsideRowsSql,
  outsideSamplesSql,
  outsideValue,
} from '../../../warehouse/dialects/postgres/slice/escape-sql.ts';
import type { ResultSet, Session } from '../../../warehouse/port/ports.ts';
import type { ColumnDescription } from '../../../warehouse/port/table-description.ts';
import { tableSql } from '../../tables/target.ts';
import type { Position } from '../task/position.ts';
import { countedInWords } from './counted-in-words.ts';

/** A slice, or a whole table, whose surroundings are looked at. */
export interface OutsideSlice {
  readonly relation: SliceRelation;
  readonly column: string | undefined;
}

/** Days, or values, of rows outside a slice that are named; the others are counted. */
const mostNamed = 5;
const mostSamples = 3;
const longestSample = 200;

/** Rows that this transaction wrote outside the slices of one table: how many, of which days, and a few of them. */
export async function writtenOutside(
  session: Session,
  group: readonly OutsideSlice[],
  { ownAge }: Pick<Position, 'ownAge'>,
): Promise<string | undefined> {
  const table = group[0]?.relation.table;
  const predicate = unionOf(group);
  if (table === undefined || predicate === undefined) return undefined;
  const value = outsideValue(sliceColumn(group));
  const sql = outsideRowsSql(tableSql(table), predicate, ownAge, value.sql, mostNamed);
  const { rows } = await session.query(sql);
  const [first] = rows;
  if (first === undefined) return undefined;
  const samples = await session.query(outsideSamplesSql(tableSql(table), predicate, ownAge, mostSamples));
  const shown = samples.rows.map(([row]) => cut(String(row)));
  return (
    `The task wrote ${plural(Number(first[2]), 'row')} of ${table.qualified} outside its slice` +
    `${byValue(value.words, rows, Number(first[3]))}, e.g. ${shown.join(', ')}.`
  );
}

/** Rows outside the slices of one table that are there no more, of which days. `before` and `after` by value. */
export function lostOutside(
  group: readonly OutsideSlice[],
  before: ReadonlyMap<string | null, number>,
  after: ReadonlyMap<string | null, number>,
): string | undefined {
  const lost = [...before].flatMap(([value, rows]): [string | null, string][] => {
    const gone = rows - (after.get(value) ?? 0);
    return gone > 0 ? [[value, String(gone)]] : [];
  });
  if (lost.length === 0) return undefined;
  const sum = lost.reduce((all, [, rows]) => all + Number(rows), 0);
  const { words } = outsideValue(sliceColumn(group));
  return (
    `The task took ${plural(sum, 'row')} of ${group[0]?.relation.table.qualified} away outside its slice` +
    `${byValue(words, lost.slice(0, mostNamed), lost.length)}.`
  );
}

/** Rows outside the slices of one table, by value; `undefined` where the slice is the whole table. */
export async function outsideCounts(
  session: Session,
  group: readonly OutsideSlice[],
): Promise<ReadonlyMap<string | null, number> | undefined> {
  const table = group[0]?.relation.table;
  const predicate = unionOf(group);
  if (table === undefined || predicate === undefined) return undefined;
  const { rows } = await session.query(
    outsideCountsSql(tableSql(table), predicate, outsideValue(sliceColumn(group)).sql),
  );
  return new Map(rows.map(([value, count]) => [value ?? null, Number(count)]));
}

/** What the slices of one table are cut by, where it is the same for all. */
function sliceColumn(group: readonly OutsideSlice[]): ColumnDescription | undefined {
  const [name, ...others] = new Set(group.map(({ column }) => column));
  if (others.length > 0) return undefined;
  return group[0]?.relation.table.columns.find((column) => column.name === name);
}

function byValue(words: string, rows: ResultSet['rows'], all: number): string {
  if (words === '') return '';
  const named = rows.map(([value, count]) => ({ name: value ?? 'NULL', rows: Number(count) }));
  return `, ${words}: ${countedInWords(named, all)}`;
}

const cut = (text: string): string => (text.length > longestSample ? `${text.slice(0, longestSample)}…` : text);

/** All slices of the table together; `undefined` where one of them is the whole table. */
export function unionOf(group: readonly { readonly relation: SliceRelation }[]): string | undefined {
  const predicates = group.map(({ relation }) => relation.predicate);
  return predicates.some((predicate) => predicate === undefined) ? undefined : `(${predicates.join(' or ')})`;
}

export function byTable<T extends { readonly relation: SliceRelation }>(
  slices: readonly T[],
): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const slice of slices) {
    const { oid } = slice.relation.table;
    groups.set(oid, [...(groups.get(oid) ?? []), slice]);
  }
  return [...groups.values()];
}
