import type { FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import type { Span } from '../../text/span.ts';
import type { BoundOperator } from '../columns/bound-range.ts';
import { boundOperator, type ColumnCondition, columnConditions } from '../columns/column-conditions.ts';
import { alsoAsked, both, type ColumnName, type ColumnRange, openRange, type TypeOf } from '../columns/column-range.ts';
import type { ColumnType } from '../columns/column-type.ts';
import { type ComparedColumn, comparedColumn } from '../columns/compared-column.ts';
import { comparedRange, valueOfSide } from '../columns/compared-range.ts';
import { hiddenBounds } from '../columns/hidden-bounds.ts';
import { isNamed } from '../columns/query-scope.ts';
import { type QueryOf, withSingleRows } from '../columns/with-single-rows.ts';
import type { SqlContext } from '../times/sql-context.ts';
import type { TimeReadings } from '../times/time-readings.ts';

/** What the workspace knows of the columns of an entry of FROM. */
export interface ColumnsOf {
  /** `undefined`: not known, the column may be there. */
  has(item: FromItem, column: string): boolean | undefined;
  typeOf(item: FromItem, column: string): ColumnType;
  /** What is known of the values in the first column of a subquery. */
  outputOf(query: QueryBlock): ColumnRange | undefined;
  readonly queryOf: QueryOf;
}

/** For each entry of a FROM list the ranges that the block's own conditions put on its columns. */
export interface FromRanges {
  readonly ranges: readonly ReadonlyMap<string, ColumnRange>[];
  /** Of entries that a bound without a qualifier may be of, the column that it names. */
  readonly mayBeBoundBy: ReadonlyMap<number, string>;
  /** Entries that an unqualified or qualified column may belong to; empty when it is of an outer block. */
  owners(column: ColumnName): readonly number[];
  typeAt(index: number, column: string): ColumnType;
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

  const mayBeBoundBy = new Map<number, string>();
  /** Entries that a column may be of where nothing tells which. */
  const undecided = ({ qualifier, name }: ColumnName): readonly number[] =>
    qualifier === undefined && from.length > 1
      ? from.flatMap((item, index) => (columns.has(item, name) === false ? [] : [index]))
      : [];
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
  const put = (index: number, column: string, range: ColumnRange, join: typeof both): void => {
    const known = ranges[index]?.get(column);
    ranges[index]?.set(column, known === undefined ? range : join(known, range));
  };

  const links: Link[] = [];
  const apply = (written: readonly SqlExpression[], restricts: (index: number) => boolean): void => {
    const conjuncts = withSingleRows(written, from, columns.queryOf);
    const read = columnConditions(conjuncts, context, typeOf, columns.outputOf);
    const hidden = conjuncts.flatMap((conjunct) => hiddenIn(conjunct, read));
    for (const { range, ...column } of [...read, ...hidden]) {
      const found = owners(column);
      for (const index of found) if (restricts(index)) put(index, column.name, range, both);
      if (found.length === 0 && (range.lo ?? range.hi) !== undefined)
        for (const index of undecided(column)) if (restricts(index)) mayBeBoundBy.set(index, column.name);
    }
    for (const conjunct of conjuncts) {
      for (const [first, operator, second] of comparisonsIn(conjunct)) {
        const [left, right] = [first, second].map((side) => endOf(comparedColumn(side, context.dialect)));
        if (left === undefined || right === undefined) continue;
        const at = { start: conjunct.start, end: conjunct.end };
        if (restricts(right.index)) links.push({ from: left, to: right, operator: turned[operator], at });
        if (restricts(left.index)) links.push({ from: right, to: left, operator, at });
      }
    }
  };
  const hiddenIn = (conjunct: SqlExpression, read: readonly ColumnCondition[]): readonly ColumnCondition[] =>
    columnConditions([conjunct], context, typeOf, columns.outputOf).length > 0
      ? []
      : hiddenBounds(conjunct, context, typeOf).filter(
          (one) => !read.some(({ qualifier, name }) => qualifier === one.qualifier && name === one.name),
        );
  const endOf = (side: ComparedColumn | undefined): LinkEnd | undefined => {
    if (side === undefined || side.zone !== undefined) return undefined;
    const [index, ...others] = owners(side.column);
    return index === undefined || others.length > 0 ? undefined : { index, side };
  };
  const typeAt = (index: number, column: string): ColumnType => {
    const item = from[index];
    return item === undefined ? undefined : columns.typeOf(item, column);
  };
  /**
   * A wall time that was compared on a clock of its own (`AT TIME ZONE`) has two readings, and which moments a session
   * takes it for is a third: of moments nothing is said then.
   */
  const isCarried = ({ lo, hi }: ColumnRange, type: ColumnType, to: LinkEnd): boolean => {
    const isForeign = (end: TimeReadings | undefined): boolean =>
      end?.readings.some(({ zone }) => zone !== undefined && !context.zones.includes(zone)) === true;
    return typeAt(to.index, to.side.column.name) === type || !(isForeign(lo) || isForeign(hi));
  };
  const carry = ({ from: source, to, operator, at }: Link): boolean => {
    const range = ranges[source.index]?.get(source.side.column.name);
    if (range === undefined || !isCarried(range, typeAt(source.index, source.side.column.name), to)) return false;
    const value = valueOfSide(range, source.side, typeAt(source.index, source.side.column.name), context);
    const lo = operator === '<' || operator === '<=' ? undefined : value.lo;
    const hi = operator === '>' || operator === '>=' ? undefined : value.hi;
    const known = ranges[to.index]?.get(to.side.column.name);
    const unreadLo = operator === '=' ? value.unreadLo : undefined;
    const unreadHi = operator === '=' ? value.unreadHi : undefined;
    const carried = { ...openRange, lo, hi, unreadLo, unreadHi, at: operator === '=' ? (range.at ?? at) : at };
    put(
      to.index,
      to.side.column.name,
      comparedRange(carried, to.side, typeAt(to.index, to.side.column.name), context),
      alsoAsked,
    );
    const now = ranges[to.index]?.get(to.side.column.name);
    return now?.lo !== known?.lo || now?.hi !== known?.hi;
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
        if (restricts(index)) links.push({ from: one, to: two, operator: '=', at: undefined });
        if (restricts(other)) links.push({ from: two, to: one, operator: '=', at: undefined });
      }
    }
  }

  return {
    ranges,
    mayBeBoundBy,
    owners,
    typeAt,
    ask: (index, column, range) => put(index, column, range, alsoAsked),
    settle: () => {
      // A chain of n entries needs at most n turns.
      for (let turn = 0; turn < from.length; turn++) {
        let changed = false;
        for (const link of links) if (carry(link)) changed = true;
        if (!changed) return;
      }
    },
  };
}

interface LinkEnd {
  readonly index: number;
  readonly side: ComparedColumn;
}

/** `to operator from`: what is known of the one side's values bounds the other's. */
interface Link {
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly operator: BoundOperator;
  readonly at: Span | undefined;
}

const bare = (name: string): ComparedColumn => ({
  column: { kind: 'column', qualifier: undefined, name, start: 0, end: 0 },
  unit: undefined,
  zone: undefined,
  steps: [],
});

/** Comparisons of an expression with another: `a = b`, `a < b`, and both that BETWEEN stands for. */
function comparisonsIn(expression: SqlExpression): readonly (readonly [SqlExpression, BoundOperator, SqlExpression])[] {
  if (expression.kind === 'between' && !expression.negated) {
    return [
      [expression.operand, '>=', expression.low],
      [expression.operand, '<=', expression.high],
    ];
  }
  const operator = expression.kind === 'binary' ? boundOperator(expression.operator) : undefined;
  if (expression.kind !== 'binary' || operator === undefined) return [];
  return [[expression.left, operator, expression.right]];
}

const turned: Readonly<Record<BoundOperator, BoundOperator>> = { '=': '=', '<': '>', '>': '<', '<=': '>=', '>=': '<=' };

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
