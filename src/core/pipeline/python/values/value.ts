import type { Hole } from '../../../template/mask/masked-text.ts';
import type { SymbolicValue } from '../../../template/names/symbolic-value.ts';
import type { MappedText } from '../../../text/mapped-text.ts';
import type { SourceSpan } from '../../../text/span.ts';
import type { CalendarOffset } from '../../../time/zones/calendar.ts';
import type { WallTime } from '../../../time/zones/wall-time.ts';
import type { ZoneName } from '../../../time/zones/zone-name.ts';
import type { Condition } from '../../model/condition.ts';
import type { FileSet } from '../../model/model.ts';
import type { SyntaxNode } from '../syntax/syntax-tree.ts';

/** A keyword argument, or an entry of a dict that was spread with `**`. */
export interface Keyword {
  readonly name: string;
  readonly value: Value;
  /** The whole `name=value` or `"name": value`. */
  readonly at: SourceSpan;
  readonly valueAt: SourceSpan;
}

/** The arguments of one call, evaluated. */
export interface Call {
  /** The whole call. */
  readonly at: SourceSpan;
  /** The callee as written. */
  readonly callee: string;
  readonly positional: readonly Value[];
  readonly positionalAt: readonly SourceSpan[];
  readonly keywords: ReadonlyMap<string, Keyword>;
  /** Spread of a value that is not known: there may be more arguments. */
  readonly open: boolean;
  /** An object that was spread with `**` and knows its items by name. */
  readonly spread?: HostObject | undefined;
}

/** Names of a module, a class body or one call of a function. */
export interface Frame {
  readonly file: string;
  readonly text: string;
  readonly names: Map<string, Value>;
  /** The enclosing frame whose names are seen too. */
  readonly parent: Frame | undefined;
  /** The frame of the module, for `global`. */
  readonly module: Frame;
  /** Frames of names that the function declares `global` or `nonlocal`. */
  readonly elsewhere?: Map<string, Frame> | undefined;
  /** Values of `return` so far; `undefined` outside a function. */
  readonly returned: Value[] | undefined;
  /** What `yield` gave so far. */
  readonly yielded?: Yielded | undefined;
  /** The class whose body this is: its names are not seen from its methods. */
  readonly classBody?: ClassValue | undefined;
  /** For `super()`: the receiver of the method that runs, and the class that has the method. */
  readonly method?: { readonly receiver: Value; readonly owner: ClassValue } | undefined;
}

export interface Yielded {
  readonly values: Value[];
  /** There may be more, or fewer. */
  open: boolean;
  readonly certainUnder: number;
}

/** What a reader adds to the language: the meaning of names from outside the workspace. */
export interface Host {
  /** Called for every call of an external name that the interpreter itself does not know. */
  callExternal(name: string, call: Call, run: Interpreter): Value | undefined;
  /** An attribute or a subscript of an external name, when it means something (`os.environ["X"]`). */
  externalItem(name: string, key: Value, run: Interpreter): Value | undefined;
  /** A name of a module from outside the workspace that something of the workspace makes all the same. */
  importedName?(module: string, name: string, run: Interpreter): Value | undefined;
  /** A name of a library that stands for a value (`sys.argv`). */
  externalValue?(name: string, run: Interpreter): Value | undefined;
  /** What `from module import *` brings along of a module from outside the workspace. */
  starNames?(module: string): readonly string[];
  /** Calls of methods on values that are not known, e.g. `cursor.execute(…)`. */
  callMethod(self: Value, name: string, call: Call, run: Interpreter): Value | undefined;
  /** A call of something that is not known. */
  callUnknown(callee: Value, call: Call, run: Interpreter): Value | undefined;
  /** A call of a class of the workspace. */
  construct(value: Value & { kind: 'class' }, call: Call, run: Interpreter): Value | undefined;
  /** `>>` and `<<`. */
  shift(operator: '>>' | '<<', left: Value, right: Value, at: SourceSpan): Value | undefined;
  /** `raise value`. */
  raised?(error: Value): void;
  /** Grows with each thing that a statement adds to what the reader builds, rather than to the names of its module. */
  effects?(): number;
  /** Grows with each thing that the reader took note of. */
  notes?(): number;
  /** A decorated function. `at` spans the decorator. */
  decorate(decorator: Value, target: Value, at: SourceSpan, run: Interpreter): Value | undefined;
}

