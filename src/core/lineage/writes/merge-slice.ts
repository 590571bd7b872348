import type { ColumnReference, SqlExpression } from '../../sql/model/expression.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { ColumnRange } from '../columns/column-range.ts';
import { comparedColumn } from '../columns/compared-column.ts';
import { valueOfSide } from '../columns/compared-range.ts';
import { noRanges, type Ranges } from '../columns/query-scope.ts';
import type { WriteMode } from '../facts/facts.ts';
import { type KnownTables, outputRanges } from '../queries/output-ranges.ts';
import type { TableColumns } from '../queries/table-columns.ts';
import type { TaskStatement } from './task-statements.ts';
import { firstSlice, type PlacedSlice, rangesOn, unknownSlice, wholeTable } from './written-slice.ts';

/** `MERGE … ON FALSE … NOT MATCHED BY SOURCE AND <slice> THEN DELETE` replaces a slice; any other MERGE is an upsert. */
export function mergeSlice(
  item: TaskStatement,
  tables: TableColumns,
  known: KnownTables,
): PlacedSlice & { readonly mode: WriteMode } {
  const { statement } = item;
  const removes = statement.branches.find(
    (branch) => branch.action === 'delete' && branch.matched === 'not-matched-by-source',
  );
  if (removes !== undefined && statement.on.length === 1 && statement.on.every(isFalse)) {
    if (removes.condition.length === 0) return { mode: 'full_replace', ...wholeTable };
    const replaced = firstSlice(rangesOn(removes.condition, item, tables), item);
    return {
      mode: 'insert_overwrite',
      ...(replaced ?? unknownSlice('the rows that it replaces are not bound to the interval')),
    };
  }
  const onTarget = firstSlice(rangesOn(statement.on, item, tables), item);
  if (onTarget !== undefined) return { mode: 'merge', ...onTarget };
  const written =
    firstSlice(mergedRanges(item, tables, known), item) ??
    unknownSlice('the rows that it merges are not bound to the interval');
  return { mode: 'merge', ...closedSlice(written, statement, mergeKey(statement)) };
}

/** Ranges of the target's columns in the rows that come in, by what is put into them. */
function mergedRanges({ statement, context }: TaskStatement, tables: TableColumns, known: KnownTables): Ranges {
  const source = statement.from[0];
  const incoming =
    source?.kind === 'query'
      ? outputRanges(source.query, context, tables, known).byName
      : source?.kind === 'table'
        ? (known.get(source.table.name) ?? noRanges)
        : noRanges;
  const inserts = statement.branches.find(({ action }) => action === 'insert');
  // `INSERT ROW`, `INSERT *` and a MERGE that only updates keep the names.
  if (inserts === undefined || inserts.columns.length === 0) return incoming;
  const ranges = new Map<string, ColumnRange>();
  for (const [index, column] of inserts.columns.entries()) {
    const value = inserts.values[index];
    const side = value === undefined ? undefined : comparedColumn(value, context.dialect);
    const range = side === undefined ? undefined : incoming.get(side.column.name);
    if (side !== undefined && range !== undefined) ranges.set(column, valueOfSide(range, side, undefined, context));
  }
  return ranges;
}

/**
 * An upsert that sets the very column it is bounded by, under a key without that column, also changes rows of other
 * intervals: the range of the rows that come in is then not the range of the rows that change.
 */
export function closedSlice(written: PlacedSlice, statement: Statement, key: readonly string[]): PlacedSlice {
  const { slice } = written;
  if (slice.kind !== 'range') return written;
  const moves = statement.assignments.some(({ column }) => column === slice.column) && !key.includes(slice.column);
  return moves
    ? unknownSlice(`it sets ${slice.column}, which is not part of its key, on rows of other intervals too`)
    : written;
}

function isFalse(expression: Statement['on'][number]): boolean {
  if (expression.kind === 'literal') return expression.type === 'boolean' && expression.text.toLowerCase() === 'false';
  if (expression.kind !== 'binary' || expression.operator !== '=') return false;
  const { left, right } = expression;
  return left.kind === 'literal' && right.kind === 'literal' && left.type === 'number' && left.text !== right.text;
}

/** Columns of the target that the ON of a MERGE compares with the source. */
export const mergeKey = (statement: Statement): readonly string[] =>
  matchedColumns(statement, statement.on).map(({ own }) => own.name);

/** Conditions that set a column of the statement's target equal to one of another table. */
export function matchedColumns(
  statement: Statement,
  conditions: readonly SqlExpression[],
): readonly { readonly own: ColumnReference; readonly other: ColumnReference }[] {
  const target = statement.target?.name ?? '';
  const isTarget = ({ qualifier }: ColumnReference): boolean =>
    qualifier !== undefined && (qualifier === (statement.targetAlias ?? target) || target.endsWith(`.${qualifier}`));
  return conditions.flatMap((condition) => {
    if (condition.kind !== 'binary' || condition.operator !== '=') return [];
    const { left, right } = condition;
    if (left.kind !== 'column' || right.kind !== 'column') return [];
    if (isTarget(left)) return [{ own: left, other: right }];
    return isTarget(right) ? [{ own: right, other: left }] : [];
  });
}
