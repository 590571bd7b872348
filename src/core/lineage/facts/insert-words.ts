import type { ChangedColumn } from './facts.ts';

/** What a second run meets where a key of the table keeps its rows apart. */
export const refusedInWords = (table: string, key: readonly string[], unless?: string): string =>
  `A rerun fails on the key (${key.join(', ')}) of ${table}${unless === undefined ? '' : `, unless ${unless}`}: the rows of the first run are still there, and nothing ${unless === undefined ? '' : 'else '}in the run deletes them or leaves them out.`;

/** Why an upsert is none. */
export const madeAnewInWords = (key: readonly string[]): string =>
  `its ON CONFLICT never finds one, because the key (${key.join(', ')}) is made anew for each row`;

/** What running an interval again does to the rows of a table as such; `does` begins the sentence with who does it. */
export function rowsAgainInWords(table: string, { rows, certainty, why }: ChangedColumn): string {
  const decided = certainty === 'sure' ? '' : ' where there are such rows';
  const because = why === undefined ? '' : `; what decides it is ${why}`;
  if (rows === 'more') return `adds rows to ${table} a second time${decided}${because}`;
  if (rows === 'fewer') return `takes more rows out of ${table} each time${decided}${because}`;
  return `deletes from ${table} the rows that the run before has inserted, and the next one inserts them again${decided}${because}`;
}

/** Why rows come again in spite of a guard. */
export const nullInWords = (table: string, column: string): string =>
  `a NULL equals nothing, so rows of ${table} that have it in ${column} are found by no guard and come again`;
