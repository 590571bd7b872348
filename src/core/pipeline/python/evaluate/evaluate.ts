import { negated } from '../../model/condition.ts';
import { lookUp, sourceOf, spanIn } from '../calls/frame.ts';
import { builtinNames } from '../library/builtin-call.ts';
import { childOf, type SyntaxNode } from '../syntax/syntax-tree.ts';
import { iterate } from '../values/iterate.ts';
import { clocksOf, dictKey, external, float, listOf, none, scalar, truthOf, unknown } from '../values/make-value.ts';
import { mergeValues } from '../values/merge.ts';
import type { Call, DictEntry, Frame, HostObject, Interpreter, Keyword, Value } from '../values/value.ts';
import { assign } from './assign.ts';
import { attributeOf } from './attribute.ts';
import { conditionOf } from './condition-of.ts';
import { evaluateString } from './evaluate-string.ts';
import { itemOf } from './item.ts';
import { binaryOperation, comparison } from './operators.ts';
import { parameterDefaults } from './parameters.ts';

/** What an expression is known to be. Never throws; what cannot be known is an unknown with its reason. */
export function evaluate(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  switch (node.type) {
    case 'identifier':
      return evaluateName(sourceOf(frame, node), frame);
    case 'string':
    case 'concatenated_string':
      return evaluateString(node, frame, run);
    case 'integer':
    case 'float':
      return evaluateNumber(sourceOf(frame, node));
    case 'true':
      return scalar(true);
    case 'false':
      return scalar(false);
    case 'none':
      return none;
    case 'parenthesized_expression':
    case 'await':
    case 'type':
      return first(node, frame, run);
    case 'tuple':
    case 'expression_list':
    case 'list':
    case 'set':
      return evaluateSequence(node, frame, run);
    case 'dictionary':
      return evaluateDictionary(node, frame, run);
    case 'attribute': {
      const object = childOf(node, 'object');
      const name = childOf(node, 'attribute');
      if (object === undefined || name === undefined) return unknown('incomplete');
      return attributeOf(run.evaluate(object, frame), sourceOf(frame, name), spanIn(frame, node), run);
    }
    case 'subscript': {
      const object = childOf(node, 'value');
      const key = childOf(node, 'subscript');
      if (object === undefined || key === undefined) return unknown('incomplete');
      const holder = run.evaluate(object, frame);
      return itemOf(
        holder,
        key.type === 'slice' ? evaluateSlice(key, frame, run) : run.evaluate(key, frame),
        spanIn(frame, node),
        run,
      );
    }
    case 'call':
      return evaluateCall(node, frame, run);
    case 'binary_operator': {
      const left = childOf(node, 'left');
      const right = childOf(node, 'right');
      const operator = childOf(node, 'operator');
      if (left === undefined || right === undefined || operator === undefined) return unknown('incomplete');
      const values = [run.evaluate(left, frame), run.evaluate(right, frame)] as const;
      return binaryOperation(sourceOf(frame, operator), ...values, {
        left,
        right,
        frame,
        at: spanIn(frame, node),
        run,
      });
    }
    case 'unary_operator': {
      const value = first(node, frame, run, 'argument');
      const negative = sourceOf(frame, node).startsWith('-');
      const [sign = ''] = sourceOf(frame, node);
      const own = value.kind === 'host' ? value.host.unary?.(sign, spanIn(frame, node), run) : undefined;
      if (own !== undefined) return own;
      if (value.kind === 'scalar' && typeof value.value === 'number')
        return { ...value, value: negative ? -value.value : value.value };
      if (value.kind === 'duration' && negative)
        return {
          kind: 'duration',
          offset: { months: -value.offset.months, days: -value.offset.days, ms: -value.offset.ms },
        };
      return unknown('arithmetic on a value that is not known', clocksOf(value));
    }
    case 'not_operator': {
      const truth = truthOf(first(node, frame, run, 'argument'));
      return truth === undefined ? unknown('not known before it runs') : scalar(!truth);
    }
    case 'boolean_operator':
      return evaluateBoolean(node, frame, run);
    case 'comparison_operator':
      return comparison(node, frame, run);
    case 'conditional_expression': {
      const [then, condition, otherwise] = node.children;
      if (then === undefined || condition === undefined || otherwise === undefined) return unknown('incomplete');
      const truth = truthOf(run.evaluate(condition, frame));
      if (truth !== undefined) return run.evaluate(truth ? then : otherwise, frame);
      const open = conditionOf(condition, frame, run);
      const either = mergeValues([
        run.under([open], () => run.evaluate(then, frame)),
        run.under([negated(open)], () => run.evaluate(otherwise, frame)),
      ]);
      return either.kind === 'unknown' ? { ...either, decidedBy: open } : either;
    }
    case 'named_expression': {
      const name = childOf(node, 'name');
      const value = first(node, frame, run, 'value');
      if (name !== undefined) assign(name, value, frame, run);
      return value;
    }
    case 'list_comprehension':
    case 'generator_expression':
    case 'set_comprehension':
    case 'dictionary_comprehension':
      return evaluateComprehension(node, frame, run);
    case 'lambda':
      return { kind: 'function', name: 'lambda', node, frame, defaults: parameterDefaults(node, frame, run) };
    case 'yield':
      return evaluateYield(node, frame, run);
    case 'ERROR':
      for (const child of node.children) run.evaluate(child, frame);
      return unknown('not valid Python');
    default:
      return unknown(`${node.type.replaceAll('_', ' ')} is not followed`);
  }
}

