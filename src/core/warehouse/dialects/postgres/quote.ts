/** `"name"`, safe whatever the name holds. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A string constant that means the same under any `standard_conforming_strings`. */
export function quoteLiteral(text: string): string {
  const doubled = text.replaceAll("'", "''");
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** A name as SQL readings give it (parts joined by dots, unquoted) as text that `to_regclass` understands. */
export const quoteTableName = (name: string): string => name.split('.').map(quoteIdentifier).join('.');
