import type { Span } from '../../text/span.ts';
import type { JinjaExpression } from '../language/expression.ts';
import { capturedName, parseTemplate, type Target, type TemplateNode } from '../language/parse-template.ts';
import { expandTemplate } from '../names/expand-template.ts';
import { emptyEnvironment, type TemplateEnvironment } from '../names/template-environment.ts';
import {
  isObject,
  itemsOf,
  orElse,
  type PythonArguments,
  type PythonValue,
  printed,
  truthy,
} from '../python/python-value.ts';
import { Refusal, refuse } from '../python/refusal.ts';
import { contextName } from './context-names.ts';
import { evaluateValue, innerScope, type Scope } from './evaluate-value.ts';
import type { AssumedVariable, Rendered, TemplateContext } from './template-context.ts';

/** A rendered text longer than this is a mistake. */
const longestText = 20_000_000;
const deepestCalls = 50;
/** Turns of loops, together. */
const mostTurns = 1_000_000;

/**
 * Renders a template for one interval, byte for byte as Jinja2 does in Airflow's environment (undefined names are
 * errors, newlines become `\n`, one newline at the end is dropped), or refuses the first expression whose result is
 * not certain: unknown names, other runs, the clock, what differs by platform or version. Datetimes print as with
 * pendulum 3, which is what Airflow 2.8 and later installs. A DAG that gives Jinja2 other settings
 * (`jinja_environment_kwargs`, `render_template_as_native_obj`) is not known here.
 */
export function renderTemplate(
  text: string,
  context: TemplateContext,
  environment: TemplateEnvironment = emptyEnvironment,
): Rendered {
  const normal = text.replace(/\r\n?/g, '\n');
  const template = normal.endsWith('\n') ? normal.slice(0, -1) : normal;
  try {
    const output: string[] = [];
    const assumed = new Map<string, AssumedVariable>();
    const root = rootOf(context, (variable) => assumed.set(variable.name, variable));
    run(
      parsedTemplate(template, environment),
      { values: new Map(), parent: undefined, root },
      { output, length: 0, calls: 0, spent: { turns: 0 }, environment },
    );
    return { ok: true, text: output.join(''), ...(assumed.size > 0 && { assumed: [...assumed.values()] }) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const at = trimmed(template, error.at ?? { start: 0, end: template.length });
    return {
      ok: false,
      expression: template.slice(at.start, at.end),
      reason: error.message,
      start: originalOffset(text, at.start),
      end: originalOffset(text, at.end),
    };
  }
}

/** Templates parsed last: a plan renders the same few texts for thousands of intervals. */
const parsedIn = new WeakMap<TemplateEnvironment, Map<string, readonly TemplateNode[]>>();
const keptTemplates = 256;

function parsedTemplate(template: string, environment: TemplateEnvironment): readonly TemplateNode[] {
  const parsed = parsedIn.get(environment) ?? new Map<string, readonly TemplateNode[]>();
  parsedIn.set(environment, parsed);
  const known = parsed.get(template);
  if (known !== undefined) return known;
  const nodes = expandTemplate(parseTemplate(template), environment);
  const [oldest] = parsed.keys();
  if (parsed.size >= keptTemplates && oldest !== undefined) parsed.delete(oldest);
  parsed.set(template, nodes);
  return nodes;
}

/** Each name is made once, so that a list of `params` that a template changes stays changed, as in Airflow. */
function rootOf(context: TemplateContext, assume: (variable: AssumedVariable) => void): (name: string) => PythonValue {
  const made = new Map<string, PythonValue>();
  return (name) => {
    const value = made.get(name) ?? contextName(name, context, assume);
    made.set(name, value);
    return value;
  };
}

interface Progress {
  readonly output: string[];
  length: number;
  calls: number;
  /** Shared by everything that one rendering captures. */
  readonly spent: { turns: number };
  readonly environment: TemplateEnvironment;
}

function emit(text: string, progress: Progress): void {
  progress.length += text.length;
  if (progress.length > longestText) refuse('the text gets too long');
  progress.output.push(text);
}

/** Refusals inside get the place of the tag that they come from. */
function placed<T>(at: Span, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) error.at ??= at;
    throw error;
  }
}

