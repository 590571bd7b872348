import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DriverArguments } from '../../../src/core/pipeline/model/driver-parameters.ts';
import { bindParameters } from '../../../src/core/run/bind/bind-parameters.ts';
import { dictOf, type PythonValue } from '../../../src/core/template/python/python-value.ts';

/** A value as `scripts/psycopg/bindings.py` writes it down: one key says the type. */
type Tagged = Readonly<Record<string, unknown>>;

function pythonValue(tagged: Tagged): PythonValue {
  const [[kind, value] = ['', undefined]] = Object.entries(tagged);
  switch (kind) {
    case 'none':
      return null;
    case 'bool':
      return value as boolean;
    case 'int':
      return BigInt(value as string);
    case 'float': {
      const special: Readonly<Record<string, number>> = { inf: Infinity, '-inf': -Infinity, nan: Number.NaN };
      return special[value as string] ?? Number(value);
    }
    case 'list':
    case 'tuple':
      return { kind, items: (value as Tagged[]).map(pythonValue) };
    case 'dict':
      return dictOf((value as [string, Tagged][]).map(([key, item]) => [key, pythonValue(item)]));
    case 'date':
      return { kind, dayNumber: dayMs(value as string) / 86_400_000, pendulum: false };
    case 'datetime': {
      const [seconds = '', fraction = '0'] = (value as string).split('.');
      const wallMs = dayMs(seconds) + Math.floor(Number(fraction) / 1000);
      const minutes = tagged.offset as number | null;
      const offsetMs = minutes === null ? undefined : minutes * 60_000;
      const reading = { wallMs, microseconds: Number(fraction) % 1000, offsetMs };
      return { kind, reading, zone: minutes === null ? undefined : 'UTC', pendulum: false };
    }
    case 'timedelta':
      return { kind, microseconds: BigInt(value as string) };
    default:
      return value as string;
  }
}

const dayMs = (text: string): number => Date.parse(`${text}${text.length > 10 ? 'Z' : 'T00:00:00Z'}`);

const file = new URL('../../fixtures/psycopg/bindings.json', import.meta.url);
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly [string, Tagged, string | null][];

describe('values that a driver puts into a statement', () => {
  test('come out as psycopg2 writes them, or are refused where it refuses them', () => {
    expect(cases.length).toBeGreaterThan(1000);
    const wrong = cases.flatMap(([sql, given, expected]) => {
      const bound = bindParameters(sql, pythonValue(given) as DriverArguments);
      const text = bound.ok ? bound.text : null;
      return text === expected ? [] : [{ sql, given: JSON.stringify(given), expected, bound }];
    });
    expect(wrong).toEqual([]);
  });

  test('say what the driver would not take, and where', () => {
    const day = dictOf([['day', '2026-11-28']]);
    const reasonOf = (sql: string, given: DriverArguments) => {
      const bound = bindParameters(sql, given);
      return bound.ok ? bound.text : `${bound.at}: ${bound.reason}`;
    };
    expect(reasonOf('select %(other)s', day as DriverArguments)).toBe('7: parameters has no value for %(other)s');
    expect(reasonOf("where a like 'x%' and d = %(day)s", day as DriverArguments)).toContain(
      'write %% for a percent sign',
    );
    expect(reasonOf('%(day)s %s', day as DriverArguments)).toBe('8: %s and %(name)s cannot be mixed');
    expect(reasonOf('%s', { kind: 'list', items: [1n, 2n] })).toBe('0: parameters has 2 values, and the SQL takes 1');
  });
});
