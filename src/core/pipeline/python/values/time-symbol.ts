import { formPatterns } from '../../../template/bounds/format-time.ts';
import { type SymbolicValue, type TimeForm, unknownValue } from '../../../template/names/symbolic-value.ts';
import { timeNames } from '../../../template/names/time-names.ts';
import type { TimeStep } from '../../../time/expressions/time-expression.ts';
import type { CalendarOffset, CalendarUnit } from '../../../time/zones/calendar.ts';

/** A name of Airflow's context (`ds`, `data_interval_start` …) as a function of the interval. */
export function contextTime(name: string): SymbolicValue | undefined {
  const known = Object.hasOwn(timeNames, name) ? timeNames[name] : undefined;
  if (known === undefined) return undefined;
  const steps: TimeStep[] = [];
  if (known.days !== 0) steps.push({ kind: 'shift', offset: { months: 0, days: known.days, ms: 0 }, zone: 'UTC' });
  const unit = finestUnit(patternOf(known.form));
  if (unit !== undefined) steps.push({ kind: 'floor', unit, zone: 'UTC' });
  return { kind: 'time', time: { anchor: known.anchor, steps }, form: known.form };
}

/** `logical_date - timedelta(days=1)`. */
export function shiftSymbol(symbol: SymbolicValue, offset: CalendarOffset): SymbolicValue {
  if (symbol.kind !== 'time') return symbol.kind === 'literal' ? unknownValue('arithmetic on a text') : symbol;
  if (symbol.form !== 'datetime') return unknownValue('arithmetic on a date that is text');
  return withStep(symbol, { kind: 'shift', offset, zone: 'UTC' });
}

/** `logical_date.start_of('month')` and kin. */
export function floorSymbol(symbol: SymbolicValue, unit: CalendarUnit): SymbolicValue {
  return symbol.kind === 'time' ? withStep(symbol, { kind: 'floor', unit, zone: 'UTC' }) : symbol;
}

/** `logical_date.strftime(pattern)`, and the format of an f-string's hole. */
export function formatSymbol(symbol: SymbolicValue, pattern: string): SymbolicValue {
  if (symbol.kind !== 'time') return symbol.kind === 'literal' ? unknownValue(`formatted with ${pattern}`) : symbol;
  if (symbol.form !== 'datetime') return unknownValue(`a text formatted with ${pattern}`);
  const named = Object.entries(formPatterns).find(([, known]) => known === pattern)?.[0];
  const form: TimeForm = (named as keyof typeof formPatterns | undefined) ?? { strftime: pattern };
  const unit = finestUnit(pattern);
  const floored = unit === undefined ? symbol : withStep(symbol, { kind: 'floor', unit, zone: 'UTC' });
  return { ...floored, form };
}

/** `datetime.strptime(ds, "%Y-%m-%d")`: the same time as an object, when the text has that form. */
export function parseSymbol(symbol: SymbolicValue): SymbolicValue {
  return symbol.kind === 'time' ? { ...symbol, form: 'datetime' } : symbol;
}

/** `ds.replace("-", "")`. */
export function withoutDashes(symbol: SymbolicValue): SymbolicValue {
  return symbol.kind === 'time' && symbol.form === 'date'
    ? { ...symbol, form: 'basic-date' }
    : unknownValue('characters of a date replaced');
}

type TimeSymbol = SymbolicValue & { readonly kind: 'time' };

const withStep = (symbol: TimeSymbol, step: TimeStep): TimeSymbol => ({
  ...symbol,
  time: { anchor: symbol.time.anchor, steps: [...symbol.time.steps, step] },
});

function patternOf(form: TimeForm): string {
  if (typeof form === 'object') return form.strftime;
  return form in formPatterns ? formPatterns[form as keyof typeof formPatterns] : '';
}

/** A text that says no more than the day stands for the start of that day; `undefined` when seconds are said. */
function finestUnit(pattern: string): CalendarUnit | undefined {
  if (pattern === '' || /%-?[Sfs]|%[TcX]/.test(pattern)) return undefined;
  if (/%-?M|%R/.test(pattern)) return 'minute';
  if (/%-?[HI]/.test(pattern)) return 'hour';
  if (/%-?[dejDF]/.test(pattern)) return 'day';
  if (/%-?[mbB]/.test(pattern)) return 'month';
  return /%Y/.test(pattern) && !/%[UWVGuwaA]/.test(pattern) ? 'year' : undefined;
}
