import type { SqlExpression } from '../sql/expression.ts';
import type { FromItem } from '../sql/query-block.ts';
import {
  both,
  type ColumnName,
  type ColumnRange,
  type ColumnType,
  columnConditions,
  type TypeOf,
} from './column-range.ts';
import { type ColumnSide, columnSide } from './column-side.ts';
import { isNamed } from './query-scope.ts';
import type { SqlContext } from './sql-context.ts';
import { endOfUnit, floorReadings, isAligned } from './time-readings.ts';

/** What the workspace knows of the columns of an entry of FROM. */
export interface ColumnsOf {
  /** `undefined`: not known, the column may be there. */
  has(item: FromItem, column: string): boolean | undefined;
  typeOf(item: FromItem, column: string): ColumnType;
}

/** For each entry of a FROM list the ranges that the block's own conditions put on its columns. */
export interface FromRanges {
  readonly ranges: readonly ReadonlyMap<string, ColumnRange>[];
  /** Entries that an unqualified or qualified column may belong to; empty when it is of an outer block. */
  owners(column: ColumnName): readonly number[];
  /** Adds what an outer block asks of a column, as far as equalities carry it. */
  ask(index: number, column: string, range: ColumnRange): void;
  /** To be called after the last `ask`: carries ranges over `a.day = b.day`. */
  settle(): void;
}

/** Reads WHERE and the join conditions of one block. */
export function fromRanges(
  from: readonly FromItem[],
  where: readonly SqlExpression[],
  context: SqlContext,
  columns: ColumnsOf,
): FromRanges {
  const ranges = from.map(() => new Map<string, ColumnRange>());
  const shared = new Set(from.flatMap((item) => item.using));

  const owners = ({ qualifier, name }: ColumnName): readonly number[] => {
    if (qualifier !== undefined) {
      const index = from.findIndex((item) => isNamed(item, qualifier));
      return index === -1 ? [] : [index];
    }
    if (from.length === 1) return [0];
    const known = from.map((item) => columns.has(item, name));
    const possible = from.map((_, index) => index).filter((index) => known[index] !== false);
    if (shared.has(name)) return possible;
    if (possible.length === 1) return possible;
    const certain = possible.filter((index) => known[index] === true);
    return certain.length === 1 ? certain : [];
  };
  const typeOf: TypeOf = (column) => {
    const [index, ...others] = owners(column);
    const item = index === undefined || others.length > 0 ? undefined : from[index];
    return item === undefined ? undefined : columns.typeOf(item, column.name);
  };
  const put = (index: number, column: string, range: ColumnRange): void => {
    const known = ranges[index]?.get(column);
    ranges[index]?.set(column, known === undefined ? range : both(known, range));
  };

  const links: Link[] = [];
  const apply = (conjuncts: readonly SqlExpression[], restricts: (index: number) => boolean): void => {
    for (const { range, ...column } of columnConditions(conjuncts, context, typeOf)) {
      for (const index of owners(column)) if (restricts(index)) put(index, column.name, range);
    }
    for (const conjunct of conjuncts) {
      if (conjunct.kind !== 'binary' || (conjunct.operator !== '=' && conjunct.operator !== '==')) continue;
      const sides = [columnSide(conjunct.left), columnSide(conjunct.right)].map((side) => endOf(side, owners));
      const [left, right] = sides;
      if (left === undefined || right === undefined) continue;
      if (restricts(right.index)) links.push({ from: left, to: right });
      if (restricts(left.index)) links.push({ from: right, to: left });
    }
  };

  apply(where, () => true);
  for (const [index, item] of from.entries()) {
    const restricts = restrictedBy(item, index);
    apply(item.on, restricts);
    for (const name of item.using) {
      for (let other = 0; other < index; other++) {
        const pair = [other, index].map((at) => ({ index: at, side: bare(name) }));
        const [one, two] = pair;
        if (one === undefined || two === undefined) continue;
        if (restricts(index)) links.push({ from: one, to: two });
        if (restricts(other)) links.push({ from: two, to: one });
      }
    }
  }

  return {
    ranges,
    owners,
    ask: put,
    settle: () => {
      // A chain of n entries needs at most n turns.
      for (let turn = 0; turn < from.length; turn++) {
        for (const { from: source, to } of links) {
          const range = ranges[source.index]?.get(source.side.column.name);
          if (range === undefined) continue;
          put(to.index, to.side.column.name, throughSide(valueOfSide(range, source.side, context), to.side, context));
        }
      }
    },
  };
}

interface LinkEnd {
  readonly index: number;
  readonly side: ColumnSide;
}

interface Link {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
}

const bare = (name: string): ColumnSide => ({
  column: { kind: 'column', qualifier: undefined, name, start: 0, end: 0 },
  unit: undefined,
  zone: undefined,
  offset: { months: 0, days: 0, ms: 0 },
});

function endOf(side: ColumnSide | undefined, owners: (column: ColumnName) => readonly number[]): LinkEnd | undefined {
  if (side === undefined || side.zone !== undefined) return undefined;
  const { months, days, ms } = side.offset;
  if (months !== 0 || days !== 0 || ms !== 0) return undefined;
  const [index, ...others] = owners(side.column);
  return index === undefined || others.length > 0 ? undefined : { index, side };
}

/** Which entries lose rows when a join's ON does not hold: an outer join keeps the rows of its preserved side. */
function restrictedBy(item: FromItem, index: number): (other: number) => boolean {
  switch (item.join) {
    case 'left':
      return (other) => other === index;
    case 'right':
      return (other) => other < index;
    case 'full':
    case 'other':
      return () => false;
    default:
      return () => true;
  }
}

/** Range of `date_trunc(unit, column)` for a range of the column: starts are cut, ends stay. */
export function valueOfSide(range: ColumnRange, { unit }: ColumnSide, context: SqlContext): ColumnRange {
  if (unit === undefined || range.lo === undefined) return range;
  return { ...range, lo: floorReadings(range.lo, unit, context.zones) };
}

/** Range of the column for a range of `date_trunc(unit, column)`: an end inside a unit takes the whole unit. */
export function throughSide(range: ColumnRange, { unit }: ColumnSide, context: SqlContext): ColumnRange {
  if (unit === undefined || range.hi === undefined || isAligned(range.hi.unit, unit)) return range;
  return { ...range, hi: endOfUnit(floorReadings(range.hi, unit, context.zones), unit, context.zones) };
}
