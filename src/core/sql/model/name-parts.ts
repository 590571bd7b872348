/**
 * A part of a name as names are written here: in quotes only where it holds a dot or a quote itself, so that
 * `"mart.daily"` is one table and `mart.daily` another. Templates in names are left as they are.
 */
export const namePart = (text: string): string =>
  /[."]/.test(text) && !/\{\{|\$\{/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** The parts of a name, without their quotes. */
export function nameParts(name: string): readonly string[] {
  if (!name.includes('"')) return name.split('.');
  return [...name.matchAll(/(?:^|\.)("(?:[^"]|"")*"(?=\.|$)|[^.]*)/g)].map(([, part = '']) => plainPart(part));
}

const plainPart = (part: string): string =>
  part.length > 1 && part.startsWith('"') && part.endsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part;

/** The part of a name behind its schema, without quotes. */
export const lastNamePart = (name: string): string => nameParts(name).at(-1) ?? name;

export const isQualified = (name: string): boolean => nameParts(name).length > 1;
