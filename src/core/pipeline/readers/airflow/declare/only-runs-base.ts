import { sourceOf } from '../../../python/calls/frame.ts';
import { childOf, type SyntaxNode } from '../../../python/syntax/syntax-tree.ts';
import type { ClassValue, Frame, Value } from '../../../python/values/value.ts';
import type { TaskBuilder } from '../program/program.ts';

/**
 * Whether an operator of the workspace does what its base does and, beside that, writes to the log at most: then it is run as
 * its base. Of its class and those that it builds on nothing else may be overridden, for the base might call it.
 */
export function onlyRunsBase({ callable, runsBase }: TaskBuilder): boolean {
  if (runsBase === undefined || callable?.object === undefined) return false;
  const { frame, node } = callable.function;
  const body = childOf(node, 'body');
  return body !== undefined && hasNoMore(callable.object.class) && body.children.every((one) => isQuiet(one, frame));
}

const hasNoMore = (owner: ClassValue): boolean =>
  [...owner.frame.names].every(([name, value]) => value.kind !== 'function' || /^(?:__init__|execute)$/.test(name)) &&
  owner.bases.every((base: Value) => base.kind !== 'class' || hasNoMore(base));

const logging = /^(?:self\.log|self\.logger|_?log|_?logger|LOG|LOGGER|logging)\.\w+$|^print$/;
const harmless = /^(?:str|repr|len|type)$/;

function isQuiet(statement: SyntaxNode, frame: Frame): boolean {
  if (statement.type === 'comment' || statement.type === 'pass_statement') return true;
  if (statement.type === 'return_statement') return statement.children.every((value) => isResult(value, frame));
  if (statement.type !== 'expression_statement') return false;
  return statement.children.every((one) => {
    if (one.type === 'string' || isResult(one, frame)) return true;
    if (one.type === 'assignment') {
      const [left, right] = [childOf(one, 'left'), childOf(one, 'right')];
      return left?.type === 'identifier' && right !== undefined && isResult(right, frame);
    }
    return isCallOf(one, frame, logging) && callsIn(one.children, frame).every((name) => harmless.test(name));
  });
}

/** What the base gives, or a name for it. */
const isResult = (value: SyntaxNode, frame: Frame): boolean =>
  value.type === 'identifier' ||
  value.type === 'none' ||
  /^super\(.*\)\.execute\(\s*(?:context\s*=\s*)?\w+\s*\)$/s.test(sourceOf(frame, value));

function isCallOf(node: SyntaxNode, frame: Frame, names: RegExp): boolean {
  const callee = node.type === 'call' ? childOf(node, 'function') : undefined;
  return callee !== undefined && names.test(sourceOf(frame, callee));
}

const callsIn = (nodes: readonly SyntaxNode[], frame: Frame): readonly string[] =>
  nodes.flatMap((node) => {
    const callee = node.type === 'call' ? childOf(node, 'function') : undefined;
    return [...(callee === undefined ? [] : [sourceOf(frame, callee)]), ...callsIn(node.children, frame)];
  });
