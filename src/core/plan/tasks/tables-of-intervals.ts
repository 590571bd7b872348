import type { ReadFact, ReadWindow } from '../../lineage/facts/facts.ts';

/** A table that a read touches beside the one that it names, and what of it. */
export interface TouchedTable {
  readonly table: string;
  readonly window: ReadWindow;
}

/**
 * Tables that are named by the interval, found by names of single ones (`mart.orders_20261101`) and by a wildcard
 * (`mart.orders_*`). `written`: the tables that tasks write, those of intervals by the name that stands for all.
 */
export function tablesOfIntervals(
  written: Iterable<string>,
): (read: Pick<ReadFact, 'table' | 'window'>) => readonly TouchedTable[] {
  const all = [...written];
  const patterns = all.flatMap((table) => {
    const pattern = patternOf(table);
    return pattern === undefined ? [] : [{ table, pattern }];
  });
  return ({ table, window }) => {
    if (table.endsWith('*')) {
      const before = table.slice(0, -1);
      return all.flatMap((one) => (one.startsWith(before) ? { table: one, window } : []));
    }
    const found = patterns.find(({ pattern }) => pattern.test(table));
    if (found === undefined) return [];
    const reason = `it reads ${table}, the table of one interval`;
    return [
      { table: found.table, window: window.kind === 'range' ? window : { kind: 'unknown', reason, at: undefined } },
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
