import { addDecimals, subtractDecimals } from './decimal.ts';
import { isSameSlice } from './same-slice.ts';
import type { SliceDiff } from './slice-diff.ts';

/**
 * What a run did to one table, all of its units together. Figures of before and after are those of the slices that it
 * changed: what was skipped, unchanged, held, failed or not started has changed nothing.
 */
export interface NetChange {
  readonly table: string;
  /** Slices that were changed, and that were run and came out as they were. */
  readonly changedSlices: number;
  readonly unchangedSlices: number;
  /** Rows more than before, or fewer. */
  readonly netRows: number;
  /** `undefined` where slices overlap in a way that does not tell what all of them held. */
  readonly rowsBefore: number | undefined;
  readonly rowsAfter: number | undefined;
  /** By the units that changed them: a row that two units changed counts twice. `undefined`: rows were not compared. */
  readonly added: number | undefined;
  readonly removed: number | undefined;
  readonly changed: number | undefined;
  /** Numeric columns with a sum in every changed slice. */
  readonly columns: readonly NetColumn[];
}

export interface NetColumn {
  readonly column: string;
  /** Decimals; as with rows `undefined` where overlapping slices do not tell. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** `undefined` where a sum is no number. */
  readonly net: string | undefined;
}

/** The tables that units changed or looked at, in the order in which they first come. Units in the order of their plan. */
export function netChanges(
  units: readonly { readonly state: string; readonly slices: readonly SliceDiff[] }[],
): readonly NetChange[] {
  const tables = new Map<string, { changed: SliceDiff[]; unchanged: number }>();
  for (const { state, slices } of units) {
    if (state !== 'changed' && state !== 'unchanged') continue;
    for (const slice of slices) {
      const entry = tables.get(slice.table) ?? { changed: [], unchanged: 0 };
      tables.set(slice.table, entry);
      if (state === 'changed' && !isSameSlice(slice)) entry.changed.push(slice);
      else entry.unchanged += 1;
    }
  }
  return [...tables].map(([table, { changed, unchanged }]) => tableChange(table, changed, unchanged));
}

function tableChange(table: string, slices: readonly SliceDiff[], unchangedSlices: number): NetChange {
  const rows = netOf(slices, (side) => String(side?.rows ?? 0));
  const total = (count: (slice: SliceDiff) => number | undefined): number | undefined =>
    slices.reduce<number | undefined>((sum, slice) => {
      const next = count(slice);
      return sum === undefined || next === undefined ? undefined : sum + next;
    }, 0);
  return {
    table,
    changedSlices: slices.length,
    unchangedSlices,
    netRows: Number(rows.net),
    rowsBefore: rows.before === undefined ? undefined : Number(rows.before),
    rowsAfter: rows.after === undefined ? undefined : Number(rows.after),
    added: total(({ added }) => added),
    removed: total(({ removed }) => removed),
    changed: total(({ changed }) => changed),
    columns: columnsOf(slices),
  };

  function netOf(of: readonly SliceDiff[], figure: (side: SliceDiff['before']) => string): Net {
    return addUp(of.map((slice) => ({ slice, before: figure(slice.before), after: figure(slice.after) })));
  }
}

function columnsOf(slices: readonly SliceDiff[]): readonly NetColumn[] {
  const [first] = slices;
  const names = (first?.sums ?? [])
    .map(({ column }) => column)
    .filter((name) => slices.every(({ sums = [] }) => sums.some(({ column }) => column === name)));
  return names.map((name) => {
    const sides = slices.map((slice) => {
      const { before = '0', after = '0' } = slice.sums?.find(({ column }) => column === name) ?? {};
      return { slice, before, after };
    });
    return { column: name, ...addUp(sides) };
  });
}

interface Sides {
  readonly slice: SliceDiff;
  readonly before: string;
  readonly after: string;
}

interface Net {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly net: string | undefined;
}

/**
 * Of slices apart from each other the sums; of one that is made again, or that holds the others, its first and its last. Between two
 * units of one slice a task that has none of its own, like a DROP, may have emptied it: what the first found counts, not what they did.
 */
function addUp(sides: readonly Sides[]): Net {
  const parts = apart(sides.map(({ slice }) => slice)).map((indexes) => {
    const of = indexes.map((index) => sides[index] as Sides);
    const [first, last] = [of[0], of.at(-1)] as [Sides, Sides];
    if (of.every(({ slice }) => holds(slice, last.slice) && holds(last.slice, slice)))
      return { before: first.before, after: last.after };
    if (!of.every(({ slice }) => holds(last.slice, slice))) return undefined;
    // What it held before its own unit, without what the others did to it.
    const earlier = addAll(of.slice(0, -1).map(({ before, after }) => subtractDecimals(after, before)));
    const before = earlier === undefined ? undefined : subtractDecimals(last.before, earlier);
    return before === undefined ? undefined : { before, after: last.after };
  });
  const before = addAll(parts.map((part) => part?.before));
  const after = addAll(parts.map((part) => part?.after));
  const net =
    before === undefined || after === undefined
      ? addAll(sides.map((side) => subtractDecimals(side.after, side.before)))
      : subtractDecimals(after, before);
  return { before, after, net };
}

const addAll = (texts: readonly (string | undefined)[]): string | undefined =>
  texts.some((text) => text === undefined) ? undefined : addDecimals(...(texts as readonly string[]));

const from = ({ from: iso }: SliceDiff): number => (iso === undefined ? Number.NEGATIVE_INFINITY : Date.parse(iso));
const to = ({ to: iso }: SliceDiff): number => (iso === undefined ? Number.POSITIVE_INFINITY : Date.parse(iso));

const holds = (outer: SliceDiff, inner: SliceDiff): boolean =>
  (outer.column === inner.column || outer.column === undefined) && from(outer) <= from(inner) && to(outer) >= to(inner);

/** Positions of slices, together where they overlap; bounds on different columns cannot be told apart. */
function apart(slices: readonly SliceDiff[]): readonly (readonly number[])[] {
  if (new Set(slices.map(({ column }) => column)).size > 1) return [slices.map((_, index) => index)];
  const order = slices
    .map((_, index) => index)
    .sort((a, b) => from(slices[a] as SliceDiff) - from(slices[b] as SliceDiff));
  const groups: number[][] = [];
  let reach = Number.NEGATIVE_INFINITY;
  for (const index of order) {
    const slice = slices[index] as SliceDiff;
    if (groups.length > 0 && from(slice) < reach) groups.at(-1)?.push(index);
    else groups.push([index]);
    reach = Math.max(reach, to(slice));
  }
  return groups.map((group) => group.sort((a, b) => a - b));
}
