import type { Span } from '../../text/span.ts';
import type { TableReference } from './table-reference.ts';

/** A column as written; `qualifier` is the alias or table before the dot. Names are lower case, without quotes. */
export interface ColumnReference extends Span {
  readonly kind: 'column';
  readonly qualifier: string | undefined;
  readonly name: string;
}

/**
 * A tolerant expression tree: everything that decides a window, a key or a value is told apart, all else is
 * `opaque` with its span and its operands kept in `parts`, so that nothing inside is lost to a search.
 */
export type SqlExpression =
  | ColumnReference
  | (Span & { readonly kind: 'star'; readonly qualifier: string | undefined })
  | (Span & {
      readonly kind: 'literal';
      readonly type: 'string' | 'number' | 'boolean' | 'null';
      readonly text: string;
    })
  /** A template expression that stands alone or fills a whole quoted string; `hole` indexes `MaskedText.holes`. */
  | (Span & { readonly kind: 'hole'; readonly hole: number; readonly quoted: boolean })
  /** A quoted string with holes and text mixed, e.g. `'{{ ds }} 00:00:00'`; `text` is the raw content. */
  | (Span & { readonly kind: 'template-string'; readonly holes: readonly number[]; readonly content: Span })
  /** `interval '6 days'`, `INTERVAL 1 DAY`. `undefined` amount: not a constant. */
  | (Span & {
      readonly kind: 'interval';
      readonly amount: IntervalAmount | undefined;
      readonly parts: readonly SqlExpression[];
    })
  | (Span & { readonly kind: 'cast'; readonly operand: SqlExpression; readonly type: string })
  | (Span & { readonly kind: 'at-time-zone'; readonly operand: SqlExpression; readonly zone: SqlExpression })
  | (Span & {
      readonly kind: 'call';
      /** Lower case, as written, e.g. `date_trunc`, `pg_catalog.now`; also calls without parentheses (`current_date`). */
      readonly name: string;
      readonly arguments: readonly SqlExpression[];
      readonly window: WindowClause | undefined;
      readonly filtered: boolean;
      readonly distinct: boolean;
    })
  | (Span & {
      readonly kind: 'binary';
      readonly operator: string;
      readonly left: SqlExpression;
      readonly right: SqlExpression;
    })
  | (Span & { readonly kind: 'unary'; readonly operator: string; readonly operand: SqlExpression })
  | (Span & {
      readonly kind: 'between';
      readonly operand: SqlExpression;
      readonly low: SqlExpression;
      readonly high: SqlExpression;
      readonly negated: boolean;
    })
  | (Span & {
      readonly kind: 'in';
      readonly operand: SqlExpression;
      readonly list: readonly SqlExpression[];
      readonly query: QueryBlock | undefined;
      readonly negated: boolean;
    })
  | (Span & { readonly kind: 'exists'; readonly query: QueryBlock; readonly negated: boolean })
  | (Span & { readonly kind: 'subquery'; readonly query: QueryBlock })
  /** `roles` says of each part behind which word it stands; `operand` is what stands before the first WHEN. */
  | (Span & {
      readonly kind: 'case';
      readonly parts: readonly SqlExpression[];
      readonly roles: readonly ('operand' | 'when' | 'then' | 'else')[];
    })
  | (Span & { readonly kind: 'opaque'; readonly parts: readonly SqlExpression[] });

/** ORDER BY with what it orders by, directions left out. */
export interface Ordering extends Span {
  readonly by: readonly SqlExpression[];
}

/** OVER with what it says; one that names a window of the WINDOW clause says nothing itself. */
export interface WindowClause extends Span {
  readonly isNamed: boolean;
  readonly partitionBy: readonly SqlExpression[];
  readonly orderBy: Ordering | undefined;
}

/** A constant interval; `unit` spellings are folded (`days`, `d` → `day`). Weeks are seven days. */
export interface IntervalAmount {
  readonly months: number;
  readonly days: number;
  readonly ms: number;
}

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
      /** Its sample, where the rows of it are drawn anew each time. */
      readonly drawn?: Span;
    })
  | (Span & {
      readonly kind: 'query';
      readonly query: QueryBlock;
      readonly alias: string | undefined;
      readonly join: JoinKind;
      readonly on: readonly SqlExpression[];
      readonly using: readonly string[];
      readonly drawn?: Span;
    })
  | (Span & {
      readonly kind: 'function';
      readonly name: string;
      readonly alias: string | undefined;
      readonly join: JoinKind;
      readonly on: readonly SqlExpression[];
      readonly using: readonly string[];
      readonly drawn?: Span;
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
  /** Expressions of DISTINCT ON; absent without it. */
  readonly distinctOn?: readonly SqlExpression[];
  readonly select: readonly SelectItem[];
  readonly from: readonly FromItem[];
  readonly where: readonly SqlExpression[];
  /** The WHERE clause from its keyword to its end. */
  readonly whereSpan: Span | undefined;
  readonly groupBy: readonly SqlExpression[];
  readonly having: readonly SqlExpression[];
  readonly qualify: readonly SqlExpression[];
  readonly orderBy: Ordering | undefined;
  readonly limit: Span | undefined;
  readonly then: readonly {
    readonly operator: 'union' | 'union all' | 'intersect' | 'except';
    readonly query: QueryBlock;
  }[];
}
