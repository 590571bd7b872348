import { type ColumnType, parseColumnType } from './column-type.ts';
import { quoteIdentifier } from './quote.ts';

interface NamedType {
  readonly name: string;
  readonly type: string;
}

/** Types whose values Spark's hash sees as a whole. */
const hashable =
  /^(?:boolean|tinyint|smallint|int|integer|bigint|long|float|double|decimal(?:\(.*\))?|string(?:\s.*)?|char\(.*\)|varchar\(.*\)|binary|date|timestamp|timestamp_ntz|timestamp_ltz|interval .*)$/;

/** Columns that no sum can be made of (VARIANT and the like): two tables with them cannot be said to be equal. */
export const unhashable = (columns: readonly NamedType[]): readonly NamedType[] =>
  columns.filter(({ type }) => {
    const parsed = parseColumnType(type);
    return parsed === undefined || !isHashable(parsed);
  });

const isHashable = (type: ColumnType): boolean => {
  switch (type.kind) {
    case 'plain':
      return hashable.test(type.name);
    case 'array':
      return isHashable(type.element);
    case 'map':
      return isHashable(type.key) && isHashable(type.value);
    case 'struct':
      return type.fields.every((field) => isHashable(field.type));
  }
};

/**
 * 64 bits of a row as SQL. `xxhash64` leaves NULLs out, also those inside of arrays and structs, so that `(null, 1)` would be equal
 * to `(1, null)`: whether a value is NULL is hashed before it, arrays with their size, maps as the sorted hashes of their entries.
 * Two seeds make 128 bits. `of`: what stands in front of a column, e.g. `n.`.
 */
export function rowHashSql(columns: readonly NamedType[], seed: 0 | 1, of = ''): string {
  const parts = columns.flatMap(({ name, type }) => {
    const parsed = parseColumnType(type);
    return parsed === undefined ? [] : hashParts(`${of}${quoteIdentifier(name)}`, parsed, 0);
  });
  return `xxhash64(${[String(seed), ...parts].join(', ')})`;
}

function hashParts(value: string, type: ColumnType, depth: number): readonly string[] {
  const item = `v${depth}`;
  switch (type.kind) {
    case 'plain':
      return [`isnull(${value})`, value];
    case 'struct':
      return [
        `isnull(${value})`,
        ...type.fields.flatMap((field) => hashParts(`${value}.${quoteIdentifier(field.name)}`, field.type, depth)),
      ];
    case 'array': {
      const element = `xxhash64(${hashParts(item, type.element, depth + 1).join(', ')})`;
      return [`isnull(${value})`, `size(${value})`, `transform(${value}, ${item} -> ${element})`];
    }
    case 'map': {
      const entry = [
        ...hashParts(`${item}.key`, type.key, depth + 1),
        ...hashParts(`${item}.value`, type.value, depth + 1),
      ];
      const entries = `transform(map_entries(${value}), ${item} -> xxhash64(${entry.join(', ')}))`;
      return [`isnull(${value})`, `size(${value})`, `array_sort(${entries})`];
    }
  }
}
