import type { ColumnDescription } from '../../port/table-description.ts';
import { quoteIdentifier } from './quote.ts';

/** `hash`: PostgreSQL 14 and later; `md5`: before. Both see the bytes of `record_send`. */
export type HashMethod = 'hash' | 'md5';

/** Both halves of a row's 128-bit hash, over a column that holds the row's bytes. */
export function hashHalves(method: HashMethod, bytes: string): readonly [string, string] {
  if (method === 'hash') {
    // Never the row itself: its hash takes 5 and -5 of numeric for equal, and adds up over columns.
    const half = (seed: number) => `pg_catalog.hash_record_extended(row(${bytes}), ${seed})`;
    return [half(0), half(1)];
  }
  const half = (start: number) => `('x' || substr(md5(${bytes}), ${start}, 16))::bit(64)::bigint`;
  return [half(1), half(17)];
}

/** The bytes of some columns of a row, as a function of their values alone. `qualifier` ends with its dot. */
export function rowBytes(columns: readonly ColumnDescription[], qualifier = ''): string {
  const fields = columns.flatMap((column) => {
    const name = `${qualifier}${quoteIdentifier(column.name)}`;
    return column.stable.map((expression) => expression.replaceAll('%', () => name));
  });
  return `pg_catalog.record_send(row(${fields.join(', ')}))`;
}
