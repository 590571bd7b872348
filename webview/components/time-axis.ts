import type { UnitView } from '../../src/protocol/assistant-state.ts';

/** Where the units of a plan stand on one common time line, as shares (0…1) of its width. */
export interface TimeAxis {
  place(unit: UnitView): { readonly left: number; readonly width: number };
  /** Labels at the first unit and about every seventh of the finest row. */
  readonly ticks: readonly { readonly left: number; readonly label: string }[];
  /** Number of cells of the finest row: the page gives each at least a clickable width. */
  readonly finest: number;
}

export function timeAxis(units: readonly UnitView[], rows: readonly { readonly units: readonly number[] }[]): TimeAxis {
  const times = units.map((unit) => ({ start: Date.parse(unit.start), end: Date.parse(unit.end) }));
  const from = times.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY);
  const to = times.reduce((most, { end }) => Math.max(most, end), Number.NEGATIVE_INFINITY);
  const whole = Math.max(to - from, 1);
  const left = (iso: string): number => (Date.parse(iso) - from) / whole;
  const finestRow = rows.reduce<readonly number[]>(
    (most, { units: row }) => (row.length > most.length ? row : most),
    [],
  );
  const every = Math.max(1, Math.ceil(finestRow.length / 8));
  const ticks = finestRow
    .filter((_, position) => position % every === 0)
    .flatMap((index) => {
      const unit = units[index];
      return unit === undefined ? [] : [{ left: left(unit.start), label: withoutYear(unit.label) }];
    });
  return {
    place: (unit) => ({ left: left(unit.start), width: left(unit.end) - left(unit.start) }),
    ticks,
    finest: Math.max(finestRow.length, 1),
  };
}

/** Ticks stand close together; the year is in every cell's tooltip. */
const withoutYear = (label: string): string => label.replace(/^\d{4}-(?=\d)/, '');
