import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { isSameName } from './upsert-keys.ts';

/** Tables of its slices that a task makes itself, be it only where they are not there yet. */
export function madeTables({ slices, statements }: UnitJob): ReadonlySet<string> {
  const names = statements
    .filter(({ text }) => /\bcreate\b/i.test(text))
    .flatMap(({ text }) => readSql(plainText(text), 'postgres').statements)
    .filter(({ kind }) => kind === 'create_table' || kind === 'create_table_as')
    .flatMap(({ targets }) => targets.map(({ name }) => name));
  const made = slices.filter(({ mode, table }) => mode === 'create' || names.some((name) => isSameName(name, table)));
  return new Set(made.map(({ table }) => table));
}
