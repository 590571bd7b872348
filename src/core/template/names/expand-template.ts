import type { Span } from '../../text/span.ts';
import type { JinjaExpression } from '../language/expression.ts';
import { mapExpression } from '../language/map-expression.ts';
import type { Target, TemplateNode } from '../language/parse-template.ts';
import { refuse } from '../python/refusal.ts';
import { expandNames } from './expand-names.ts';
import { isFunction, type TemplateEnvironment } from './template-environment.ts';

/**
 * The template with the names of its DAG put in. Refused where the template gives one of them, or what they are made
 * of, another value: then it would matter which of the two an expression means.
 */
export function expandTemplate(
  nodes: readonly TemplateNode[],
  environment: Pick<TemplateEnvironment, 'names' | 'filters'>,
): readonly TemplateNode[] {
  const { names, filters } = environment;
  if (names.size === 0 && filters.size === 0) return nodes;
  // A list of the DAG is one list wherever it is named; here each place has its own.
  const lists = [...names.values()].some((name) => !isFunction(name) && name.kind !== 'literal');
  const put = (expression: JinjaExpression): JinjaExpression =>
    lists && changesList(expression)
      ? refuse('a list is changed while lists of the DAG are in use')
      : expandNames(expression, environment);
  const optional = (expression: JinjaExpression | undefined) =>
    expression === undefined ? undefined : put(expression);
  const all = (inner: readonly TemplateNode[]): readonly TemplateNode[] => inner.map(one);
  const assigned = (name: string, at: Span): void => {
    if (names.has(name) || name === 'macros') refuse(`"${name}" is set in the template and by its DAG`, at);
  };
  const target = ({ names: targets }: Target, at: Span): void => {
    for (const name of targets) assigned(name, at);
  };
  const one = (node: TemplateNode): TemplateNode => {
    switch (node.kind) {
      case 'text':
        return node;
      case 'output':
      case 'do':
        return { ...node, value: put(node.value) };
      case 'if':
        return {
          ...node,
          branches: node.branches.map(({ condition, body, at }) => ({
            condition: optional(condition),
            body: all(body),
            at,
          })),
        };
      case 'for':
        target(node.target, node.at);
        return {
          ...node,
          items: put(node.items),
          condition: optional(node.condition),
          body: all(node.body),
          otherwise: all(node.otherwise),
        };
      case 'set':
        target(node.target, node.at);
        return { ...node, value: put(node.value) };
      case 'capture':
        if (node.name !== undefined) assigned(node.name, node.at);
        return { ...node, filtered: put(node.filtered), body: all(node.body) };
      case 'with':
        for (const assignment of node.assignments) target(assignment.target, node.at);
        return {
          ...node,
          assignments: node.assignments.map((assignment) => ({ ...assignment, value: put(assignment.value) })),
          body: all(node.body),
        };
      case 'import':
        for (const name of typeof node.names === 'string' ? [node.names] : node.names.map(({ as }) => as))
          assigned(name, node.at);
        return node;
      case 'macro':
        for (const name of [node.name, ...node.parameters.map((parameter) => parameter.name)]) assigned(name, node.at);
        return {
          ...node,
          parameters: node.parameters.map(({ name, fallback }) => ({ name, fallback: optional(fallback) })),
          body: all(node.body),
        };
    }
  };
  return all(nodes);
}

/** `x.append(…)` or `x.extend(…)` anywhere in it. */
function changesList(expression: JinjaExpression): boolean {
  if (
    expression.kind === 'call' &&
    expression.callee.kind === 'attribute' &&
    /^(?:append|extend)$/.test(expression.callee.name)
  )
    return true;
  let found = false;
  mapExpression(expression, (part) => {
    found ||= changesList(part);
    return part;
  });
  return found;
}
