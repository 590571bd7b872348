import { matchedColumns } from '../../lineage/writes/merge-slice.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { RenderedStatement } from '../unit/unit-job.ts';

/** A statement that finds the rows of an earlier run again by a key, and by nothing else. */
export interface UpsertKey {
  readonly statement: RenderedStatement;
  readonly read: Statement;
  /** As the statement names it. */
  readonly table: string;
  /** Columns of the target. A row with NULL in one of them is never found again. Empty where a constraint stands for them. */
  readonly columns: readonly string[];
  readonly constraint: string | undefined;
  /** The key is all that tells rows apart, and rows of a key are changed: of several, which one is left to chance. */
  readonly onePerKey: boolean;
}

const mayUpsert = /\bon\s+conflict\b|\bmerge\b|\bdelete\b[\s\S]*\b(?:using|select)\b/i;

/** Kinds that may take the rows of an earlier run away, whatever their key. */
const clearing: ReadonlySet<Statement['kind']> = new Set([
  'delete',
  'truncate',
  'drop',
  'rename',
  'alter',
  'alter_rename',
  'alter_swap',
  'create_table',
  'create_table_as',
]);

/**
 * The keys by which the statements of a task find rows of earlier runs: ON CONFLICT, MERGE, and a DELETE of the keys
 * that come in. Nothing for a table that the task also clears in another way.
 */
export function upsertKeys(statements: readonly RenderedStatement[]): readonly UpsertKey[] {
  if (!statements.some(({ text }) => mayUpsert.test(text))) return [];
  const found: UpsertKey[] = [];
  const cleared = new Set<string>();
  for (const statement of statements) {
    for (const read of readSql(plainText(statement.text), 'postgres').statements) {
      const table = read.target?.name;
      const columns = keyOf(read);
      const constraint = read.conflict?.constraint;
      if (table !== undefined && (columns.length > 0 || constraint !== undefined)) {
        found.push({ statement, read, table, columns, constraint, onePerKey: isOnePerKey(read) });
      } else if (clearing.has(read.kind)) for (const { name } of read.targets) cleared.add(name);
      for (const part of read.modifying) {
        if (clearing.has(part.kind)) for (const { name } of part.targets) cleared.add(name);
      }
    }
  }
  return found.filter(({ table }) => ![...cleared].some((other) => isSameName(table, other)));
}

/** The same table, though one of the names may lack its schema. */
export const isSameName = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);

/** The columns by which a statement finds rows that are there; none where it does not, or by what only the table knows. */
export function keyOf(read: Statement): readonly string[] {
  switch (read.kind) {
    case 'insert':
      return read.conflict?.key ?? [];
    case 'merge':
      return matchedColumns(read, read.on).map(({ own }) => own.name);
    case 'delete':
      return deletedKey(read);
    default:
      return [];
  }
}

/** `WHERE id IN (SELECT …)`, `WHERE (a, b) IN (SELECT …)`, `USING s WHERE t.id = s.id`. */
function deletedKey(read: Statement): readonly string[] {
  const listed = read.where.flatMap((condition) => {
    if (condition.kind !== 'in' || condition.query === undefined || condition.negated) return [];
    const operands = condition.operand.kind === 'opaque' ? condition.operand.parts : [condition.operand];
    return operands.flatMap((operand) => (operand.kind === 'column' ? [operand.name] : []));
  });
  return [...listed, ...matchedColumns(read, read.where).map(({ own }) => own.name)];
}

const isOnePerKey = (read: Statement): boolean =>
  read.kind === 'merge' &&
  matchedColumns(read, read.on).length === read.on.length &&
  read.branches.some(({ matched, action }) => matched === 'matched' && (action === 'update' || action === 'delete')) &&
  !read.branches.some(({ matched }) => matched === 'not-matched-by-source');
