import { bindMember, externalBase, memberOf } from '../calls/class-member.ts';
import { attributeOf } from '../evaluate/attribute.ts';
import { bindArguments } from '../evaluate/parameters.ts';
import { builtinCall } from '../library/builtin-call.ts';
import { methodCall } from '../library/method-call.ts';
import { childOf } from '../syntax/syntax-tree.ts';
import { whichOf } from '../values/chosen.ts';
import { clocksOf, listOf, none, unionOfClocks, unknown } from '../values/make-value.ts';
import { mergeValues } from '../values/merge.ts';
import type {
  Call,
  Frame,
  FunctionValue,
  Interpreter,
  ObjectValue,
  UnknownValue,
  Value,
  Yielded,
} from '../values/value.ts';
import { instantiate } from './instantiate.ts';

/** Calls whatever the callee is known to be. */
export function callValue(callee: Value, call: Call, run: Interpreter): Value {
  switch (callee.kind) {
    case 'function':
      return run.callFunction(callee, call);
    case 'host':
      return callee.host.call?.(call, run) ?? unknown(`a call of ${call.callee}`, argumentClocks(call));
    case 'external':
      if (initialisesBase(callee.name, call)) return none;
      return (
        builtinCall(callee.name, call, run) ??
        run.host.callExternal(callee.name, call, run) ?? { kind: 'instance', type: callee.name, call }
      );
    case 'class':
      return run.host.construct(callee, call, run) ?? instantiate(callee, call, run);
    case 'object': {
      const invoked = memberOf(callee.class, '__call__');
      return invoked === undefined
        ? unknown(`a call of ${call.callee}`, argumentClocks(call))
        : run.call(bindMember(invoked, callee, callee.class), call);
    }
    case 'bound-method':
      if (callee.self.kind === 'super' && callee.name === '__init__') {
        const { object } = callee.self;
        if (object.kind === 'object') initialiseBase(object, call);
        return none;
      }
      if (callee.self.kind === 'unknown') {
        const { self } = callee;
        // `Alias.partial(…)` of a name that is imported in one way or the other.
        const classes = self.options?.filter(({ kind }) => kind === 'class' || kind === 'external') ?? [];
        const { name, at } = callee;
        if (classes.length > 0)
          return callAmong(self, classes, (option) => attributeOf(option, name, at, run), call, run);
      }
      return (
        methodCall(callee.self, callee.name, call, run) ??
        run.host.callMethod(callee.self, callee.name, call, run) ??
        unknown(`${call.callee}(…) is not followed`, [...clocksOf(callee.self), ...argumentClocks(call)])
      );
    case 'unknown': {
      const options = callee.options?.filter(isCallable) ?? [];
      if (options.length > 0) return callAmong(callee, options, (option) => option, call, run);
      return (
        run.host.callUnknown(callee, call, run) ??
        unknown(`a call of ${call.callee}, which is not known`, argumentClocks(call))
      );
    }
    default:
      return (
        run.host.callUnknown(callee, call, run) ??
        unknown(`a call of ${call.callee}, which is not known`, argumentClocks(call))
      );
  }
}

/** `Base.__init__(self, …)` of a class from outside the workspace does what `super().__init__(…)` does. */
function initialisesBase(name: string, call: Call): boolean {
  const [self, ...positional] = call.positional;
  if (!name.endsWith('.__init__') || self === undefined) return false;
  // Of several bases the first is what the object is to a reader.
  if (self.kind === 'object' && (self.base === undefined || externalBase(self.class) === name.slice(0, -9)))
    initialiseBase(self, { ...call, positional, positionalAt: call.positionalAt.slice(1) });
  return true;
}

function initialiseBase(object: ObjectValue, call: Call): void {
  object.base = call;
  object.beforeBase = new Map(object.attributes);
}

/** Calls each of several things that one may be, under the condition that it is that one. */
function callAmong(
  one: UnknownValue,
  options: readonly Value[],
  calleeOf: (option: Value) => Value,
  call: Call,
  run: Interpreter,
): Value {
  const choice = { key: run.identityOf(one.options ?? one), text: call.callee, at: call.at };
  const among = one.options?.length ?? options.length;
  return mergeValues(
    options.map((option) => {
      const index = one.options?.indexOf(option) ?? 0;
      return run.under(whichOf(among, index, choice, one.decidedBy), () => run.call(calleeOf(option), call));
    }),
  );
}

const isCallable = ({ kind }: Value): boolean =>
  kind === 'function' || kind === 'class' || kind === 'external' || kind === 'host' || kind === 'bound-method';

export const argumentClocks = (call: Call) =>
  unionOfClocks([...call.positional, ...[...call.keywords.values()].map((keyword) => keyword.value)]);

/** Runs the body of a function of the workspace with the call's arguments. */
export function callFunction(
  callee: FunctionValue,
  call: Call,
  run: Interpreter,
  preset: ReadonlyMap<string, Value> | undefined,
): Value {
  const body = childOf(callee.node, 'body');
  if (body === undefined) return unknown('a function without a body');
  const returned: Value[] = [];
  const yielded: Yielded = { values: [], open: false, certainUnder: run.uncertainty };
  const [receiver] = callee.bound?.positional ?? [];
  const frame: Frame = {
    file: callee.frame.file,
    text: callee.frame.text,
    names: bindArguments(callee, call, preset, run),
    parent: callee.frame,
    module: callee.frame.module,
    elsewhere: new Map(),
    returned,
    yielded,
    method: callee.owner !== undefined && receiver !== undefined ? { receiver, owner: callee.owner } : undefined,
  };
  if (callee.node.type === 'lambda') return run.evaluate(body, frame);
  const { path } = run;
  const completion = run.block(body, frame);
  // Who returned early is back with the caller.
  run.path = path;
  const [produced] = yielded.values;
  if (produced !== undefined)
    return callee.binding === 'context-manager' ? produced : listOf(yielded.values, false, yielded.open);
  if (returned.length === 0) return none;
  return mergeValues(completion === 'return' || completion === 'raise' ? returned : [...returned, none]);
}
