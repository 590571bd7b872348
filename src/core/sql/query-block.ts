import type { Span } from '../text/span.ts';
import type { SqlExpression } from './expression.ts';
import type { TableReference } from './table-reference.ts';

/** One output column: its expression, its name (alias, or the column's own name), `undefined` where unnamed. */
export interface SelectItem extends Span {
  readonly expression: SqlExpression;
  readonly name: string | undefined;
  readonly alias: Span | undefined;
}

/** An entry of FROM or JOIN. `on` holds the join's own conjuncts. */
export type FromItem =
  | (Span & {
      readonly kind: 'table';
      readonly table: TableReference;
      readonly alias: string | undefined;
      /** Set when the name is a CTE of this statement rather than a table. */
      readonly cte: string | undefined;
      readonly join: JoinKind;
      readonly on: readonly SqlExpression[];
      readonly using: readonly string[];
    })
  | (Span & {
      readonly kind: 'query';
      readonly query: QueryBlock;
      readonly alias: string | undefined;
      readonly join: JoinKind;
      readonly on: readonly SqlExpression[];
      readonly using: readonly string[];
    })
  | (Span & {
      readonly kind: 'function';
      readonly name: string;
      readonly alias: string | undefined;
      readonly join: JoinKind;
      readonly on: readonly SqlExpression[];
      readonly using: readonly string[];
    });

export type JoinKind = 'first' | 'comma' | 'inner' | 'left' | 'right' | 'full' | 'cross' | 'lateral' | 'other';

/** A common table expression; `columns` are the names after the CTE's name, if given. */
export interface CommonTable extends Span {
  readonly name: string;
  readonly columns: readonly string[];
  readonly query: QueryBlock;
  /** The name's own span. */
  readonly nameSpan: Span;
}

/**
 * One SELECT with its clauses. Set operations chain further blocks in `then`; `WITH` of a statement hangs on the
 * outermost block. WHERE, ON and HAVING are split at their top-level ANDs.
 */
export interface QueryBlock extends Span {
  readonly with: readonly CommonTable[];
  readonly distinct: boolean;
  readonly select: readonly SelectItem[];
  readonly from: readonly FromItem[];
  readonly where: readonly SqlExpression[];
  /** The WHERE clause from its keyword to its end. */
  readonly whereSpan: Span | undefined;
  readonly groupBy: readonly SqlExpression[];
  readonly having: readonly SqlExpression[];
  readonly qualify: readonly SqlExpression[];
  readonly orderBy: Span | undefined;
  readonly limit: Span | undefined;
  readonly then: readonly {
    readonly operator: 'union' | 'union all' | 'intersect' | 'except';
    readonly query: QueryBlock;
  }[];
}
