import type { Statement } from '../../sql/model/statement.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { isSameName } from './upsert-keys.ts';

/**
 * Tables of its slices that a task makes itself, be it only where they are not there yet. One too many is looked for
 * after the task once more, so a body that puts its CREATE together as it runs is taken to make any of them.
 */
export function madeTables({ slices, statements }: UnitJob): ReadonlySet<string> {
  const read = statements
    .filter(({ text }) => /\b(?:create|rename|into)\b/i.test(text))
    .map(({ text }) => ({ text, all: readSql(plainText(text), 'postgres').statements }));
  const names = read.flatMap(({ all }) => all.flatMap(madeBy));
  const isComposed = read.some(({ text, all }) => all.some((one) => composesCreate(one, text)));
  const made = slices.filter(
    ({ mode, table }) => mode === 'create' || isComposed || names.some((name) => isSameName(name, table)),
  );
  return new Set(made.map(({ table }) => table));
}

/** Also in a body, whatever that asks first. A rename makes the table that it names, in the schema of the other one. */
function madeBy({ kind, targets, target, renamedTo, body }: Statement): readonly string[] {
  if (body.length > 0) return body.flatMap(madeBy);
  if (kind === 'create_table' || kind === 'create_table_as') return targets.map(({ name }) => name);
  if (kind !== 'alter_rename' || target === undefined || renamedTo === undefined) return [];
  return [target.name.slice(0, target.name.lastIndexOf('.') + 1) + renamedTo.name];
}

const composesCreate = ({ kind, start, end }: Statement, text: string): boolean => {
  const own = text.slice(start, end);
  return kind === 'do' && /\bexecute\b/i.test(own) && /\bcreate\s+(?:unlogged\s+)?table\b/i.test(own);
};
