import { comparedColumn } from '../../lineage/columns/compared-column.ts';
import type { ColumnReference, SqlExpression } from '../../sql/model/expression.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { CalendarUnit } from '../../time/zones/calendar.ts';

/** One side of a range, as written. */
export interface Edge {
  readonly value: SqlExpression;
  readonly inclusive: boolean;
}

/** A column, possibly floored by a function or a cast to date, and the bounds that a conjunct puts on it. */
export interface Comparison {
  readonly conjunct: SqlExpression;
  readonly column: ColumnReference;
  /** `date_trunc('week', ts)`, `ts::date`: what is compared is the column floored to this unit. */
  readonly unit: CalendarUnit | undefined;
  readonly low: Edge | undefined;
  readonly high: Edge | undefined;
}

/**
 * Reads `column op bound`, `bound op column` and BETWEEN; anything else is `undefined`. Asked of every filter by several
 * rules; a spread in front of new fields would take the engine a hundred times as long as one behind them.
 */
export function comparisonOf(conjunct: SqlExpression): Comparison | undefined {
  if (conjunct.kind === 'between') {
    const operand = flooredColumn(conjunct.operand);
    if (operand === undefined || conjunct.negated) return undefined;
    return { conjunct, low: inclusive(conjunct.low), high: inclusive(conjunct.high), ...operand };
  }
  if (conjunct.kind === 'in' && !conjunct.negated && conjunct.list.length === 1 && conjunct.list[0]) {
    const operand = flooredColumn(conjunct.operand);
    return operand && { conjunct, low: inclusive(conjunct.list[0]), high: inclusive(conjunct.list[0]), ...operand };
  }
  if (conjunct.kind !== 'binary') return undefined;
  const left = flooredColumn(conjunct.left);
  const right = flooredColumn(conjunct.right);
  if (left !== undefined && right === undefined) return oriented(conjunct, left, conjunct.operator, conjunct.right);
  const flipped = flips[conjunct.operator];
  if (right !== undefined && left === undefined && flipped) return oriented(conjunct, right, flipped, conjunct.left);
  return undefined;
}

const flips: Readonly<Record<string, string | undefined>> = {
  '=': '=',
  '==': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

const inclusive = (value: SqlExpression): Edge => ({ value, inclusive: true });

function oriented(
  conjunct: SqlExpression,
  operand: FlooredColumn,
  operator: string,
  value: SqlExpression,
): Comparison | undefined {
  switch (operator) {
    case '=':
    case '==':
      return { conjunct, low: inclusive(value), high: inclusive(value), ...operand };
    case '<':
    case '<=':
      return { conjunct, low: undefined, high: { value, inclusive: operator === '<=' }, ...operand };
    case '>':
    case '>=':
      return { conjunct, low: { value, inclusive: operator === '>=' }, high: undefined, ...operand };
    default:
      return undefined;
  }
}

export interface FlooredColumn {
  readonly column: ColumnReference;
  readonly unit: CalendarUnit | undefined;
}

/** The column under casts, zone changes and truncations; `undefined` for anything else, a shifted column included. */
export function flooredColumn(expression: SqlExpression): FlooredColumn | undefined {
  const side = comparedColumn(expression);
  if (side === undefined) return undefined;
  return side.steps.every((step) => step.kind === 'cut') ? { column: side.column, unit: side.unit } : undefined;
}

/** Whether an expression names the column anywhere outside subqueries. */
export const mentionsColumn = (expression: SqlExpression, name: string): boolean =>
  [...within(expression)].some((one) => one.kind === 'column' && one.name === name);
