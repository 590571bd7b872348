import type { ReadFact, ReadWindow } from '../../lineage/facts/facts.ts';
import { type DatabaseDefinitions, noDefinitions } from '../../pipeline/model/database-definitions.ts';

/** A table that a read touches beside the one that it names, and what of it. */
export interface TouchedTable {
  readonly table: string;
  readonly window: ReadWindow;
}

/**
 * Tables that are named by the interval, found by names of single ones (`mart.orders_20261101`), by a wildcard
 * (`mart.orders_*`) and by the partitions that the database has of a table, and such a table by what reads its partitions.
 * `written`: the tables that tasks write, those of intervals by the name that stands for all.
 */
export function tablesOfIntervals(
  written: Iterable<string>,
  database: DatabaseDefinitions = noDefinitions,
): (read: Pick<ReadFact, 'table' | 'window'>) => readonly TouchedTable[] {
  const all = new Set(written);
  const patterns = [...all].flatMap((table) => {
    const pattern = patternOf(table);
    return pattern === undefined ? [] : [{ table, pattern }];
  });
  const withParts = [...new Set(database.relations.values())].filter(({ parts }) => parts.length > 0);
  /** What is written of the parts of a table: each by its name, those of intervals once. */
  const writtenParts = (names: readonly string[]): readonly string[] => {
    const found = new Set<string>();
    for (const name of names) {
      if (all.has(name)) found.add(name);
      else for (const { table, pattern } of patterns) if (pattern.test(name)) found.add(table);
    }
    return [...found];
  };
  const wholes = (isPart: (name: string) => boolean): readonly string[] =>
    withParts.flatMap(({ name, parts }) => (all.has(name) && parts.some(isPart) ? [name] : []));
  return ({ table, window }) => {
    if (table.endsWith('*')) {
      const before = table.slice(0, -1);
      return [...all].flatMap((one) => (one.startsWith(before) ? { table: one, window } : []));
    }
    const own = all.has(table) ? [{ table, window }] : [];
    const below = database.relations.get(table)?.parts ?? [];
    const parts = below.length === 0 ? [] : writtenParts(below).map((part) => ({ table: part, window }));
    const pattern = patternOf(table);
    const above = pattern === undefined ? wholes((name) => name === table) : wholes((name) => pattern.test(name));
    const named = pattern === undefined && own.length === 0 ? writtenParts([table]) : [];
    const reason = `it reads ${table}, the table of one interval`;
    const single = window.kind === 'range' ? window : ({ kind: 'unknown', reason, at: undefined } as const);
    return [
      ...own,
      ...parts,
      ...above.map((whole) => ({ table: whole, window })),
      ...named.map((one) => ({ table: one, window: single })),
    ];
  };
}

/** `mart.orders_<yyyymmdd>` as a pattern of the names that it stands for; `undefined` for the name of one table. */
function patternOf(table: string): RegExp | undefined {
  const pieces = table.split(/<([^>]*)>/);
  if (pieces.length < 2) return undefined;
  const text = pieces.map((piece, index) => (index % 2 === 0 ? escaped(piece) : digitsOf(piece))).join('');
  return new RegExp(`^${text}$`);
}

const digitsOf = (label: string): string =>
  escaped(label).replace(/yyyy|ddd|yy|mm|dd|hh|mi|ss|ww|t/g, (field) => (field === 't' ? 't' : `\\d{${field.length}}`));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