function first(node: SyntaxNode, frame: Frame, run: Interpreter, field?: string): Value {
  const inner = field === undefined ? node.children[0] : childOf(node, field);
  return inner === undefined ? unknown('incomplete') : run.evaluate(inner, frame);
}

function evaluateName(name: string, frame: Frame): Value {
  const value = lookUp(frame, name);
  if (value !== undefined) return value;
  if (name === '__file__') return { kind: 'path', path: frame.file };
  if (name === '__name__') return unknown('__name__');
  return builtinNames.has(name) ? external(`builtins.${name}`) : unknown(`${name} is not defined in this file`);
}

function evaluateNumber(text: string): Value {
  const plain = text.replaceAll('_', '');
  const value = /^0[oO]/.test(plain) ? Number.parseInt(plain.slice(2), 8) : Number(plain);
  if (!Number.isFinite(value)) return unknown('a number of another kind');
  return /^[\d.]*(?:\.|e)/i.test(plain) ? float(value) : scalar(value);
}

function evaluateSequence(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const items: Value[] = [];
  let open = false;
  for (const child of node.children) {
    if (child.type === 'list_splat') {
      const spread = iterate(first(child, frame, run));
      items.push(...spread.values);
      open ||= spread.open;
    } else items.push(run.evaluate(child, frame));
  }
  return listOf(items, node.type === 'tuple' || node.type === 'expression_list', open);
}

function evaluateDictionary(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const entries = new Map<string, DictEntry>();
  let open = false;
  for (const child of node.children) {
    if (child.type === 'dictionary_splat') {
      const spread = first(child, frame, run);
      if (spread.kind === 'dict') {
        for (const [key, entry] of spread.entries) entries.set(key, entry);
        open ||= spread.open;
      } else open = true;
    } else if (child.type === 'pair') {
      const key = dictKey(first(child, frame, run, 'key'));
      const value = first(child, frame, run, 'value');
      if (key === undefined) open = true;
      else
        entries.set(key, { value, at: spanIn(frame, child), valueAt: spanIn(frame, childOf(child, 'value') ?? child) });
    }
  }
  return { kind: 'dict', entries, open };
}

function evaluateSlice(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const source = sourceOf(frame, node);
  const parts = source.split(':');
  // Bounds by their place around the colons; only plain expressions are told apart.
  let from = 0;
  const bounds = parts.map((part) => {
    const start = node.start + from;
    from += part.length + 1;
    const inner = node.children.find((child) => child.start >= start && child.end <= start + part.length);
    return inner === undefined ? none : run.evaluate(inner, frame);
  });
  return { kind: 'list', items: bounds, tuple: true, open: parts.length > 2 };
}

function evaluateBoolean(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const operator = childOf(node, 'operator');
  const right = childOf(node, 'right');
  const left = first(node, frame, run, 'left');
  if (operator === undefined || right === undefined) return left;
  const truth = truthOf(left);
  const isAnd = sourceOf(frame, operator) === 'and';
  if (truth !== undefined) return truth === isAnd ? run.evaluate(right, frame) : left;
  const leftNode = childOf(node, 'left');
  if (leftNode === undefined) return left;
  const open = conditionOf(leftNode, frame, run);
  return mergeValues([left, run.under([isAnd ? open : negated(open)], () => run.evaluate(right, frame))]);
}

