import { nameParts } from '../../../sql/model/name-parts.ts';

/** `"name"`, safe whatever the name holds. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A string constant that means the same under any `standard_conforming_strings`. */
export function quoteLiteral(text: string): string {
  const doubled = text.replaceAll("'", "''");
  return doubled.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}

/** A name as SQL readings give it (parts joined by dots) as text that `to_regclass` understands. */
export const quoteTableName = (name: string): string => nameParts(name).map(quoteIdentifier).join('.');

/** Schema and name of a relation, as SQL, written as SQL readings give a name. */
export const qualifiedSql = (schema: string, name: string): string => {
  const part = (text: string) =>
    `case when ${text} ~ '[."]' then '"' || pg_catalog.replace(${text}::text, '"', '""') || '"' else ${text}::text end`;
  return `${part(schema)} || '.' || ${part(name)}`;
};
