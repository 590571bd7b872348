import type { DeclaredSource } from '../../core/lineage/facts/declared-sources.ts';
import { previousTickNames, stateNames, timeNames } from '../../core/template/names/time-names.ts';
import type { WrittenConfig } from './config-shape.ts';

type WrittenSource = NonNullable<WrittenConfig['sources']> extends ReadonlyMap<string, infer T> ? T : never;

/** Names of a template whose values are those of the interval; Variables, params and the names of a DAG never are. */
const ofInterval: ReadonlySet<string> = new Set([
  ...[...Object.keys(timeNames), ...stateNames, ...Object.keys(previousTickNames)],
  ...['dag_run', 'ti', 'task_instance', 'task_instance_key_str'],
]);

/** Whether a text may be another one for each interval. */
const namesInterval = (template: string): boolean =>
  [...template.matchAll(/\{[{%][^}]*/g)].some(([code]) => code.match(/\w+/g)?.some((word) => ofInterval.has(word)));

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
  if (column === undefined && !namesInterval(table)) {
    problem(
      `${name}: ${table} is one table for every interval; name the interval in it, like ${table.includes('{') ? name : table}_{{ ds_nodash }}, or give the column of its snapshots’ date`,
    );
    return { ...source, snapshots: undefined };
  }
  if (column === undefined && (date !== undefined || columns.length > 0)) {
    problem(`${name}: date and columns go with a column; without one the table’s name says which snapshot is read`);
  }
  if (date !== undefined && !namesInterval(date)) {
    problem(
      `${name}: the date ${date} is the same for every interval; name the interval in it, like {{ ds }}, or leave it out`,
    );
    return { ...source, snapshots: undefined };
  }
  return { ...source, snapshots: { table, column, date: date ?? '{{ ds }}', columns } };
}