function evaluateComprehension(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const body = childOf(node, 'body');
  const inner: Frame = { ...frame, module: frame.module, names: new Map(), parent: frame };
  const clauses = node.children.filter((child) => child.type === 'for_in_clause' || child.type === 'if_clause');
  const items: Value[] = [];
  const entries = new Map<string, DictEntry>();
  let open = false;
  const yieldOne = (): void => {
    if (body === undefined) return;
    if (body.type !== 'pair') {
      items.push(run.evaluate(body, inner));
      return;
    }
    const key = dictKey(first(body, inner, run, 'key'));
    const value = first(body, inner, run, 'value');
    if (key === undefined) open = true;
    else entries.set(key, { value, at: spanIn(frame, body), valueAt: spanIn(frame, childOf(body, 'value') ?? body) });
  };
  const go = (index: number): void => {
    const clause = clauses[index];
    if (clause === undefined) {
      yieldOne();
      return;
    }
    if (clause.type === 'if_clause') {
      const truth = truthOf(first(clause, inner, run));
      if (truth === undefined) open = true;
      if (truth !== false) go(index + 1);
      return;
    }
    const left = childOf(clause, 'left');
    const right = childOf(clause, 'right');
    if (left === undefined || right === undefined) return;
    const source = iterate(run.evaluate(right, inner));
    if (source.open) {
      open = true;
      assign(left, unknown(`differs from round to round of a loop over ${sourceOf(frame, right)}`), inner, run);
      go(index + 1);
      return;
    }
    for (const value of source.values.slice(0, 1000)) {
      assign(left, value, inner, run);
      go(index + 1);
    }
  };
  go(0);
  if (node.type === 'dictionary_comprehension') return { kind: 'dict', entries, open };
  return listOf(items, false, open);
}

function evaluateCall(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const callee = childOf(node, 'function');
  const list = childOf(node, 'arguments');
  if (callee === undefined) return unknown('incomplete');
  if (callee.type === 'identifier' && sourceOf(frame, callee) === 'super') return superOf(frame);
  const target = run.evaluate(callee, frame);
  return run.call(target, evaluateArguments(node, callee, list, frame, run));
}

function evaluateYield(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const [inner] = node.children;
  const value = inner === undefined ? none : run.evaluate(inner, frame);
  const { yielded } = frame;
  if (yielded === undefined) return unknown('yield outside a function');
  if (/^yield\s+from\b/.test(sourceOf(frame, node))) {
    const { values, open } = iterate(value);
    yielded.values.push(...values);
    yielded.open ||= open;
  } else yielded.values.push(value);
  yielded.open ||= run.uncertainty > yielded.certainUnder;
  return unknown('what is sent to a generator');
}

/** `super()`, and `super(Owner, self)` of older code. */
function superOf(frame: Frame): Value {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent)
    if (at.method !== undefined) return { kind: 'super', object: at.method.receiver, after: at.method.owner };
  return unknown('super() outside a method');
}

function evaluateArguments(
  node: SyntaxNode,
  callee: SyntaxNode,
  list: SyntaxNode | undefined,
  frame: Frame,
  run: Interpreter,
): Call {
  const positional: Value[] = [];
  const positionalAt: ReturnType<typeof spanIn>[] = [];
  const keywords = new Map<string, Keyword>();
  let open = false;
  let spreadHost: HostObject | undefined;
  const nodes = list?.type === 'generator_expression' ? [list] : (list?.children ?? []);
  for (const child of nodes) {
    if (child.type === 'keyword_argument') {
      const name = childOf(child, 'name');
      const value = childOf(child, 'value');
      if (name === undefined || value === undefined) continue;
      keywords.set(sourceOf(frame, name), {
        name: sourceOf(frame, name),
        value: run.evaluate(value, frame),
        at: spanIn(frame, child),
        valueAt: spanIn(frame, value),
      });
    } else if (child.type === 'dictionary_splat') {
      const spread = first(child, frame, run);
      if (spread.kind !== 'dict' || spread.open) open = true;
      if (spread.kind === 'host') spreadHost = spread.host;
      if (spread.kind === 'dict') for (const [name, entry] of spread.entries) keywords.set(name, { name, ...entry });
    } else if (child.type === 'list_splat') {
      const spread = iterate(first(child, frame, run));
      for (const value of spread.values) {
        positional.push(value);
        positionalAt.push(spanIn(frame, child));
      }
      open ||= spread.open;
    } else {
      positional.push(run.evaluate(child, frame));
      positionalAt.push(spanIn(frame, child));
    }
  }
  return {
    at: spanIn(frame, node),
    callee: sourceOf(frame, callee),
    positional,
    positionalAt,
    keywords,
    open,
    spread: spreadHost,
  };
}
