import { type Condition, commonConditions, negated } from '../../model/condition.ts';
import { emptyCall } from '../calls/call.ts';
import { bindMember, memberOf } from '../calls/class-member.ts';
import { declareElsewhere, sourceOf, spanIn } from '../calls/frame.ts';
import { assign } from '../evaluate/assign.ts';
import { conditionOf } from '../evaluate/condition-of.ts';
import { binaryOperation } from '../evaluate/operators.ts';
import { deleteItem } from '../library/collection-methods.ts';
import { libraryName } from '../library/library-name.ts';
import { childOf, childOfType, childrenOf, type SyntaxNode } from '../syntax/syntax-tree.ts';
import { iterate } from '../values/iterate.ts';
import { external, none, truthOf, unknown } from '../values/make-value.ts';
import { mergeFrames } from '../values/merge.ts';
import type { Completion, Frame, Interpreter, Value } from '../values/value.ts';
import { define } from './define.ts';
import { forgetRounds } from './forget-rounds.ts';

/** Literal loops longer than this are followed for so many rounds only. */
const roundLimit = 500;

/** Follows the statements of a block up to the first that leaves it, and says how. */
export function executeBlock(block: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  for (const statement of block.children) {
    const completion = execute(statement, frame, run);
    if (completion !== 'normal') return completion;
  }
  return 'normal';
}

function execute(node: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  if (run.exhausted) return 'raise';
  switch (node.type) {
    case 'expression_statement':
      return executeExpressions(node, frame, run);
    case 'import_statement':
    case 'import_from_statement':
      executeImport(node, frame, run);
      return 'normal';
    case 'with_statement':
      return executeWith(node, frame, run);
    case 'function_definition':
    case 'class_definition':
      define(node, [], frame, run);
      return 'normal';
    case 'decorated_definition': {
      const definition = childOf(node, 'definition');
      if (definition !== undefined)
        define(
          definition,
          node.children.filter((child) => child.type === 'decorator'),
          frame,
          run,
        );
      return 'normal';
    }
    case 'for_statement':
      return executeFor(node, frame, run);
    case 'while_statement': {
      const body = childOf(node, 'body');
      return body === undefined ? 'normal' : executeUncertain(body, frame, run);
    }
    case 'if_statement':
      return executeIf(node, frame, run);
    case 'match_statement':
      return executeMatch(node, frame, run);
    case 'try_statement':
      return executeTry(node, frame, run);
    case 'return_statement': {
      const [value] = node.children;
      frame.returned?.push(value === undefined ? none : run.evaluate(value, frame));
      return 'return';
    }
    case 'raise_statement': {
      const [error] = node.children;
      if (error !== undefined) run.host.raised?.(run.evaluate(error, frame));
      return 'raise';
    }
    case 'break_statement':
      return 'break';
    case 'continue_statement':
      return 'continue';
    case 'delete_statement':
      for (const target of node.children) executeDelete(target, frame, run);
      return 'normal';
    case 'global_statement':
    case 'nonlocal_statement': {
      const names = node.children.filter(({ type }) => type === 'identifier').map((name) => sourceOf(frame, name));
      declareElsewhere(frame, node.type === 'global_statement' ? 'global' : 'nonlocal', names);
      return 'normal';
    }
    case 'pass_statement':
    case 'assert_statement':
      return 'normal';
    case 'ERROR':
    case 'block':
    case 'module':
      // What stands inside a broken stretch is often whole statements.
      return executeBlock(node, frame, run);
    default:
      return 'normal';
  }
}

function executeDelete(target: SyntaxNode, frame: Frame, run: Interpreter): void {
  if (target.type === 'identifier') {
    frame.names.delete(sourceOf(frame, target));
  } else if (target.type === 'expression_list') {
    for (const one of target.children) executeDelete(one, frame, run);
  } else if (target.type === 'subscript') {
    const holder = childOf(target, 'value');
    const key = childOf(target, 'subscript');
    if (holder !== undefined && key !== undefined)
      deleteItem(run.evaluate(holder, frame), run.evaluate(key, frame), run);
  }
}

