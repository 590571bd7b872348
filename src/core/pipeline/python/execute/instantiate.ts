import { emptyCall } from '../calls/call.ts';
import { bindMember, memberOf } from '../calls/class-member.ts';
import { unknown } from '../values/make-value.ts';
import type { Call, ClassValue, Interpreter, ObjectValue, Value } from '../values/value.ts';

/** An object of a class of the workspace, with the attributes that its initialisation sets. */
export function instantiate(owner: ClassValue, call: Call, run: Interpreter): ObjectValue {
  const object: ObjectValue = {
    kind: 'object',
    class: owner,
    attributes: new Map(),
    made: call,
    base: undefined,
    version: 0,
    certainUnder: run.uncertainty,
  };
  const initialise = memberOf(owner, '__init__');
  if (initialise?.kind === 'function') {
    run.call(bindMember(initialise, object, owner), call);
    return object;
  }
  object.base = call;
  fillFields(object, call, run);
  const afterwards = memberOf(owner, '__post_init__');
  if (afterwards?.kind === 'function') run.call(bindMember(afterwards, object, owner), emptyCall(call.at, call.callee));
  return object;
}

/** What a dataclass, a named tuple or a pydantic model does with its arguments. */
function fillFields(object: ObjectValue, call: Call, run: Interpreter): void {
  for (const [index, name] of fieldsOf(object.class).entries()) {
    const given = call.keywords.get(name)?.value ?? call.positional[index];
    const value = given ?? (call.open ? undefined : defaultOf(memberOf(object.class, name), call, run));
    object.attributes.set(name, value ?? unknown(`the field ${name} of ${object.class.name}`));
  }
}

function fieldsOf(owner: ClassValue, depth = 0): readonly string[] {
  const inherited = owner.bases.flatMap((base) =>
    base.kind === 'class' && depth < 10 ? fieldsOf(base, depth + 1) : [],
  );
  return [...inherited, ...owner.fields.filter((name) => !inherited.includes(name))];
}

/** `field(default=…)` and `field(default_factory=…)` stand for what they give. */
function defaultOf(value: Value | undefined, call: Call, run: Interpreter): Value | undefined {
  if (value?.kind !== 'instance' || !/(?:^|\.)(?:field|Field)$/.test(value.type)) return value;
  const factory = value.call.keywords.get('default_factory')?.value;
  if (factory !== undefined) return run.call(factory, emptyCall(call.at, call.callee));
  return value.call.keywords.get('default')?.value ?? value.call.positional[0];
}