function run(nodes: readonly TemplateNode[], scope: Scope, progress: Progress): void {
  for (const node of nodes) runNode(node, scope, progress);
}

function runNode(node: TemplateNode, scope: Scope, progress: Progress): void {
  switch (node.kind) {
    case 'text':
      emit(node.text, progress);
      break;
    case 'output':
      placed(node.at, () => emit(printed(evaluateValue(node.value, scope)), progress));
      break;
    case 'do':
      placed(node.at, () => evaluateValue(node.value, scope));
      break;
    case 'if': {
      const holds = (condition: JinjaExpression, at: Span): boolean =>
        placed(at, () => truthy(evaluateValue(condition, scope)));
      const taken = node.branches.find(({ condition, at }) => condition === undefined || holds(condition, at));
      if (taken !== undefined) run(taken.body, scope, progress);
      break;
    }
    case 'for':
      runLoop(node, scope, progress);
      break;
    case 'set':
      placed(node.at, () => assign(node.target, evaluateValue(node.value, scope), scope));
      break;
    case 'capture': {
      const body = captured(node.body, innerScope(scope), progress);
      const filtered = placed(node.at, () => evaluateValue(node.filtered, withName(scope, capturedName, body)));
      if (node.name === undefined) placed(node.at, () => emit(printed(filtered), progress));
      else scope.values.set(node.name, filtered);
      break;
    }
    case 'with': {
      const inner = innerScope(scope);
      placed(node.at, () => {
        for (const { target, value } of node.assignments) assign(target, evaluateValue(value, scope), inner);
      });
      run(node.body, inner, progress);
      break;
    }
    case 'import':
      placed(node.at, () => runImport(node, scope, progress));
      break;
    case 'macro': {
      const call = (values: PythonArguments): PythonValue => callMacro(node, values, scope, progress);
      scope.values.set(node.name, { kind: 'function', name: node.name, call });
      break;
    }
  }
}

/** Names that are there without a context, as far as they are known here. */
const jinjaGlobals: ReadonlySet<string> = new Set(['range', 'dict', 'namespace']);

function runImport(node: TemplateNode & { kind: 'import' }, scope: Scope, progress: Progress): void {
  const { path, names, withContext } = node;
  const { environment } = progress;
  const text = environment.modules.get(path) ?? refuse(`the template "${path}" was not found`);
  if (progress.calls >= deepestCalls) refuse(`"${path}" imports itself`);
  const root = (name: string): PythonValue => {
    if (withContext) return scope.root(name);
    if (environment.names.has(name)) return refuse(`"${name}" of the DAG is asked for`);
    return jinjaGlobals.has(name) ? scope.root(name) : refuse(`"${name}" is not known in an import without context`);
  };
  // With a context, the module sees what the template has set by then as well, which is not followed.
  if (withContext && [...valuesOf(scope)].length > 0) refuse(`"${path}" is imported with names that the template sets`);
  const module: Scope = { values: new Map(), parent: undefined, root };
  const own = withContext ? environment : { ...environment, names: new Map() };
  const inner: Progress = { ...progress, output: [], calls: progress.calls + 1, environment: own };
  const normal = text.replace(/\r\n?/g, '\n');
  inModule(path, () => run(expandTemplate(parseTemplate(normal), own), module, inner));
  const exported = (name: string): PythonValue => {
    const value = name.startsWith('_') ? undefined : module.values.get(name);
    if (value === undefined) return refuse(`"${path}" has no "${name}"`);
    if (!isObject(value) || value.kind !== 'function') return value;
    return { ...value, call: (values) => inModule(path, () => value.call(values)) };
  };
  if (typeof names === 'string') scope.values.set(names, { kind: 'module', name: names, member: exported });
  else for (const { name, as } of names) scope.values.set(as, exported(name));
}

/** A refusal inside a module has its place where the module is used. */
function inModule<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(`${error.message}, in "${path}"`);
    throw error;
  }
}

function* valuesOf(scope: Scope | undefined): Generator<string> {
  for (let at = scope; at !== undefined; at = at.parent) yield* at.values.keys();
}

