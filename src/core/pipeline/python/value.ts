import type { SymbolicValue } from '../../template/symbolic-value.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { CalendarOffset } from '../../time/calendar.ts';
import type { WallTime } from '../../time/wall-time.ts';
import type { ZoneName } from '../../time/zone-name.ts';
import type { Call } from './call.ts';
import type { Frame, Interpreter } from './interpreter.ts';
import type { SyntaxNode } from './syntax-tree.ts';
import type { TextValue } from './text-value.ts';

/** A call that reads the machine's clock. Values derived from it remember it. */
export interface ClockSite {
  readonly at: SourceSpan;
  /** The callee as written, e.g. `datetime.now`. */
  readonly name: string;
  /** Of what prints the reading to the second or finer, as only a name does that is to be unique: the site itself. */
  readonly printed?: ClockSite;
}

/** What an expression of a Python file is known to be without running it. */
export type Value =
  | ScalarValue
  | TextValue
  | ListValue
  | DictValue
  /** `timedelta`, `relativedelta` or a pendulum duration; days of a `timedelta` are 24 hours. */
  | { readonly kind: 'duration'; readonly offset: CalendarOffset }
  /** A constant date or datetime: a wall reading and, when aware, its zone. */
  | {
      readonly kind: 'datetime';
      readonly wall: WallTime;
      readonly zone: ZoneName | undefined;
      readonly dateOnly: boolean;
    }
  | { readonly kind: 'zone'; readonly zone: ZoneName }
  /** Known as a function of the run: the interval's bounds, a parameter, the state of other runs. */
  | { readonly kind: 'symbol'; readonly symbol: SymbolicValue }
  | FunctionValue
  | ClassValue
  /** A name from outside the workspace, fully qualified: `airflow.models.DAG`. */
  | { readonly kind: 'external'; readonly name: string }
  | InstanceValue
  | ObjectValue
  /** `super()` inside a method of `after`. */
  | { readonly kind: 'super'; readonly object: Value; readonly after: ClassValue }
  | { readonly kind: 'module'; readonly frame: Frame }
  | { readonly kind: 'bound-method'; readonly self: Value; readonly name: string; readonly at: SourceSpan }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'host'; readonly host: HostObject }
  | UnknownValue;

export interface ScalarValue {
  readonly kind: 'scalar';
  readonly value: number | boolean | null;
  /** A whole number that Python has as a float, and prints as `2.0`. */
  readonly isFloat?: true;
}

export interface ListValue {
  readonly kind: 'list';
  readonly items: Value[];
  readonly tuple: boolean;
  /** Holds more than is known. */
  open: boolean;
}

export interface DictEntry {
  readonly value: Value;
  /** The whole `"key": value`. */
  readonly at: SourceSpan;
  readonly valueAt: SourceSpan;
}

export interface DictValue {
  readonly kind: 'dict';
  /** By {@link dictKey}. */
  readonly entries: Map<string, DictEntry>;
  open: boolean;
}

export interface FunctionValue {
  readonly kind: 'function';
  readonly name: string;
  readonly node: SyntaxNode;
  readonly frame: Frame;
  /** Values of the parameters' defaults by name. */
  readonly defaults: ReadonlyMap<string, Value>;
  /** The class whose method it is. */
  readonly owner?: ClassValue | undefined;
  /** What a decorator of the language makes of it. */
  readonly binding?: 'static' | 'class' | 'property' | 'context-manager' | undefined;
  /** Arguments given before the call's own: the receiver of a method, those of `functools.partial`. */
  readonly bound?: Pick<Call, 'positional' | 'positionalAt' | 'keywords'> | undefined;
}

export interface ClassValue {
  readonly kind: 'class';
  readonly name: string;
  readonly bases: readonly Value[];
  readonly frame: Frame;
  /** Names with a type annotation in the class body, in order: the arguments of a dataclass. */
  readonly fields: readonly string[];
}

/** What a call of an external name gave, e.g. `PostgresHook("dw")`; methods are looked up by `type`. */
export interface InstanceValue {
  readonly kind: 'instance';
  readonly type: string;
  readonly call: Call;
  /** What the file assigned to its attributes afterwards. */
  attributes?: Map<string, Value>;
}

/** An object of a class of the workspace. */
export interface ObjectValue {
  readonly kind: 'object';
  readonly class: ClassValue;
  readonly attributes: Map<string, Value>;
  /** The call that made it. */
  readonly made: Call;
  /** What its base from outside the workspace was initialised with. */
  base: Call | undefined;
  /** Grows with each change of its attributes. */
  version: number;
  /** The interpreter's uncertainty when it was made: what is assigned under more of it may or may not hold. */
  readonly certainUnder: number;
}

export interface UnknownValue {
  readonly kind: 'unknown';
  readonly reason: string;
  /** Clock calls that the value depends on. */
  readonly clocks: readonly ClockSite[];
  /** A reading of the clock that nothing has cut to a day or another unit. */
  readonly moment?: true | undefined;
  /** What it may be, where a condition decides between values that are known. */
  readonly options?: readonly Value[] | undefined;
}

