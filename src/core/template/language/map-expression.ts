import type { CallArguments, JinjaExpression } from './expression.ts';

/** The expression with each of its direct parts changed. Spans stay. */
export function mapExpression(
  expression: JinjaExpression,
  change: (part: JinjaExpression) => JinjaExpression,
): JinjaExpression {
  const optional = (part: JinjaExpression | undefined) => (part === undefined ? undefined : change(part));
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return expression;
    case 'list':
    case 'tuple':
      return { ...expression, items: expression.items.map(change) };
    case 'dict':
      return { ...expression, entries: expression.entries.map(([key, value]) => [change(key), change(value)]) };
    case 'attribute':
      return { ...expression, object: change(expression.object) };
    case 'subscript':
      return { ...expression, object: change(expression.object), index: change(expression.index) };
    case 'slice':
      return {
        ...expression,
        object: change(expression.object),
        from: optional(expression.from),
        to: optional(expression.to),
        step: optional(expression.step),
      };
    case 'call':
      return {
        ...expression,
        callee: change(expression.callee),
        arguments: mapArguments(expression.arguments, change),
      };
    case 'filter':
    case 'test':
      return {
        ...expression,
        operand: change(expression.operand),
        arguments: mapArguments(expression.arguments, change),
      };
    case 'unary':
      return { ...expression, operand: change(expression.operand) };
    case 'binary':
      return { ...expression, left: change(expression.left), right: change(expression.right) };
    case 'concat':
      return { ...expression, parts: expression.parts.map(change) };
    case 'compare':
      return {
        ...expression,
        first: change(expression.first),
        rest: expression.rest.map(({ operator, operand }) => ({ operator, operand: change(operand) })),
      };
    case 'conditional':
      return {
        ...expression,
        condition: change(expression.condition),
        consequent: change(expression.consequent),
        alternative: optional(expression.alternative),
      };
  }
}

const mapArguments = (
  { positional, keyword }: CallArguments,
  change: (part: JinjaExpression) => JinjaExpression,
): CallArguments => ({
  positional: positional.map(change),
  keyword: keyword.map(({ name, value }) => ({ name, value: change(value) })),
});
