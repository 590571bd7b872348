import { tableFromIPC } from 'apache-arrow';
import type { ResultSet } from '../../core/warehouse/port/ports.ts';

/**
 * Batches of Arrow as text. Exact for texts, whole numbers, booleans and NULL; a query that wants anything else casts it to a
 * text in its SQL, where Spark knows how it is written. What commands give beside that (lists and maps of DESCRIBE HISTORY) is left out.
 */
export function arrowRows(batches: readonly Uint8Array[]): ResultSet {
  const tables = batches.map((bytes) => tableFromIPC(bytes));
  const columns = tables[0]?.schema.fields.map(({ name }) => name) ?? [];
  const rows = tables.flatMap((table) => {
    const vectors = columns.map((_, index) => table.getChildAt(index));
    return Array.from({ length: table.numRows }, (_, row) => vectors.map((vector) => textOf(vector?.get(row))));
  });
  return { columns, rows, rowCount: undefined };
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (['string', 'bigint', 'boolean', 'number'].includes(typeof value)) return String(value);
  if (isNested(value)) return null;
  throw new Error(
    `A value of Spark came as ${Object.prototype.toString.call(value)}; the query has to cast it to a text.`,
  );
}

/** Rows of fields and lists, which Arrow gives as objects of its own. */
const isNested = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array) && !(value instanceof Uint32Array);
