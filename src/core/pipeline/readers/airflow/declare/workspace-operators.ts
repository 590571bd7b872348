import { emptyCall } from '../../../python/calls/call.ts';
import { bindMember, memberOf } from '../../../python/calls/class-member.ts';
import { instantiate } from '../../../python/execute/instantiate.ts';
import { iterate } from '../../../python/values/iterate.ts';
import { hostValue } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, ClassValue, Interpreter, ObjectValue, Value } from '../../../python/values/value.ts';
import { dagArgument, type Program, type TaskBuilder } from '../program/program.ts';
import { hasTemplate, renderedField } from '../templates/rendered-value.ts';
import { contextObject } from './context-values.ts';
import { callableOf, newTask, type TaskOptions } from './tasks.ts';

/** The operator of Airflow that a class of the workspace builds on. */
export function operatorBase(value: Value, depth = 0): string | undefined {
  if (value.kind === 'external') {
    const last = value.name.slice(value.name.lastIndexOf('.') + 1);
    return /(?:Operator|Sensor|SensorAsync|GenericTransfer)$/.test(last) ? last : undefined;
  }
  if (value.kind !== 'class' || depth > 8) return undefined;
  for (const base of value.bases) {
    const found = operatorBase(base, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A task from the call of an operator class of the workspace: its object is made, its `execute` is what it runs. */
export function workspaceOperatorTask(
  program: Program,
  owner: ClassValue,
  call: Call,
  run: Interpreter,
  options: TaskOptions = {},
): Value {
  const object = instantiate(owner, call, run);
  const method = memberOf(owner, 'execute') ?? memberOf(owner, 'poke') ?? memberOf(owner, 'choose_branch');
  const own = method?.kind === 'function' ? bindMember(method, object, owner) : undefined;
  // Without a method of its own it is its base under another name.
  const operator = own === undefined ? (operatorBase(owner) ?? owner.name) : owner.name;
  const given = withBaseArguments(call, object.base);
  const made = own === undefined ? withLaterAttributes(given, object) : given;
  const callable =
    own?.kind === 'function'
      ? { function: own, call: emptyCall(call.at, call.callee, [contextObject()]), object }
      : callableOf(made);
  return hostValue(newTask(program, operator, made, callable, { ...options, object }));
}

/** What the class hands on to its base counts, shown where the DAG file says it when it is the same value. */
function withBaseArguments(call: Call, base: Call | undefined): Call {
  if (base === undefined || base === call) return call;
  const keywords = new Map(base.keywords);
  for (const [name, given] of call.keywords) {
    const handed = keywords.get(name);
    if (handed === undefined || handed.value === given.value) keywords.set(name, given);
  }
  return { ...call, keywords, open: call.open || base.open };
}

/** What the class sets of its base's arguments once that is initialised is what the base runs with. */
export function withLaterAttributes(call: Call, { attributes, beforeBase }: ObjectValue): Call {
  if (beforeBase === undefined) return call;
  const keywords = new Map(call.keywords);
  for (const [name, given] of call.keywords) {
    const set = attributes.get(name);
    if (set !== undefined && set !== beforeBase.get(name)) keywords.set(name, { ...given, value: set });
  }
  return { ...call, keywords };
}

/** Airflow renders the attributes that the class names in `template_fields` before it calls `execute`. */
export function renderFields(task: TaskBuilder, object: ObjectValue, run: Interpreter): void {
  const endings = texts(memberOf(object.class, 'template_ext'));
  const searchPath = task.dag && dagArgument(task.dag, 'template_searchpath')?.value;
  const fields = memberOf(object.class, 'template_fields');
  // What a base from outside the workspace renders is not known.
  task.rendersTexts = fields === undefined || iterate(fields).open;
  for (const name of texts(fields)) {
    const value = object.attributes.get(name);
    if (value === undefined) continue;
    const rendered = renderedField(value, endings, run.files, task.made.at.file, searchPath);
    task.rendersTexts ||= hasTemplate(rendered);
    object.attributes.set(name, rendered);
  }
}

const texts = (value: Value | undefined): readonly string[] =>
  value === undefined ? [] : iterate(value).values.flatMap((item) => plainText(item) ?? []);
