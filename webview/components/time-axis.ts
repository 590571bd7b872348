import type { UnitView } from '../../src/protocol/assistant-state.ts';

/** Where the units of a plan stand on one common time line, as shares (0…1) of its width. */
export interface TimeAxis {
  place(unit: UnitView): { readonly left: number; readonly width: number };
  /** Labels at the first unit of the finest row and at those far enough from the label before. */
  readonly ticks: readonly { readonly left: number; readonly label: string }[];
  /** Number of cells of the finest row: the page gives each at least a clickable width. */
  readonly finest: number;
}

/** Share of the line that a label needs: a seventh holds `12-31 23:00` on a narrow page. */
const labelWidth = 1 / 7;

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
  const ticks: { left: number; label: string }[] = [];
  for (const index of finestRow) {
    const unit = units[index];
    if (unit === undefined) continue;
    const at = left(unit.start);
    if (at <= 1 - labelWidth && at - (ticks.at(-1)?.left ?? Number.NEGATIVE_INFINITY) >= labelWidth)
      ticks.push({ left: at, label: withoutYear(unit.label) });
  }
  return {
    place: (unit) => ({ left: left(unit.start), width: left(unit.end) - left(unit.start) }),
    ticks,
    finest: Math.max(finestRow.length, 1),
  };
}

/** Ticks stand close together; the year is in every cell's tooltip. */
const withoutYear = (label: string): string => label.replace(/^\d{4}-(?=\d)/, '');
