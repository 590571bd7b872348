import { bindName, sourceOf, spanIn } from '../calls/frame.ts';
import { parameterDefaults } from '../evaluate/parameters.ts';
import { childOf, type SyntaxNode } from '../syntax/syntax-tree.ts';
import type { ClassValue, Frame, FunctionValue, Interpreter, Value } from '../values/value.ts';

/** A `def` or `class` statement: the name gets what the decorators make of it. */
export function define(node: SyntaxNode, decorators: readonly SyntaxNode[], frame: Frame, run: Interpreter): void {
  const nameNode = childOf(node, 'name');
  if (nameNode === undefined) return;
  const name = sourceOf(frame, nameNode);
  let value: Value;
  if (node.type === 'class_definition') value = defineClass(node, name, frame, run);
  else {
    const definition: FunctionValue = {
      kind: 'function',
      name,
      node,
      // The names of a class body are not seen from its methods.
      frame: frame.classBody === undefined ? frame : (frame.parent ?? frame),
      defaults: parameterDefaults(node, frame, run),
      owner: frame.classBody,
    };
    value = definition;
  }
  for (const decorator of [...decorators].reverse()) {
    const [expression] = decorator.children;
    if (expression === undefined) continue;
    const decorating = run.evaluate(expression, frame);
    value =
      bindingOf(decorating, value) ?? run.host.decorate(decorating, value, spanIn(frame, expression), run) ?? value;
  }
  bindName(frame, name, value, run);
}

function defineClass(node: SyntaxNode, name: string, frame: Frame, run: Interpreter): ClassValue {
  const bases = childOf(node, 'superclasses')?.children.filter((child) => child.type !== 'keyword_argument') ?? [];
  const body = childOf(node, 'body');
  const inner: { -readonly [key in keyof Frame]: Frame[key] } = {
    ...frame,
    module: frame.module,
    names: new Map(),
    parent: frame,
    elsewhere: undefined,
    returned: undefined,
  };
  const value: ClassValue = {
    kind: 'class',
    name,
    // `Base[T]` builds on `Base`.
    bases: bases.map((base) =>
      run.evaluate((base.type === 'subscript' ? childOf(base, 'value') : undefined) ?? base, frame),
    ),
    frame: inner,
    fields: body === undefined ? [] : annotatedNames(body, frame),
  };
  inner.classBody = value;
  frame.names.set(name, value);
  if (body !== undefined) run.block(body, inner);
  return value;
}

const annotatedNames = (body: SyntaxNode, frame: Frame): readonly string[] =>
  body.children.flatMap((statement) =>
    statement.children.flatMap((child) => {
      const name = child.type === 'assignment' && childOf(child, 'type') ? childOf(child, 'left') : undefined;
      return name?.type === 'identifier' ? [sourceOf(frame, name)] : [];
    }),
  );

/** A function under one of the language's own decorators. */
function bindingOf(decorator: Value, target: Value): Value | undefined {
  if (target.kind !== 'function' || decorator.kind !== 'external') return undefined;
  const binding = Object.hasOwn(bindings, decorator.name) ? bindings[decorator.name] : undefined;
  return binding === undefined ? undefined : { ...target, binding };
}

const bindings: Readonly<Record<string, NonNullable<FunctionValue['binding']>>> = {
  'builtins.staticmethod': 'static',
  'builtins.classmethod': 'class',
  'builtins.property': 'property',
  'functools.cached_property': 'property',
  'airflow.compat.functools.cached_property': 'property',
  'cached_property.cached_property': 'property',
  'contextlib.contextmanager': 'context-manager',
};