function executeExpressions(node: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  for (const child of node.children) {
    if (child.type === 'assignment') {
      executeAssignment(child, frame, run);
    } else if (child.type === 'augmented_assignment') {
      const left = childOf(child, 'left');
      const right = childOf(child, 'right');
      const operator = childOf(child, 'operator');
      if (left === undefined || right === undefined || operator === undefined) continue;
      const symbol = sourceOf(frame, operator).slice(0, -1);
      const before = run.evaluate(left, frame);
      const after = run.evaluate(right, frame);
      assign(
        left,
        binaryOperation(symbol, before, after, { left, right, frame, at: spanIn(frame, child), run }),
        frame,
        run,
      );
    } else {
      run.evaluate(child, frame);
    }
  }
  return 'normal';
}

/** `a = b = value`: the value is evaluated once. */
function executeAssignment(node: SyntaxNode, frame: Frame, run: Interpreter): Value {
  const left = childOf(node, 'left');
  const right = childOf(node, 'right');
  if (left === undefined || right === undefined) return unknown('incomplete assignment');
  const value = right.type === 'assignment' ? executeAssignment(right, frame, run) : run.evaluate(right, frame);
  assign(left, value, frame, run);
  return value;
}

function executeImport(node: SyntaxNode, frame: Frame, run: Interpreter): void {
  const names = childrenOf(node, 'name');
  if (node.type === 'import_statement') {
    for (const name of names) {
      const [path, alias] = importedName(name, frame);
      if (alias !== undefined) frame.names.set(alias, moduleValue(path, frame, run));
      else {
        const first = path.split('.')[0] ?? path;
        // `import a.b` binds `a`; its parts are reached as attributes.
        frame.names.set(first, moduleValue(first, frame, run));
      }
    }
    return;
  }
  const moduleNode = childOf(node, 'module_name');
  if (moduleNode === undefined) return;
  const path = sourceOf(frame, moduleNode).replace(/\s/g, '');
  const module = run.importModule(path, frame.file);
  if (childOfType(node, 'wildcard_import') !== undefined) {
    for (const [name, value] of module?.names ?? []) if (!name.startsWith('_')) frame.names.set(name, value);
    if (module === undefined)
      for (const name of run.host.starNames?.(path) ?? []) frame.names.set(name, external(`${path}.${name}`));
  }
  for (const name of names) {
    const [imported, alias] = importedName(name, frame);
    const submodule = (): Frame | undefined =>
      run.importModule(path.endsWith('.') ? path + imported : `${path}.${imported}`, frame.file);
    let value = module?.names.get(imported);
    if (value === undefined) {
      const found = submodule();
      if (found !== undefined) value = { kind: 'module', frame: found };
    }
    if (module === undefined) value ??= run.host.importedName?.(path, imported, run);
    frame.names.set(alias ?? imported, value ?? external(libraryName(`${path.replace(/^\.+/, '')}.${imported}`)));
  }
}

function importedName(node: SyntaxNode, frame: Frame): [string, string | undefined] {
  if (node.type !== 'aliased_import') return [sourceOf(frame, node), undefined];
  const name = childOf(node, 'name');
  const alias = childOf(node, 'alias');
  return [name === undefined ? '' : sourceOf(frame, name), alias && sourceOf(frame, alias)];
}

function moduleValue(path: string, frame: Frame, run: Interpreter): Value {
  const module = run.importModule(path, frame.file);
  return module === undefined ? external(path) : { kind: 'module', frame: module };
}

function executeWith(node: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  const clause = childOfType(node, 'with_clause');
  const body = childOf(node, 'body');
  const entered: Value[] = [];
  for (const value of (clause?.children ?? []).flatMap(managersOf)) {
    const named = value.type === 'as_pattern';
    const [expression] = value.children;
    const manager = run.evaluate(named && expression !== undefined ? expression : value, frame);
    const inside = enter(manager, run);
    entered.push(manager);
    const target = named ? childOf(value, 'alias') : undefined;
    const [name] = target?.children ?? [];
    if (name !== undefined) assign(name, inside, frame, run);
  }
  const completion = body === undefined ? 'normal' : executeBlock(body, frame, run);
  for (const manager of entered.reverse()) if (manager.kind === 'host') manager.host.exit?.(run);
  return completion;
}

