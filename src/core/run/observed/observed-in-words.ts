import { plural } from '../../text/plural.ts';
import type { Observation, ObservedTable } from './observation.ts';

/** What was seen while a task ran, in one line: tables that were written to by then, by whomever. */
export function observedInWords({ tables, task }: Observation): string {
  if (tables.length === 0) return 'observed: no table of this database was written to while it ran';
  const shown = tables.slice(0, 5).map(tableInWords);
  const more = tables.length > shown.length ? `, and ${tables.length - shown.length} more` : '';
  return `observed while it ran, whoever wrote it: ${shown.join(', ')}${more}; backfill observe ${task} says what that tells of the task`;
}

export function tableInWords({ table, counted, rows }: ObservedTable): string {
  if (counted === undefined) return `${table} (${rows === undefined ? 'rows not known' : plural(rows, 'row')})`;
  const { inserted, updated, deleted } = counted;
  const signs = [['+', inserted] as const, ['~', updated] as const, ['−', deleted] as const];
  const parts = signs.flatMap(([sign, count]) => (count === 0 ? [] : [`${sign}${count}`]));
  return `${table} (${parts.join(' ')} rows by its counters)`;
}
