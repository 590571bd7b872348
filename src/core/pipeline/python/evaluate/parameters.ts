import { sourceOf } from '../calls/frame.ts';
import { childOf, type SyntaxNode } from '../syntax/syntax-tree.ts';
import { hostValue, listOf, unknown } from '../values/make-value.ts';
import { derivedText } from '../values/text-value.ts';
import type { Call, DictValue, Frame, FunctionValue, Interpreter, Value } from '../values/value.ts';

interface Parameter {
  readonly name: string;
  readonly kind: 'plain' | 'rest' | 'keywords';
  readonly keywordOnly: boolean;
}

/** Names of a function's parameters, in order. */
export function parametersOf(definition: SyntaxNode, frame: Frame): readonly Parameter[] {
  const found: Parameter[] = [];
  let keywordOnly = false;
  for (const node of childOf(definition, 'parameters')?.children ?? []) {
    if (node.type === 'keyword_separator') {
      keywordOnly = true;
      continue;
    }
    const splat = findSplat(node);
    const name = splat?.children[0] ?? nameOf(node);
    if (name === undefined) continue;
    const kind = splat === undefined ? 'plain' : splat.type === 'list_splat_pattern' ? 'rest' : 'keywords';
    found.push({ name: sourceOf(frame, name), kind, keywordOnly });
    if (kind === 'rest') keywordOnly = true;
  }
  return found;
}

const findSplat = (node: SyntaxNode): SyntaxNode | undefined =>
  [node, ...(node.type === 'typed_parameter' ? node.children : [])].find(
    (candidate) => candidate.type === 'list_splat_pattern' || candidate.type === 'dictionary_splat_pattern',
  );

function nameOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'identifier') return node;
  if (node.type === 'typed_parameter') return node.children[0];
  return node.type === 'default_parameter' || node.type === 'typed_default_parameter'
    ? childOf(node, 'name')
    : undefined;
}

/** Defaults are evaluated once, where the function is defined. */
export function parameterDefaults(definition: SyntaxNode, frame: Frame, run: Interpreter): Map<string, Value> {
  const defaults = new Map<string, Value>();
  for (const node of childOf(definition, 'parameters')?.children ?? []) {
    const name = nameOf(node);
    const value = childOf(node, 'value');
    if (name !== undefined && value !== undefined) defaults.set(sourceOf(frame, name), run.evaluate(value, frame));
  }
  return defaults;
}

/** The names that a call gives to a function's parameters. `preset` answers for those that the call leaves out. */
export function bindArguments(
  callee: FunctionValue,
  given: Call,
  preset: ReadonlyMap<string, Value> | undefined,
  run: Interpreter,
): Map<string, Value> {
  const call = callee.bound === undefined ? given : withBound(given, callee.bound);
  const names = new Map<string, Value>();
  const used = new Set<string>();
  let position = 0;
  for (const parameter of parametersOf(callee.node, callee.frame)) {
    if (parameter.kind === 'rest') {
      names.set(parameter.name, listOf(call.positional.slice(position), true, call.open));
      position = call.positional.length;
    } else if (parameter.kind === 'keywords') {
      names.set(
        parameter.name,
        preset?.get(`**`) ?? (call.spread === undefined ? remainingKeywords(call, used) : hostValue(call.spread)),
      );
    } else {
      const keyword = call.keywords.get(parameter.name);
      const positional = parameter.keywordOnly ? undefined : call.positional[position];
      if (positional !== undefined) position++;
      used.add(parameter.name);
      names.set(
        parameter.name,
        positional ??
          keyword?.value ??
          preset?.get(parameter.name) ??
          spreadItem(call, parameter.name, run) ??
          (call.open ? undefined : callee.defaults.get(parameter.name)) ??
          unknown(`parameter ${parameter.name} of ${callee.name}`),
      );
    }
  }
  return names;
}

function spreadItem(call: Call, name: string, run: Interpreter): Value | undefined {
  const item = call.spread?.item?.(derivedText(name), call.at, run);
  return item?.kind === 'unknown' ? undefined : item;
}

const withBound = (call: Call, bound: NonNullable<FunctionValue['bound']>): Call => ({
  ...call,
  positional: [...bound.positional, ...call.positional],
  positionalAt: [...bound.positionalAt, ...call.positionalAt],
  keywords: bound.keywords.size === 0 ? call.keywords : new Map([...bound.keywords, ...call.keywords]),
});

function remainingKeywords(call: Call, used: ReadonlySet<string>): DictValue {
  const entries = new Map([...call.keywords].filter(([name]) => !used.has(name)));
  return { kind: 'dict', entries, open: call.open };
}
