import type { DialectName } from './dialect-name.ts';

const words = new Set(['now', 'today', 'yesterday', 'tomorrow']);

/** Types whose literals may say a moment by a word. A text that is compared with such a column is not known to be one. */
const types = new Set(['date', 'timestamp', 'timestamptz', 'time', 'timetz', 'abstime']);

/**
 * Whether a literal of this type is a clock: `'yesterday'::date`, `timestamptz 'now'`. Postgres and what came from it.
 * https://www.postgresql.org/docs/current/datatype-datetime.html#DATATYPE-DATETIME-SPECIAL-VALUES
 */
export const isClockLiteral = (text: string, type: string, dialect: DialectName): boolean =>
  (dialect === 'postgres' || dialect === 'redshift') &&
  words.has(text.trim().toLowerCase()) &&
  types.has(/^\w*/.exec(type)?.[0] ?? '');
