import { repeatedKeysSql } from '../../../warehouse/dialects/postgres/slice/key-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { countedInWords } from './counted-in-words.ts';

/** Keys that are named; the others are counted. */
const mostNamed = 3;

/** The keys that come more than once, in words: `17 (2 rows), 23 (3 rows) and 5 more`; `undefined` where none does. */
export async function repeatedKeys(
  session: Session,
  from: string,
  predicate: string | undefined,
  key: readonly string[],
): Promise<string | undefined> {
  const { rows } = await session.query(repeatedKeysSql(from, predicate, key, mostNamed));
  if (rows.length === 0) return undefined;
  const named = rows.map((row) => {
    const values = row.slice(0, key.length).map(short);
    return { name: values.length === 1 ? String(values[0]) : `(${values.join(', ')})`, rows: Number(row[key.length]) };
  });
  return countedInWords(named, Number(rows[0]?.[key.length + 1]));
}

const short = (value: string | null): string =>
  value === null ? 'NULL' : value.length > 40 ? `${value.slice(0, 39)}…` : value;

/** What to write so that each key comes once. */
export const onceAKey = (key: readonly string[]): string =>
  `deliver one row a key, e.g. SELECT DISTINCT ON (${key.join(', ')}) … ORDER BY ${key.join(', ')} and what tells the right one`;