function withName(scope: Scope, name: string, value: PythonValue): Scope {
  const inner = innerScope(scope);
  inner.values.set(name, value);
  return inner;
}

function captured(nodes: readonly TemplateNode[], scope: Scope, progress: Progress): string {
  const inner: Progress = { ...progress, output: [] };
  run(nodes, scope, inner);
  return inner.output.join('');
}

function assign(target: Target, value: PythonValue, scope: Scope): void {
  const [first = ''] = target.names;
  if (target.attribute !== undefined) {
    const object = evaluateValue({ kind: 'name', name: first, start: 0, end: 0 }, scope);
    if (!isObject(object) || object.kind !== 'namespace') refuse('only the attributes of a namespace() can be set');
    object.members.set(target.attribute, value);
    return;
  }
  if (!target.unpacks) {
    scope.values.set(first, value);
    return;
  }
  const items = itemsOf(value);
  if (items.length !== target.names.length) refuse(`${items.length} values for ${target.names.length} names`);
  for (const [index, name] of target.names.entries()) scope.values.set(name, items[index] ?? null);
}

function runLoop(node: TemplateNode & { kind: 'for' }, scope: Scope, progress: Progress): void {
  const items = placed(node.at, () => {
    const all = itemsOf(evaluateValue(node.items, scope));
    const { condition } = node;
    if (condition === undefined) return all;
    return all.filter((item) => {
      const inner = innerScope(scope);
      assign(node.target, item, inner);
      return truthy(evaluateValue(condition, inner));
    });
  });
  if (items.length === 0) run(node.otherwise, innerScope(scope), progress);
  for (const [index, item] of items.entries()) {
    if (++progress.spent.turns > mostTurns) refuse('the loops take too many turns', node.at);
    const inner = withName(scope, 'loop', loopAt(index, items.length));
    placed(node.at, () => assign(node.target, item, inner));
    run(node.body, inner, progress);
  }
}

function loopAt(index: number, length: number): PythonValue {
  const members: Readonly<Record<string, PythonValue>> = {
    index: BigInt(index + 1),
    index0: BigInt(index),
    first: index === 0,
    last: index === length - 1,
    length: BigInt(length),
    revindex: BigInt(length - index),
    revindex0: BigInt(length - index - 1),
  };
  const member = (name: string): PythonValue =>
    (Object.hasOwn(members, name) ? members[name] : undefined) ?? refuse(`"loop.${name}" is not supported`);
  return { kind: 'module', name: 'loop', member };
}

function callMacro(
  node: TemplateNode & { kind: 'macro' },
  values: PythonArguments,
  scope: Scope,
  progress: Progress,
): PythonValue {
  const { name, parameters } = node;
  const inner = innerScope(scope);
  if (progress.calls >= deepestCalls) return refuse(`"${name}" calls itself too often`);
  if (values.positional.length > parameters.length) return refuse(`"${name}" takes ${parameters.length} arguments`);
  for (const given of values.keyword.keys())
    if (!parameters.slice(values.positional.length).some((parameter) => parameter.name === given))
      return refuse(`"${name}" has no argument "${given}" here`);
  for (const [index, { name: parameter, fallback }] of parameters.entries()) {
    const given = orElse(values.positional[index], () => values.keyword.get(parameter));
    inner.values.set(
      parameter,
      orElse(given, () => fallbackValue(parameter, fallback, inner)),
    );
  }
  progress.calls++;
  const text = captured(node.body, inner, progress);
  progress.calls--;
  return text;
}

const fallbackValue = (name: string, fallback: JinjaExpression | undefined, scope: Scope): PythonValue =>
  fallback === undefined ? { kind: 'undefined', name, lenient: false } : evaluateValue(fallback, scope);

function trimmed(text: string, { start, end }: Span): Span {
  const inner = text.slice(start, end);
  const lead = inner.length - inner.trimStart().length;
  return lead === inner.length ? { start, end } : { start: start + lead, end: start + inner.trimEnd().length };
}

/** Offsets of the text in which `\r\n` and `\r` were made `\n`, taken back to the text as written. */
function originalOffset(text: string, offset: number): number {
  let at = 0;
  for (let seen = 0; seen < offset; seen++) at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
  return at;
}
