/** What a second run meets where a key of the table keeps its rows apart. */
export const refusedInWords = (table: string, key: readonly string[]): string =>
  `A rerun fails on the key (${key.join(', ')}) of ${table}: the rows of the first run are still there, and nothing in the run deletes them or leaves them out.`;

/** Why an upsert is none. */
export const madeAnewInWords = (key: readonly string[]): string =>
  `its ON CONFLICT never finds one, because the key (${key.join(', ')}) is made anew for each row`;
