import type { Span } from '../../text/span.ts';
import type { CompareOperator } from '../python/python-compare.ts';

/** A literal as Python types it: `integer` and `float` print differently (`1`, `1.0`). */
export type JinjaLiteral = Span & {
  readonly kind: 'literal';
  readonly type: 'string' | 'integer' | 'float' | 'boolean' | 'none';
  readonly value: string | bigint | number | boolean | null;
};

/** `name=value` of a call. */
export interface KeywordArgument {
  readonly name: string;
  readonly value: JinjaExpression;
}

export interface CallArguments {
  readonly positional: readonly JinjaExpression[];
  readonly keyword: readonly KeywordArgument[];
}

/** An expression of the Jinja2 language. Offsets count from the start of the expression's own text. */
export type JinjaExpression =
  | JinjaLiteral
  | (Span & { readonly kind: 'name'; readonly name: string })
  | (Span & { readonly kind: 'list' | 'tuple'; readonly items: readonly JinjaExpression[] })
  | (Span & { readonly kind: 'dict'; readonly entries: readonly (readonly [JinjaExpression, JinjaExpression])[] })
  | (Span & { readonly kind: 'attribute'; readonly object: JinjaExpression; readonly name: string })
  | (Span & { readonly kind: 'subscript'; readonly object: JinjaExpression; readonly index: JinjaExpression })
  | (Span & {
      readonly kind: 'slice';
      readonly object: JinjaExpression;
      readonly from: JinjaExpression | undefined;
      readonly to: JinjaExpression | undefined;
      readonly step: JinjaExpression | undefined;
    })
  | (Span & { readonly kind: 'call'; readonly callee: JinjaExpression; readonly arguments: CallArguments })
  | (Span & {
      readonly kind: 'filter';
      readonly operand: JinjaExpression;
      readonly name: string;
      readonly arguments: CallArguments;
    })
  | (Span & {
      readonly kind: 'test';
      readonly operand: JinjaExpression;
      readonly name: string;
      readonly arguments: CallArguments;
      readonly negated: boolean;
    })
  | (Span & { readonly kind: 'unary'; readonly operator: '-' | '+' | 'not'; readonly operand: JinjaExpression })
  | (Span & {
      readonly kind: 'binary';
      readonly operator: '+' | '-' | '*' | '/' | '//' | '%' | '**' | 'and' | 'or';
      readonly left: JinjaExpression;
      readonly right: JinjaExpression;
    })
  | (Span & { readonly kind: 'concat'; readonly parts: readonly JinjaExpression[] })
  | (Span & {
      readonly kind: 'compare';
      readonly first: JinjaExpression;
      readonly rest: readonly { readonly operator: CompareOperator; readonly operand: JinjaExpression }[];
    })
  | (Span & {
      readonly kind: 'conditional';
      readonly condition: JinjaExpression;
      readonly consequent: JinjaExpression;
      readonly alternative: JinjaExpression | undefined;
    });

/**
 * `macros.datetime.strptime` or `params['x']` as the names along the way, when the expression is nothing but names,
 * dots and constant text subscripts.
 */
export function accessPath(expression: JinjaExpression): readonly string[] | undefined {
  if (expression.kind === 'name') return [expression.name];
  const step =
    expression.kind === 'attribute'
      ? expression.name
      : expression.kind === 'subscript' &&
          expression.index.kind === 'literal' &&
          typeof expression.index.value === 'string'
        ? expression.index.value
        : undefined;
  if (step === undefined || (expression.kind !== 'attribute' && expression.kind !== 'subscript')) return undefined;
  const object = accessPath(expression.object);
  return object === undefined ? undefined : [...object, step];
}