/** A Python string with its origin, character by character, and the parts that are not known as holes. */
export interface TextValue {
  readonly kind: 'text';
  readonly mapped: MappedText;
  /** Ordered, without overlap, inside `mapped.text`. */
  readonly holes: readonly Hole[];
  /** Clock calls that some hole depends on. */
  readonly clocks: readonly ClockSite[];
  /** Was rendered before the code around it got it, so that its template expressions stand for their values. */
  readonly rendered?: true | undefined;
}

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
  /** What can be called and is kept under keys that are not known. */
  unnamed?: readonly Value[];
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
  /** Its attributes at that moment: what the class sets afterwards goes over what the base was given. */
  beforeBase?: ReadonlyMap<string, Value>;
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
  /** Of two options: the condition under which it is the first. */
  readonly decidedBy?: Condition | undefined;
}

/** An object that a reader brings into the program: a DAG, a task, a decorator. Every hook may decline. */
export interface HostObject {
  readonly type: string;
  /** What stands for it or one of the others, where a condition decides; without it they are a list of things that exist. */
  readonly either?: (others: readonly HostObject[]) => Value | undefined;
  /** Belongs to no reading: it means the same for every file that imports it. */
  readonly isFree?: true;
  /** Values that it keeps. */
  readonly holds?: readonly Value[];
  call?(call: Call, run: Interpreter): Value;
  attribute?(name: string, at: SourceSpan, run: Interpreter): Value | undefined;
  item?(key: Value, at: SourceSpan, run: Interpreter): Value | undefined;
  /** `sides`: where the two operands stand. */
  binary?(
    operator: string,
    left: Value,
    right: Value,
    at: SourceSpan,
    run: Interpreter,
    sides: readonly [SourceSpan, SourceSpan],
  ): Value | undefined;
  /** `~object` and `-object`. */
  unary?(operator: string, at: SourceSpan, run: Interpreter): Value | undefined;
  enter?(run: Interpreter): Value;
  exit?(run: Interpreter): void;
  /** `object.name = value`. */
  assign?(name: string, value: Value, at: SourceSpan, run: Interpreter): void;
}

export const noClocks: readonly ClockSite[] = [];

export function describeKind(value: Value): string {
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

/** How a block ended. Under a condition that is not known, blocks that end in different ways count as `normal`. */
export type Completion = 'normal' | 'return' | 'raise' | 'break' | 'continue';

/** A file that is being followed, as the parts of the language see it. */
export interface Interpreter {
  readonly clockSites: readonly ClockSite[];
  readonly unknownZones: { readonly name: string; readonly at: SourceSpan }[];
  /** Above zero inside blocks that may run or not, or more than once. */
  uncertainty: number;
  /** Loops around what is being followed that go some unknown number of rounds. */
  loops: number;
  /** The conditions that are not known and that what is being followed happens under. */
  path: readonly Condition[];
  readonly files: FileSet;
  readonly host: Host;
  readonly parseYaml: ((text: string) => unknown) | undefined;
  readonly isMain: boolean;
  readonly exhausted: boolean;
  module(file: string): Frame | undefined;
  importModule(name: string, from: string): Frame | undefined;
  /** Puts a folder of the workspace on Python's path. */
  addPath(folder: string, isFirst: boolean): void;
  evaluate(node: SyntaxNode, frame: Frame): Value;
  block(node: SyntaxNode, frame: Frame): Completion;
  call(callee: Value, call: Call): Value;
  callFunction(callee: FunctionValue, call: Call, preset?: ReadonlyMap<string, Value>): Value;
  rememberingCalls(work: () => void): void;
  /** Binds a name of another frame than the one that runs. */
  rebind(frame: Frame, name: string, value: Value): void;
  clockSite(at: SourceSpan, name: string): ClockSite;
  /** Follows what happens under further conditions only. */
  under<T>(conditions: readonly Condition[], work: () => T): T;
  /** The same for the same object. */
  identityOf(thing: object): string;
  /** Changes names, a list, a dict or an object; others may import the module that has them, and see nothing of it. */
  change<T>(holder: object, make: () => T): T;
  /** Another one each time. */
  nextNumber(): number;
}