/** An object that a reader brings into the program: a DAG, a task, a decorator. Every hook may decline. */
export interface HostObject {
  readonly type: string;
  call?(call: Call, run: Interpreter): Value;
  attribute?(name: string, at: SourceSpan, run: Interpreter): Value | undefined;
  item?(key: Value, at: SourceSpan, run: Interpreter): Value | undefined;
  binary?(operator: string, left: Value, right: Value, at: SourceSpan, run: Interpreter): Value | undefined;
  enter?(run: Interpreter): Value;
  exit?(run: Interpreter): void;
  /** `object.name = value`. */
  assign?(name: string, value: Value, at: SourceSpan, run: Interpreter): void;
}

export const scalar = (value: number | boolean | null): ScalarValue => ({ kind: 'scalar', value });
/** A number that is a float to Python, whole or not. */
export const float = (value: number): ScalarValue =>
  Number.isInteger(value) ? { kind: 'scalar', value, isFloat: true } : scalar(value);
export const none: Value = scalar(null);
export const external = (name: string): Value => ({ kind: 'external', name });
export const hostValue = (host: HostObject): Value => ({ kind: 'host', host });
export const listOf = (items: Value[], tuple = false, open = false): ListValue => ({
  kind: 'list',
  items,
  tuple,
  open,
});
export const unknown = (reason: string, clocks: readonly ClockSite[] = []): UnknownValue => ({
  kind: 'unknown',
  reason,
  clocks,
});

/** Text keys and number keys never collide. */
export const dictKey = (key: Value): string | undefined => {
  if (key.kind === 'text') return key.holes.length === 0 ? key.mapped.text : undefined;
  return key.kind === 'scalar' ? `\u0000${String(key.value)}` : undefined;
};

const noClocks: readonly ClockSite[] = [];

/** Every clock call that a value depends on. */
export function clocksOf(value: Value, depth = 0): readonly ClockSite[] {
  if (depth > 8) return noClocks;
  switch (value.kind) {
    case 'unknown':
      return value.clocks;
    case 'text':
      return value.clocks;
    case 'list':
      return unionOfClocks(value.items, depth);
    case 'dict':
      return unionOfClocks(
        [...value.entries.values()].map((entry) => entry.value),
        depth,
      );
    case 'instance':
      return unionOfClocks([...value.call.positional, ...[...value.call.keywords.values()].map((k) => k.value)], depth);
    default:
      return noClocks;
  }
}

export function unionOfClocks(values: readonly Value[], depth = 0): readonly ClockSite[] {
  let union: ClockSite[] | undefined;
  for (const value of values) {
    const clocks = clocksOf(value, depth + 1);
    if (clocks.length === 0) continue;
    union ??= [];
    for (const clock of clocks) if (!union.includes(clock)) union.push(clock);
  }
  return union ?? noClocks;
}

/** The symbolic reading of a value, for a hole of a text and for an operator's argument. */
export function symbolOf(value: Value): SymbolicValue {
  switch (value.kind) {
    case 'scalar':
      return { kind: 'literal', value: value.value };
    case 'text': {
      const [only] = value.holes;
      if (only === undefined) return { kind: 'literal', value: value.mapped.text };
      if (value.holes.length === 1 && only.start === 0 && only.end === value.mapped.text.length) return only.value;
      const clock = value.holes.find((hole) => hole.value.kind === 'clock');
      return clock?.value ?? { kind: 'unknown', reason: 'text put together from values that are not known' };
    }
    case 'symbol':
      return value.symbol;
    case 'path':
      return { kind: 'literal', value: value.path };
    case 'unknown': {
      const [clock] = value.clocks;
      return clock === undefined ? { kind: 'unknown', reason: value.reason } : { kind: 'clock', name: clock.name };
    }
    default: {
      const [clock] = clocksOf(value);
      return clock === undefined
        ? { kind: 'unknown', reason: describeKind(value) }
        : { kind: 'clock', name: clock.name };
    }
  }
}

function describeKind(value: Value): string {
  switch (value.kind) {
    case 'bound-method':
      return `the attribute ${value.name} of a value that is not known`;
    case 'external':
      return `${value.name}, which is defined outside the workspace`;
    case 'instance':
      return `what ${value.call.callee}(…) gives`;
    case 'object':
      return `an object of the class ${value.class.name}`;
    case 'function':
    case 'class':
      return `the ${value.kind} ${value.name}`;
    case 'host':
      return `a ${value.host.type.replaceAll(/[-_]/g, ' ')}`;
    default:
      return `a ${value.kind} rather than a plain value`;
  }
}

/** True or false where Python's truth of the value is known. */
export function truthOf(value: Value): boolean | undefined {
  switch (value.kind) {
    case 'scalar':
      return Boolean(value.value);
    case 'text':
      return value.mapped.text.length > 0 ? true : value.holes.length === 0 ? false : undefined;
    case 'list':
      // What an open list is known to hold may be there under a condition only.
      return value.open ? undefined : value.items.length > 0;
    case 'dict':
      return value.open ? undefined : value.entries.size > 0;
    case 'function':
    case 'class':
    case 'module':
    case 'host':
    case 'object':
    case 'path':
    case 'datetime':
    case 'zone':
      return true;
    default:
      return undefined;
  }
}
