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

/**
 * A name as a person writes it in a setting, as names are written here: what stands in quotes as it is, anything else in
 * small letters, as the database takes it.
 */
export const writtenName = (name: string): string =>
  name.includes('"') && !name.includes('{')
    ? [...name.matchAll(/(?:^|\.)("(?:[^"]|"")*"(?=\.|$)|[^.]*)/g)]
        .map(([, part = '']) => (plainPart(part) === part ? part.toLowerCase() : namePart(plainPart(part))))
        .join('.')
    : name.toLowerCase();

/** A name with each part in quotes that {@link writtenName} would otherwise take for another. */
export const toBeWritten = (name: string): string =>
  name.includes('{')
    ? name
    : nameParts(name)
        .map((part) => (part === part.toLowerCase() && !/[."]/.test(part) ? part : `"${part.replaceAll('"', '""')}"`))
        .join('.');

/** The part of a name behind its schema, without quotes. */
export const lastNamePart = (name: string): string => nameParts(name).at(-1) ?? name;

export const isQualified = (name: string): boolean => nameParts(name).length > 1;