/** The managers of one item of a `with`: with brackets around several, `with (a() as x, b()):`, they are one item of the tree. */
function managersOf(item: SyntaxNode): readonly SyntaxNode[] {
  const value = item.type === 'with_item' ? childOf(item, 'value') : item;
  if (value === undefined) return [];
  return value.type === 'parenthesized_expression' || value.type === 'tuple'
    ? value.children.flatMap(managersOf)
    : [value];
}

/** What `with manager as name` gives the name. */
function enter(manager: Value, run: Interpreter): Value {
  if (manager.kind === 'host') return manager.host.enter?.(run) ?? manager;
  const own = manager.kind === 'object' ? memberOf(manager.class, '__enter__') : undefined;
  if (manager.kind !== 'object' || own === undefined) return manager;
  return run.call(bindMember(own, manager, manager.class), emptyCall(manager.made.at, '__enter__'));
}

function executeFor(node: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  const left = childOf(node, 'left');
  const right = childOf(node, 'right');
  const body = childOf(node, 'body');
  if (left === undefined || right === undefined || body === undefined) return 'normal';
  const items = iterate(run.evaluate(right, frame));
  if (items.open) {
    assign(left, unknown(`differs from round to round of a loop over ${sourceOf(frame, right)}`), frame, run);
    return executeUncertain(body, frame, run);
  }
  for (const item of items.values.slice(0, roundLimit)) {
    assign(left, item, frame, run);
    const { path } = run;
    const completion = executeBlock(body, frame, run);
    run.path = path;
    if (completion === 'break') return 'normal';
    if (completion === 'return' || completion === 'raise') return completion;
  }
  const otherwise = childOf(node, 'alternative');
  const otherBody = otherwise && childOf(otherwise, 'body');
  return otherBody === undefined ? 'normal' : executeBlock(otherBody, frame, run);
}

/** A block that runs some unknown number of times: what it assigns is not known afterwards, unless it was new. */
function executeUncertain(body: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  const before = new Map(frame.names);
  forgetRounds(body, frame);
  const { path } = run;
  run.uncertainty++;
  run.loops++;
  executeBlock(body, frame, run);
  run.loops--;
  run.uncertainty--;
  run.path = path;
  mergeFrames(frame, before, new Map(frame.names));
  return 'normal';
}

function executeIf(node: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  const branches: { readonly condition: SyntaxNode | undefined; readonly body: SyntaxNode | undefined }[] = [
    { condition: childOf(node, 'condition'), body: childOf(node, 'consequence') },
    ...childrenOf(node, 'alternative').map((clause) => ({
      condition: childOf(clause, 'condition'),
      body: childOf(clause, clause.type === 'elif_clause' ? 'consequence' : 'body'),
    })),
  ];
  const ways: Way[] = [];
  const failed: Condition[] = [];
  let certain = false;
  for (const { condition, body } of branches) {
    // A module that is imported; of a file that is run by itself the name is known.
    const isMain =
      condition !== undefined &&
      !frame.module.names.has('__name__') &&
      /__name__\s*==/.test(sourceOf(frame, condition));
    const truth = condition === undefined ? true : isMain ? false : truthOf(run.evaluate(condition, frame));
    if (truth === false) continue;
    const open = truth === undefined && condition !== undefined ? conditionOf(condition, frame, run) : undefined;
    const known = open && outcome(open, [...run.path, ...failed]);
    if (known === false) continue;
    ways.push({ block: body, conditions: open === undefined || known ? [...failed] : [...failed, open] });
    if (open === undefined || known === true) {
      certain = true;
      break;
    }
    failed.push(negated(open));
  }
  if (!certain) ways.push({ block: undefined, conditions: failed });
  return executeOneOf(ways, frame, run);
}

