import { daysAndRest, floatText, isObject, type PythonValue, typeName } from '../../template/python/python-value.ts';
import { refuse } from '../../template/python/refusal.ts';
import { isoText, pad } from '../../template/python/strftime.ts';

/**
 * A value as psycopg2 writes it into a statement, on a server with `standard_conforming_strings`: its C adapters,
 * blank in front of a negative number included. Refuses what it cannot adapt.
 */
export function driverLiteral(value: PythonValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') {
    if (value.includes('\0')) return refuse('a text that holds a NUL character');
    return quoted(value);
  }
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return signed(String(value));
  if (typeof value === 'number') return floatLiteral(value);
  return objectLiteral(value);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** `1 -%s` must not begin a comment. */
const signed = (figures: string): string => (figures.startsWith('-') ? ` ${figures}` : figures);

function floatLiteral(value: number): string {
  if (Number.isNaN(value)) return "'NaN'::float";
  if (!Number.isFinite(value)) return value < 0 ? "'-Infinity'::float" : "'Infinity'::float";
  return signed(floatText(value));
}

function objectLiteral(value: Extract<PythonValue, object>): string {
  switch (value.kind) {
    case 'list':
      return listLiteral(value.items);
    case 'tuple':
      return `(${value.items.map(driverLiteral).join(', ')})`;
    case 'date':
      return `'${isoText({ wallMs: value.dayNumber * 86_400_000, microseconds: 0, offsetMs: undefined }, 'T').slice(0, 10)}'::date`;
    case 'datetime': {
      const type = value.reading.offsetMs === undefined ? 'timestamp' : 'timestamptz';
      return `'${isoText(value.reading, 'T')}'::${type}`;
    }
    case 'timedelta': {
      const [days, rest] = daysAndRest(value.microseconds);
      const seconds = `${rest / 1_000_000n}.${pad(Number(rest % 1_000_000n), 6)}`;
      return `'${days} days ${seconds} seconds'::interval`;
    }
    default:
      return refuse(`psycopg2 cannot write a ${typeName(value)} into a statement`);
  }
}

/** Of nothing but NULL there is no type, so it goes as the text of an array. */
function listLiteral(items: readonly PythonValue[]): string {
  if (items.length === 0) return "'{}'";
  const text = nullArray(items);
  return text === undefined ? `ARRAY[${items.map(elementLiteral).join(',')}]` : `'${text}'`;
}

/** An empty list inside another one has no quotes. */
const elementLiteral = (item: PythonValue): string =>
  isObject(item) && item.kind === 'list' && item.items.length === 0 ? 'ARRAY[]' : driverLiteral(item);

function nullArray(items: readonly PythonValue[]): string | undefined {
  const texts = items.map((item) => {
    if (item === null) return 'NULL';
    return isObject(item) && item.kind === 'list' && item.items.length > 0 ? nullArray(item.items) : undefined;
  });
  return texts.every((text) => text !== undefined) ? `{${texts.join(',')}}` : undefined;
}
