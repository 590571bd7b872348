import type { DeclaredSource } from '../../core/lineage/declared-sources.ts';
import type { WrittenConfig } from './config-shape.ts';

type WrittenSource = NonNullable<WrittenConfig['sources']> extends ReadonlyMap<string, infer T> ? T : never;

/** One entry under `sources`; what contradicts itself is told to `problem`, and the rest still counts. */
export function declaredSource(
  name: string,
  { retention, mutable, snapshots }: WrittenSource,
  problem: (message: string) => void,
): DeclaredSource {
  const source = { table: name.toLowerCase(), retention, mutable: mutable ?? snapshots !== undefined };
  if (snapshots?.table === undefined) return { ...source, snapshots: undefined };
  const { table, column, date, columns = [] } = snapshots;
  if (mutable === false) problem(`${name}: mutable: false says that it keeps its rows, so it needs no snapshots`);
  if (column === undefined && !table.includes('{{')) {
    problem(
      `${name}: ${table} is one table for every interval; name the interval in it, like ${table}_{{ ds_nodash }}, or give the column of its snapshots’ date`,
    );
    return { ...source, snapshots: undefined };
  }
  if (column === undefined && (date !== undefined || columns.length > 0)) {
    problem(`${name}: date and columns go with a column; without one the table’s name says which snapshot is read`);
  }
  return { ...source, snapshots: { table, column, date: date ?? '{{ ds }}', columns } };
}
