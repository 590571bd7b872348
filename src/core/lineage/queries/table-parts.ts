import type { Instant } from '../../time/zones/instant.ts';
import { parseInstant } from '../../time/zones/iso.ts';

/** A partition of a table by one column of days: its rows are those of `[from, to)`, in UTC. */
export interface TablePart {
  readonly name: string;
  readonly from: Instant;
  readonly to: Instant;
}

/** `FOR VALUES FROM ('2026-11-01') TO ('2026-11-02')`, as definitions and the catalog have it; `undefined` for any other bounds. */
export function tablePart(name: string, bound: string): TablePart | undefined {
  const [, first, last] = range.exec(bound) ?? [];
  const from = first === undefined ? undefined : parseInstant(first, 'UTC');
  const to = last === undefined ? undefined : parseInstant(last, 'UTC');
  return from === undefined || to === undefined ? undefined : { name, from, to };
}

const day = "\\(\\s*'(\\d{4}-\\d\\d-\\d\\d)(?: 00:00:00(?:\\+00)?)?'\\s*\\)";
const range = new RegExp(`\\bfor\\s+values\\s+from\\s*${day}\\s*to\\s*${day}`, 'i');
