import { atInstant } from '../../../../template/python/python-datetime.ts';
import { dictOf, type PythonValue } from '../../../../template/python/python-value.ts';
import { dayMs } from '../../../../time/zones/civil.ts';
import { fromWall } from '../../../../time/zones/zone.ts';
import { keyValue } from '../../../python/values/iterate.ts';
import { symbolOf } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Value } from '../../../python/values/value.ts';

/** A value that is not known, or that no template gets as it is: why. */
export interface NoDriverValue {
  readonly reason: string;
}

export type DriverValue = { readonly value: PythonValue } | NoDriverValue;

/** A value of the file as Python holds it when the driver gets it; texts are left as templates. */
export function driverValue(value: Value): DriverValue {
  switch (value.kind) {
    case 'scalar': {
      const { value: plain } = value;
      if (typeof plain !== 'number') return { value: plain };
      if (value.isFloat === true || !Number.isInteger(plain)) return { value: plain };
      return Number.isSafeInteger(plain)
        ? { value: BigInt(plain) }
        : { reason: 'a whole number too large to be exact' };
    }
    case 'text':
      return value.holes.length === 0 ? { value: value.mapped.text } : unknownValue(value);
    case 'list': {
      if (value.open) return { reason: 'a list that may hold more than is known' };
      const items: PythonValue[] = [];
      for (const item of value.items) {
        const known = driverValue(item);
        if ('reason' in known) return known;
        items.push(known.value);
      }
      return { value: { kind: value.tuple ? 'tuple' : 'list', items } };
    }
    case 'dict': {
      if (value.open) return { reason: 'a dict that may hold more than is known' };
      const entries: [string, PythonValue][] = [];
      for (const [key, entry] of value.entries) {
        const name = plainText(keyValue(key));
        const known = driverValue(entry.value);
        if (name === undefined) return { reason: 'a dict whose keys are no texts' };
        if ('reason' in known) return known;
        entries.push([name, known.value]);
      }
      return { value: dictOf(entries) };
    }
    case 'datetime': {
      if (value.dateOnly)
        return { value: { kind: 'date', dayNumber: Math.floor(value.wall / dayMs), pendulum: false } };
      if (value.zone !== undefined) return { value: atInstant(fromWall(value.zone, value.wall), value.zone, false) };
      const reading = { wallMs: value.wall, microseconds: 0, offsetMs: undefined };
      return { value: { kind: 'datetime', reading, zone: undefined, pendulum: false } };
    }
    case 'duration': {
      const { months, days, ms } = value.offset;
      if (months !== 0) return { reason: 'a duration of months' };
      return {
        value: { kind: 'timedelta', microseconds: (BigInt(days) * BigInt(dayMs) + BigInt(Math.round(ms))) * 1000n },
      };
    }
    default:
      return unknownValue(value);
  }
}

function unknownValue(value: Value): NoDriverValue {
  const symbol = symbolOf(value);
  switch (symbol.kind) {
    case 'unknown':
      return { reason: symbol.reason };
    case 'clock':
      return { reason: `${symbol.name}() of the DAG file` };
    case 'literal':
      return { reason: 'a value that no driver is given' };
    default:
      return { reason: 'a value that Python makes when the task runs' };
  }
}
