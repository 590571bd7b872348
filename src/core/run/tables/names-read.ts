import { namedInSql } from '../../sql/calls/named-in-sql.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/**
 * Tables and views as the statements of a unit name them, and those behind them as its inputs do; none that the statements
 * make or drop themselves, which are not there as they are read.
 */
export function namesRead({ statements, inputs }: Pick<UnitJob, 'statements' | 'inputs'>): readonly string[] {
  const names = new Set(inputs.map(({ table }) => table));
  const made = new Set<string>();
  for (const { text } of statements) {
    const masked = plainText(text);
    const reading = readSql(masked, 'postgres');
    for (const name of namedInSql(masked, 'postgres', reading).relations) names.add(name);
    for (const { kind, target, targets } of reading.statements) {
      if (!/^(?:create|drop)/.test(kind)) continue;
      for (const table of target === undefined ? targets : [target, ...targets]) made.add(table.name);
    }
  }
  return [...names].filter((name) => !made.has(name));
}
