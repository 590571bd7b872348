import { columnsOfCut } from '../../lineage/facts/slice-cut.ts';
import { withoutLeadingComments } from '../../sql/lex/leading-comments.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
import type { Assignment, Statement } from '../../sql/model/statement.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';
import type { JobSlice, RenderedStatement } from '../unit/unit-job.ts';
import { isSameName } from './upsert-keys.ts';

/**
 * Columns that a rerun fills anew whatever its rows are, because their default does (identity, sequence, random, clock)
 * and no statement of the task names them, and generated columns that are computed from such. Empty where code that is not
 * seen may write the table. Neither the key that was declared nor what the slice is cut by is one of them.
 */
export function filledByDefault(
  table: TableDescription,
  slice: Pick<JobSlice, 'table' | 'column' | 'cut' | 'predicate' | 'key'>,
  statements: readonly RenderedStatement[],
): readonly string[] {
  const candidates = table.columns.filter(({ surrogate }) => surrogate).map(({ name }) => name);
  if (candidates.length === 0) return [];
  const named = namedColumns(table, slice.table, statements);
  if (named === undefined) return [];
  const kept = (name: string) =>
    named.has(name) ||
    slice.key.includes(name) ||
    columnsOfCut(slice).includes(name) ||
    (slice.predicate ?? '').includes(name);
  const filled = new Set(candidates.filter((name) => !kept(name)));
  // A generated column cannot be computed from another one.
  for (const { name, computedFrom } of table.columns) {
    if (computedFrom.some((source) => filled.has(source)) && !slice.key.includes(name)) filled.add(name);
  }
  return table.columns.flatMap(({ name }) => (filled.has(name) ? [name] : []));
}

/** Columns of a table that some statement gives a value; `undefined` where that cannot be told. */
function namedColumns(
  table: TableDescription,
  written: string,
  statements: readonly RenderedStatement[],
): ReadonlySet<string> | undefined {
  if (statements.some(hidesWrites)) return undefined;
  const named = new Set<string>();
  let fills = false;
  const all = statements.flatMap(({ text }) => readSql(plainText(text), 'postgres').statements).flatMap(withParts);
  // Rows that go into another table under the name of this one are named there.
  const swapped = all.some(({ kind }) => renaming.has(kind));
  for (const statement of all) {
    const target = statement.target?.name;
    if (target === undefined) continue;
    if (!swapped && !isSameName(target, written) && !isSameName(target, table.qualified)) continue;
    const columns = filledColumns(statement, table);
    if (columns === 'all') return undefined;
    fills ||= columns !== undefined;
    const set = [statement, ...statement.branches].flatMap(({ assignments }) => assigned(assignments));
    for (const column of [...(columns ?? []), ...set]) named.add(column);
  }
  return fills ? named : undefined;
}

const withParts = (statement: Statement): readonly Statement[] => [
  statement,
  ...statement.modifying.flatMap(withParts),
  ...statement.body.flatMap(withParts),
];

const renaming: ReadonlySet<Statement['kind']> = new Set(['rename', 'alter_rename', 'alter_swap']);

/** Calls, and SQL that is put together when it runs. */
const hidesWrites = ({ text }: RenderedStatement): boolean => {
  const bare = withoutLeadingComments(text);
  return (
    /^[\s(;]*(?:call|execute)\b/i.test(bare) ||
    (/^[\s;]*do\b/i.test(bare) && /\b(?:execute|perform|call)\b/i.test(bare))
  );
};

/** The columns that a statement gives new rows values for, by name; `undefined` where it gives none. */
function filledColumns(statement: Statement, table: TableDescription): readonly string[] | 'all' | undefined {
  const { kind, columns, query, values, valueRows, outputColumns } = statement;
  const byPlace = (count: number) => table.columns.slice(0, count).map(({ name }) => name);
  switch (kind) {
    case 'insert': {
      if (query !== undefined) {
        if (columns.length > 0) return columns;
        const some = outputColumns.some((name) => name === '*' || name?.endsWith('.*'));
        return some || outputColumns.length === 0 ? 'all' : byPlace(outputColumns.length);
      }
      if (values.length === 0) return columns;
      const width = values.length / Math.max(1, valueRows);
      const names = columns.length > 0 ? columns : byPlace(width);
      return names.filter((_, place) => values.some((value, index) => index % width === place && !isDefault(value)));
    }
    case 'merge':
      return statement.branches.flatMap((branch) => {
        if (branch.action !== 'insert') return [];
        const names =
          branch.columns.length > 0 ? branch.columns : byPlace(branch.values.length || table.columns.length);
        return names.filter((_, place) => {
          const value = branch.values[place];
          return value === undefined || !isDefault(value);
        });
      });
    case 'copy':
      return columns.length > 0 ? columns : 'all';
    default:
      return undefined;
  }
}

const assigned = (assignments: readonly Assignment[]): readonly string[] =>
  assignments.filter(({ value }) => !isDefault(value)).map(({ column }) => column);

const isDefault = (value: SqlExpression): boolean =>
  value.kind === 'column' && value.name === 'default' && value.qualifier === undefined;
