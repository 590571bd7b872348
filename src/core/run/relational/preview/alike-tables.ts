import type { UnitJob } from '../../unit/unit-job.ts';

/**
 * How to name a table of one unit of a task in what is said of all its units: where each has one of its own,
 * `mart.orders_20261101 to mart.orders_20261130`.
 */
export function alikeTables(jobs: readonly UnitJob[]): (table: string) => string {
  const names = new Map<string, string>();
  const add = (tables: readonly (string | undefined)[]): void => {
    const all = [...new Set(tables.flatMap((table) => table ?? []))].sort();
    if (all.length > 1) for (const table of all) names.set(table, `${all[0]} to ${all.at(-1)}`);
  };
  const [first] = jobs;
  for (const [index] of (first?.slices ?? []).entries()) add(jobs.map(({ slices }) => slices[index]?.table));
  for (const [index] of (first?.inputs ?? []).entries()) add(jobs.map(({ inputs }) => inputs[index]?.table));
  return (table) => names.get(table) ?? table;
}
