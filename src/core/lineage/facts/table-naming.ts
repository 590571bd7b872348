import { formatTime } from '../../template/bounds/format-time.ts';
import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { TimeExpression } from '../../time/expressions/time-expression.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';

/** How the name of a table is made in a run: text that stands in it, and values of template expressions. */
export interface TableNaming {
  readonly parts: readonly (string | NamePart)[];
  /** What of time the name stands for; `undefined`: it is one name whatever the interval, which only a run knows. */
  readonly period: NamedPeriod | undefined;
}

export interface NamePart {
  /** The expression without its delimiters. */
  readonly source: string;
  readonly value: SymbolicValue;
  /** The name is not in quotes, so that the server takes its letters for small ones. */
  readonly folds: boolean;
}

/** `[lo, hi)`: a day for `ds_nodash`, a month for `%Y%m`. */
export interface NamedPeriod {
  readonly lo: TimeExpression;
  readonly hi: TimeExpression;
}

/** Whether intervals that follow each other have a table in common: a month's, for each of its days. */
export const isShared = ({ lo }: NamedPeriod, intervals: readonly DataInterval[]): boolean =>
  new Set(intervals.map((interval) => exactTime(lo, interval))).size <
  new Set(intervals.map(({ start }) => start)).size;

/** The name for one interval, where the interval alone decides it. */
export function nameFor({ parts }: TableNaming, interval: DataInterval): string | undefined {
  let name = '';
  for (const part of parts) {
    const text = typeof part === 'string' ? part : textOf(part, interval);
    if (text === undefined) return undefined;
    name += text;
  }
  return name;
}

function textOf({ value, folds }: NamePart, interval: DataInterval): string | undefined {
  if (value.kind !== 'time') return undefined;
  const text = formatTime(exactTime(value.time, interval), value.form, value.zone);
  return folds ? text?.toLowerCase() : text;
}
