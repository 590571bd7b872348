import type { Condition } from '../../model/condition.ts';
import { negated } from '../../model/condition.ts';
import { valueKey } from '../calls/call-key.ts';
import { lookUp, sourceOf, spanIn } from '../calls/frame.ts';
import type { SyntaxNode } from '../syntax/syntax-tree.ts';
import { childOf } from '../syntax/syntax-tree.ts';
import type { Frame, Interpreter } from '../values/value.ts';

/** Calls that give the same each time within one run. */
const steady =
  /^(?:(?:\w+\.)*Variable\.get|(?:os\.)?getenv|os\.environ\.get|len|str|int|bool|float|isinstance|\w+(?:\.\w+)*\.(?:get|lower|upper|strip|startswith|endswith|weekday|isoweekday|strftime))$/;

/** An expression whose truth is not known, as a condition that holds. */
export function conditionOf(node: SyntaxNode, frame: Frame, run: Interpreter): Condition {
  const [inner] = node.children;
  if (node.type === 'parenthesized_expression' && inner !== undefined) return conditionOf(inner, frame, run);
  const argument = node.type === 'not_operator' ? childOf(node, 'argument') : undefined;
  if (argument !== undefined) return negated(conditionOf(argument, frame, run));
  const text = sourceOf(frame, node).replace(/\s+/g, ' ');
  const names = new Map<string, string>();
  let isSteady = true;
  const visit = (part: SyntaxNode): void => {
    if (part.type === 'call') {
      const callee = childOf(part, 'function');
      if (callee === undefined || !steady.test(sourceOf(frame, callee))) isSteady = false;
    } else if (part.type === 'identifier') {
      const name = sourceOf(frame, part);
      const value = lookUp(frame, name);
      // Two values that are not known need not be the same.
      if (value !== undefined)
        names.set(
          name,
          value.kind === 'unknown'
            ? run.identityOf(value)
            : valueKey(value, { of: (thing) => run.identityOf(thing) }, 0),
        );
    }
    for (const child of part.children) visit(child);
  };
  visit(node);
  const key = isSteady
    ? JSON.stringify([text.replace(/'/g, '"'), ...names])
    : JSON.stringify([frame.file, node.start, run.nextNumber()]);
  return { key, holds: true, text, at: spanIn(frame, node) };
}