/** How a condition came out where the way that led here says it. */
function outcome({ key, holds }: Condition, path: readonly Condition[]): boolean | undefined {
  const known = path.find((other) => other.key === key);
  return known === undefined ? undefined : known.holds === holds;
}

function executeMatch(node: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  const body = childOf(node, 'body');
  const subject = childOf(node, 'subject');
  const failed: Condition[] = [];
  const ways: Way[] = [];
  const number = run.nextNumber();
  for (const [index, clause] of (body === undefined ? [] : childrenOf(body, 'alternative')).entries()) {
    const head = { start: (subject ?? node).start, end: (childOf(clause, 'consequence') ?? clause).start };
    const text = sourceOf(frame, { start: clause.start, end: head.end }).replace(/:\s*$/, '');
    const at = spanIn(frame, { start: clause.start, end: clause.start + text.length });
    const open: Condition = { key: `match ${number} ${index}`, holds: true, text, at };
    ways.push({ block: childOf(clause, 'consequence'), conditions: [...failed, open] });
    failed.push(negated(open));
  }
  return executeOneOf([...ways, { block: undefined, conditions: failed }], frame, run);
}

/** One of several blocks that may run, and when it does; without a block nothing does. */
interface Way {
  readonly block: SyntaxNode | undefined;
  readonly conditions: readonly Condition[];
}

/** One of several blocks runs, and it is not known which. */
function executeOneOf(ways: readonly Way[], frame: Frame, run: Interpreter): Completion {
  const [only] = ways;
  if (ways.length === 1) return only?.block === undefined ? 'normal' : executeBlock(only.block, frame, run);
  const before = new Map(frame.names);
  let merged: Map<string, Value> | undefined;
  let goesOn: readonly Condition[] | undefined;
  const completions = new Set<Completion>();
  for (const { block, conditions } of ways) {
    frame.names.clear();
    for (const [name, value] of before) frame.names.set(name, value);
    const completion = block === undefined ? 'normal' : run.under(conditions, () => executeBlock(block, frame, run));
    completions.add(completion);
    // A branch that leaves does not reach what follows.
    if (completion !== 'normal') continue;
    goesOn = goesOn === undefined ? conditions : commonConditions(goesOn, conditions);
    const after = new Map(frame.names);
    if (merged === undefined) merged = after;
    else {
      mergeFrames(frame, merged, after);
      merged = new Map(frame.names);
    }
  }
  frame.names.clear();
  for (const [name, value] of merged ?? before) frame.names.set(name, value);
  const [first] = completions;
  if (completions.size === 1 && first !== undefined) return first;
  // Where some branch has left, the rest of the block is reached by the others only.
  run.path = [...run.path, ...(goesOn ?? [])];
  return 'normal';
}

function executeTry(node: SyntaxNode, frame: Frame, run: Interpreter): Completion {
  const body = childOf(node, 'body');
  const { path } = run;
  let completion = body === undefined ? 'normal' : executeBlock(body, frame, run);
  let after = run.path;
  const reached = new Map(frame.names);
  for (const clause of node.children) {
    const block = childOf(clause, 'body') ?? childOfType(clause, 'block');
    if (block === undefined || clause.field === 'body') continue;
    if (clause.type === 'except_clause' || clause.type === 'except_group_clause') {
      // A handler is followed for what it defines that the body does not; what the body defines stands.
      const at = spanIn(frame, { start: clause.start, end: block.start });
      const text = sourceOf(frame, at).replace(/:\s*$/, '').replace(/\s+/g, ' ');
      run.path = path;
      const raised: Condition = { key: `raised ${run.nextNumber()}`, holds: true, text, at };
      // What follows is also reached from a handler that goes on.
      if (run.under([raised], () => executeBlock(block, frame, run)) === 'normal') after = path;
      for (const [name, value] of reached) frame.names.set(name, value);
    } else if (clause.type === 'else_clause' && completion === 'normal') {
      run.path = after;
      completion = executeBlock(block, frame, run);
    } else if (clause.type === 'finally_clause') {
      run.path = path;
      executeBlock(block, frame, run);
    }
  }
  run.path = after;
  return completion === 'raise' ? 'normal' : completion;
}
