import { strftime } from '../../../template/python/strftime.ts';
import type { SourceSpan } from '../../../text/span.ts';
import type { WallTime } from '../../../time/zones/wall-time.ts';
import { clocksOf, symbolOf } from './make-value.ts';
import { clocksInText } from './printed-clocks.ts';
import { derivedText, type TextBuilder } from './text-value.ts';
import { formatSymbol } from './time-symbol.ts';
import type { TextValue, Value } from './value.ts';

/** A place in a text that a value is put into: `{day}` of an f-string, `{}` of `.format`, `%s`, an operand of `+`. */
export interface Place {
  /** As written; stands in the text while the value is not known. */
  readonly text: string;
  readonly at: SourceSpan;
  /** The expression as written, and where it is in `text`. */
  readonly source: string;
  readonly expressionAt: { readonly start: number; readonly end: number };
  readonly format: string;
  readonly conversion: string;
}

/** Puts a value into a text: substituted when it is known, else as a hole. */
export function appendInterpolated(builder: TextBuilder, value: Value, place: Place): void {
  if (value.kind === 'text' && place.format === '' && place.conversion !== 'r') {
    builder.append(value, isPassage(value) ? undefined : place.at);
    return;
  }
  const known = formatted(value, place.format, place.conversion);
  if (known !== undefined) {
    builder.append(derivedText(known), place.at);
    return;
  }
  const symbol = symbolOf(value);
  builder.hole(
    place.text,
    place.at,
    { source: place.source, value: place.format === '' ? symbol : formatSymbol(symbol, place.format) },
    place.expressionAt,
    value.kind === 'unknown' ? clocksInText(value, place.format) : clocksOf(value),
  );
}

/**
 * A text of several words is a part of the query with places of its own; a single word (a table, a schema) is better
 * shown where it is put in.
 */
export const isPassage = (text: TextValue): boolean => /\S\s+\S+\s+\S/.test(text.mapped.text);

/** `format(value, spec)` where the result is known; `undefined` elsewhere. */
export function formatted(value: Value, format: string, conversion: string): string | undefined {
  if (conversion === 'r') {
    const text = value.kind === 'text' && value.holes.length === 0 ? value.mapped.text : undefined;
    return text !== undefined && !/['\\\n]/.test(text) ? `'${text}'` : undefined;
  }
  switch (value.kind) {
    case 'scalar':
      if (value.isFloat === true && !format.endsWith('f'))
        return format === '' && Math.abs(Number(value.value)) < 1e16 ? `${value.value}.0` : undefined;
      return formatScalar(value.value, format);
    case 'text':
      return value.holes.length === 0 ? pad(value.mapped.text, format) : undefined;
    case 'datetime':
      if (format !== '') return formatWall(value.wall, format);
      if (value.dateOnly) return formatWall(value.wall, '%Y-%m-%d');
      return value.zone === undefined ? formatWall(value.wall, '%Y-%m-%d %H:%M:%S') : undefined;
    case 'path':
      return format === '' ? value.path : undefined;
    default:
      return undefined;
  }
}

function formatScalar(value: number | boolean | null, format: string): string | undefined {
  if (value === null) return format === '' ? 'None' : undefined;
  if (typeof value === 'boolean') return format === '' ? (value ? 'True' : 'False') : undefined;
  if (format === '' || format === 'd')
    return Number.isInteger(value) ? String(value) : format === '' ? String(value) : undefined;
  const padded = /^0(\d+)d?$/.exec(format);
  if (padded?.[1] !== undefined && Number.isInteger(value) && value >= 0)
    return String(value).padStart(Number(padded[1]), '0');
  const fixed = /^\.(\d+)f$/.exec(format);
  return fixed?.[1] === undefined ? undefined : value.toFixed(Number(fixed[1]));
}

function pad(text: string, format: string): string | undefined {
  if (format === '' || format === 's') return text;
  const parts = /^([<>]?)(\d+)s?$/.exec(format);
  if (parts?.[2] === undefined) return undefined;
  const width = Number(parts[2]);
  return parts[1] === '>' ? text.padStart(width) : text.padEnd(width);
}

/** `strftime` of a naive reading. */
export const formatWall = (wall: WallTime, pattern: string): string | undefined =>
  strftime({ wallMs: wall, microseconds: 0, offsetMs: undefined }, pattern);
