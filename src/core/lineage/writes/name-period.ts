import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import type { NamedPeriod } from '../facts/table-naming.ts';
import { readingsOfText } from '../times/template-time.ts';
import { endOfUnit, unitLength } from '../times/time-readings.ts';

/** What of time the values in a name stand for together: that of the finest one; `undefined` where none is a time. */
export function namePeriod(values: readonly SymbolicValue[]): NamedPeriod | undefined {
  let finest: { readonly days: number; readonly period: NamedPeriod } | undefined;
  for (const value of values) {
    const readings = value.kind === 'time' ? readingsOfText(value) : undefined;
    const [reading] = readings?.readings ?? [];
    if (readings === undefined || reading === undefined) continue;
    // A name that is exact to the moment stands for that moment.
    const unit = readings.unit ?? 'second';
    const end = endOfUnit(readings, unit, [value.kind === 'time' ? (value.zone ?? 'UTC') : 'UTC']).readings[0];
    const { months, days, ms } = unitLength(unit);
    const length = months * 31 + days + ms / 86_400_000;
    if (finest !== undefined && finest.days <= length) continue;
    finest = { days: length, period: { lo: reading.time, hi: (end ?? reading).time } };
  }
  return finest?.period;
}
