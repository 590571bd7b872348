import type { Statement } from '../../sql/model/statement.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { isSameName } from './upsert-keys.ts';

/** Tables of its slices that a task makes itself, be it only where they are not there yet. */
export function madeTables({ slices, statements }: UnitJob): ReadonlySet<string> {
  const names = statements
    .filter(({ text }) => /\b(?:create|rename|into)\b/i.test(text))
    .flatMap(({ text }) => readSql(plainText(text), 'postgres').statements)
    .flatMap(madeBy);
  const made = slices.filter(({ mode, table }) => mode === 'create' || names.some((name) => isSameName(name, table)));
  return new Set(made.map(({ table }) => table));
}

/** A rename makes the table that it names, in the schema of the other one. */
function madeBy({ kind, targets, target, renamedTo }: Statement): readonly string[] {
  if (kind === 'create_table' || kind === 'create_table_as') return targets.map(({ name }) => name);
  if (kind !== 'alter_rename' || target === undefined || renamedTo === undefined) return [];
  return [target.name.slice(0, target.name.lastIndexOf('.') + 1) + renamedTo.name];
}
