import { type WallTime, wallTime } from '../../../time/zones/wall-time.ts';

export interface ParsedDate {
  readonly kind: 'datetime';
  readonly wall: WallTime;
  readonly zone: string | undefined;
  readonly dateOnly: boolean;
}

const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/;

/** A constant date in ISO form, or in a `strptime` pattern of numeric directives. Pendulum reads naive texts as UTC. */
export function parseDate(text: string, pattern: string | undefined, parser: string): ParsedDate | undefined {
  const parts = parser.endsWith('.strptime') ? byPattern(text, pattern) : byIso(text);
  if (parts === undefined) return undefined;
  const { year, month, day, hour, minute, second, zone } = parts;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  if (Number.isNaN(wall) || new Date(wall).getUTCDate() !== day) return undefined;
  const utcByDefault = parser.startsWith('pendulum.') || parser.startsWith('airflow.');
  return {
    kind: 'datetime',
    wall: wallTime(wall),
    zone: zone ?? (utcByDefault ? 'UTC' : undefined),
    dateOnly: parser === 'datetime.date.fromisoformat',
  };
}

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  zone: string | undefined;
}

function byIso(text: string): Parts | undefined {
  const match = iso.exec(text.trim());
  if (match === null) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const offset = match[7];
  const zone =
    offset === undefined
      ? undefined
      : offset === 'Z' || /^[+-]00:?00$/.test(offset)
        ? 'UTC'
        : offset.replace(/^(...):?/, '$1:');
  return { year, month, day, hour, minute, second, zone };
}

const directives: Readonly<Record<string, readonly [keyof Parts, string]>> = {
  Y: ['year', '\\d{4}'],
  m: ['month', '\\d{1,2}'],
  d: ['day', '\\d{1,2}'],
  H: ['hour', '\\d{1,2}'],
  M: ['minute', '\\d{1,2}'],
  S: ['second', '\\d{1,2}'],
};

function byPattern(text: string, pattern: string | undefined): Parts | undefined {
  if (pattern === undefined) return undefined;
  const order: (keyof Parts)[] = [];
  let refused = false;
  const source = pattern.replace(/%(.)|[.*+?^${}()|[\]\\]/g, (found, directive: string | undefined) => {
    if (directive === undefined) return `\\${found}`;
    const known = directives[directive];
    if (known === undefined) {
      refused = true;
      return '';
    }
    order.push(known[0]);
    return `(${known[1]})`;
  });
  const match = refused ? null : new RegExp(`^${source}$`).exec(text);
  if (match === null) return undefined;
  const parts: Parts = { year: 1900, month: 1, day: 1, hour: 0, minute: 0, second: 0, zone: undefined };
  for (const [index, name] of order.entries()) if (name !== 'zone') parts[name] = Number(match[index + 1]);
  return parts;
}
