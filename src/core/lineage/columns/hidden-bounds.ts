import type { SqlExpression } from '../../sql/model/expression.ts';
import { walkInside } from '../../sql/model/walk.ts';
import type { Span } from '../../text/span.ts';
import { unknownBound } from '../times/bound-value.ts';
import type { SqlContext } from '../times/sql-context.ts';
import { timeBound } from '../times/time-bound.ts';
import { type ColumnName, type ColumnRange, openRange, type TypeOf } from './column-range.ts';
import { holdsTimes } from './column-type.ts';
import { columnsIn } from './columns-in.ts';

/**
 * Columns that a condition bounds by the clock or the interval in a way that is not read: `coalesce(a, b) >= '{{ ds }}'`,
 * `datediff(day, ts, getdate()) < 2`. Which rows pass is not known, and that all do would be false. Nothing of an OR of which
 * one side says nothing of times: rows of all times pass that one.
 */
export function hiddenBounds(
  condition: SqlExpression,
  context: SqlContext,
  typeOf: TypeOf,
): readonly (ColumnName & { readonly range: ColumnRange })[] {
  if (!saysTimes(condition, context)) return [];
  const named = columnsIn(condition);
  const meant = named.filter((column) => !isWord(column, condition));
  const columns = meant.length > 0 ? meant : named;
  const times = columns.filter((column) => holdsTimes(column.name, typeOf(column)));
  const bound = unknownBound(context, condition, timesIn(condition, context).includes('clock'));
  if (bound.kind !== 'unknown') return [];
  const { reason, varies, span } = bound;
  const unread = { reason, varies, ranged: true, ofTimes: true, span };
  const at: Span = { start: condition.start, end: condition.end };
  const range: ColumnRange = { ...openRange, unreadLo: unread, unreadHi: unread, at };
  return (times.length > 0 ? times : columns).map(({ qualifier, name }) => ({ qualifier, name, range }));
}

/** Whether every way in which the condition can hold compares a column of the row with a time that differs from run to run. */
function saysTimes(condition: SqlExpression, context: SqlContext, negated = false): boolean {
  if (condition.kind === 'unary' && (condition.operator === 'not' || condition.operator === '!'))
    return saysTimes(condition.operand, context, !negated);
  if (condition.kind === 'binary' && (condition.operator === 'and' || condition.operator === 'or')) {
    const sides = [condition.left, condition.right];
    const says = (side: SqlExpression): boolean => saysTimes(side, context, negated);
    return (condition.operator === 'or') === negated ? sides.some(says) : sides.every(says);
  }
  if (condition.kind === 'exists' || condition.kind === 'subquery') return false;
  return columnsIn(condition).length > 0 && timesIn(condition, context).length > 0;
}

/** The times in a condition with nothing of the row in them: those of the run, and those of the clock. */
function timesIn(condition: SqlExpression, context: SqlContext): readonly ('run' | 'clock')[] {
  const found: ('run' | 'clock')[] = [];
  walkInside(condition, (inner, query) => {
    if (query !== undefined) return;
    // `age(ts)` is taken up to today.
    if (inner.kind === 'call' && inner.name === 'age' && inner.arguments.length === 1) found.push('clock');
    if (inner.kind !== 'call' && inner.kind !== 'hole' && inner.kind !== 'template-string') return;
    if (columnsIn(inner).length > 0) return;
    const bound = timeBound(inner, context);
    if (bound.kind === 'time') found.push('run');
    else if (bound.kind === 'unknown' && bound.varies) found.push('clock');
  });
  return found;
}

/** A unit or a type where a call takes one (`datediff(day, …)`, `convert(date, …)`), which reads like a column. */
function isWord({ qualifier, name }: ColumnName, condition: SqlExpression): boolean {
  if (qualifier !== undefined || !words.test(name)) return false;
  let isArgument = false;
  walkInside(condition, (inner, query) => {
    if (query !== undefined || inner.kind !== 'call') return;
    isArgument ||= inner.arguments.some((part) => part.kind === 'column' && part.name === name);
  });
  return isArgument;
}

const words =
  /^(?:(?:micro|milli)?seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|epoch|dow|doy|isodow|isoweek|date|datetime2?|timestamp|time|yy|yyyy|mm|dd|hh|mi|ss|ms|wk|qq)$/i;
