import { sourceOf } from '../calls/frame.ts';
import { childOf, type SyntaxNode } from '../syntax/syntax-tree.ts';
import { clocksOf, listOf, unknown } from '../values/make-value.ts';
import type { Frame, Value } from '../values/value.ts';

/**
 * A body that runs an unknown number of times is followed once, so a name that it changes must not have the value of
 * the first round: `offset` of a paged query, `first` of "replace with the first chunk, append the rest".
 */
export function forgetRounds(body: SyntaxNode, frame: Frame): void {
  for (const name of assignedNames(body, frame)) {
    const before = frame.names.get(name);
    if (before !== undefined) frame.names.set(name, withoutRound(before, name));
  }
}

function withoutRound(value: Value, name: string): Value {
  switch (value.kind) {
    case 'scalar':
    case 'text':
    case 'datetime':
    case 'duration':
    case 'symbol':
    case 'path':
      return unknown(`${name} changes from round to round`, clocksOf(value));
    case 'list':
      return listOf([...value.items], value.tuple, true);
    case 'dict':
      return { ...value, open: true };
    default:
      return value;
  }
}

/** Names that the statements assign, those of inner functions and classes left out. */
function assignedNames(body: SyntaxNode, frame: Frame): ReadonlySet<string> {
  const names = new Set<string>();
  const target = (node: SyntaxNode | undefined): void => {
    if (node === undefined) return;
    if (node.type === 'identifier') names.add(sourceOf(frame, node));
    else if (node.type !== 'attribute' && node.type !== 'subscript') for (const child of node.children) target(child);
  };
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'function_definition' || node.type === 'class_definition' || node.type === 'lambda') return;
    if (node.type === 'assignment' || node.type === 'augmented_assignment') target(childOf(node, 'left'));
    else if (node.type === 'named_expression') target(childOf(node, 'name'));
    for (const child of node.children) visit(child);
  };
  visit(body);
  return names;
}
