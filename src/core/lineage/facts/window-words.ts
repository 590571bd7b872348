import type { TimeExpression, TimeStep } from '../../time/expressions/time-expression.ts';
import { offsetParts } from '../../time/zones/offset-parts.ts';
import type { ReadWindow, SliceFact } from './facts.ts';

/**
 * A read window as people write it: `[start - 6 days, end)`, `everything before end`, `the whole table`; `[start, end]`
 * where the end takes part.
 */
export function windowInWords(window: ReadWindow): string {
  if (window.kind === 'unbounded')
    return window.mayBeBoundBy === undefined
      ? 'the whole table'
      : `the whole table, unless ${window.mayBeBoundBy} is its column`;
  if (window.kind === 'unknown') return `unknown: ${window.reason}`;
  return rangeInWords(window.lo, window.hi);
}

/** The slice of a write as people write it: `day in [start, end)`. */
export function sliceInWords(slice: SliceFact): string {
  if (slice.kind === 'whole-table') return 'the whole table';
  if (slice.kind === 'unknown') return `unknown: ${slice.reason}`;
  const range = rangeInWords([slice.lo], [slice.hi]);
  if (slice.kind === 'own-table') return `the table of ${range}`;
  return slice.openZone === undefined ? range : `${range}, in UTC or in ${slice.openZone}`;
}

function rangeInWords(lo: readonly TimeExpression[], hi: readonly TimeExpression[]): string {
  if (lo.length === 0 && hi.length === 0) return 'the whole table';
  if (hi.length === 0) return `everything from ${eitherInWords(lo)} on`;
  const last = hi.map(lastInstant);
  const included = last.every((time) => time !== undefined) ? last : undefined;
  const end = eitherInWords(included ?? hi);
  if (lo.length === 0) return `everything ${included === undefined ? 'before' : 'up to and including'} ${end}`;
  const start = eitherInWords(lo);
  if (included === undefined) return `[${start}, ${end})`;
  return `[${start}, ${start === end ? 'the same instant' : end}]`;
}

/** The instant that a bound is the least later one of, as an end that takes part gives it; `undefined` for others. */
function lastInstant(time: TimeExpression): TimeExpression | undefined {
  const step = time.steps.at(-1);
  if (step?.kind !== 'shift') return undefined;
  const { months, days, ms } = step.offset;
  // Times are read to the second: a millisecond over is what makes `<=` and `=` half-open.
  if (((ms % 1000) + 1000) % 1000 !== 1) return undefined;
  const steps = time.steps.slice(0, -1);
  const isWhole = months === 0 && days === 0 && ms === 1;
  return { ...time, steps: isWhole ? steps : [...steps, { ...step, offset: { months, days, ms: ms - 1 } }] };
}

const eitherInWords = (expressions: readonly TimeExpression[]): string =>
  [...new Set(expressions.map(timeInWords))].join(' or ');

/** A bound in words: `start - 6 days`, `month of start`, `day of start (UTC) + 1 day`. */
export function timeInWords(expression: TimeExpression): string {
  return expression.steps.reduce(stepInWords, expression.anchor as string);
}

function stepInWords(text: string, step: TimeStep): string {
  if (step.kind === 'floor') return `${step.unit} of ${text} (${step.zone})`;
  if (step.kind === 'wall') return `${text} on the clock of ${step.zone}`;
  const parts = offsetParts(step.offset);
  return parts.reduce((words, { amount, unit }) => {
    const size = Math.abs(amount);
    return `${words} ${amount < 0 ? '-' : '+'} ${size} ${unit}${size === 1 ? '' : 's'}`;
  }, text);
}
