import type { SourceSpan, Span } from '../../text/span.ts';
import type { FileSet } from '../model.ts';
import type { Call } from './call.ts';
import { callKey, Identities } from './call-key.ts';
import { callFunction, callValue } from './call-value.ts';
import { evaluate } from './evaluate.ts';
import { executeBlock } from './execute.ts';
import { moduleFile } from './module-path.ts';
import { snapshot } from './snapshot.ts';
import type { SyntaxNode, SyntaxTree } from './syntax-tree.ts';
import type { ClassValue, ClockSite, FunctionValue, Value } from './value.ts';
import { unknown } from './value.ts';

/** Names of a module, a class body or one call of a function. */
export interface Frame {
  readonly file: string;
  readonly text: string;
  readonly names: Map<string, Value>;
  /** The enclosing frame whose names are seen too. */
  readonly parent: Frame | undefined;
  /** The frame of the module, for `global`. */
  readonly module: Frame;
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
  /** Calls of methods on values that are not known, e.g. `cursor.execute(…)`. */
  callMethod(self: Value, name: string, call: Call, run: Interpreter): Value | undefined;
  /** A call of something that is not known. */
  callUnknown(callee: Value, call: Call, run: Interpreter): Value | undefined;
  /** A call of a class of the workspace. */
  construct(value: Value & { kind: 'class' }, call: Call, run: Interpreter): Value | undefined;
  /** `>>` and `<<`. */
  shift(operator: '>>' | '<<', left: Value, right: Value, at: SourceSpan): Value | undefined;
  /** A decorated function. `at` spans the decorator. */
  decorate(decorator: Value, target: Value, at: SourceSpan, run: Interpreter): Value | undefined;
}

/** More than any file written by people takes; a file that goes on past it is understood up to there. */
const stepLimit = 150_000;
const depthLimit = 600;
const recursionLimit = 6;
/** Pieces of a text, items of a list; a thousand characters count as one. */
const sizeLimit = 20_000;

function sizeOf(value: Value): number {
  if (value.kind === 'text') return value.mapped.pieces.length + value.holes.length + (value.mapped.text.length >> 10);
  if (value.kind === 'list') return value.items.length;
  return value.kind === 'dict' ? value.entries.size : 0;
}

/** Runs the statements of one file, and of the modules it imports, over abstract values. No Python is run. */
export class Interpreter {
  readonly clockSites: ClockSite[] = [];
  /** Names of time zones that do not exist, where they are given. */
  readonly unknownZones: { readonly name: string; readonly at: SourceSpan }[] = [];
  private readonly clockSiteByPlace = new Map<string, ClockSite>();
  private readonly modules = new Map<string, Frame>();
  private steps = 0;
  /** Above zero inside blocks that may run or not, or more than once. */
  uncertainty = 0;
  private depth = 0;
  /** What functions gave, by the call; kept while one task is followed. */
  private given: Map<string, Value> | undefined;
  private readonly identities = new Identities();
  /** Calls that are being followed, by function. */
  private readonly active = new Map<SyntaxNode, readonly string[]>();
  private executing = 0;
  readonly files: FileSet;
  readonly host: Host;
  private readonly parse: (file: string, text: string) => SyntaxTree;

  /** Plain data of a YAML text; throws for what is none. */
  readonly parseYaml: ((text: string) => unknown) | undefined;

  constructor(
    files: FileSet,
    host: Host,
    parse: (file: string, text: string) => SyntaxTree,
    parseYaml?: (text: string) => unknown,
  ) {
    this.parseYaml = parseYaml;
    this.files = files;
    this.host = host;
    this.parse = parse;
  }

  /** True while the file itself is executed, false inside a module that it imports. */
  get isMain(): boolean {
    return this.executing <= 1;
  }

  /** True when the work limit was reached; what was understood by then stands. */
  get exhausted(): boolean {
    return this.steps > stepLimit;
  }

  /** Executes a file as a module, once; the frame of a module that is still being executed is given as it is. */
  module(file: string): Frame | undefined {
    const known = this.modules.get(file);
    if (known !== undefined) return known;
    const text = this.files.read(file);
    if (text === undefined) return undefined;
    return this.execute(file, text, this.parse(file, text));
  }

  execute(file: string, text: string, tree: SyntaxTree): Frame {
    const names = new Map<string, Value>();
    const frame: Frame = {
      file,
      text,
      names,
      parent: undefined,
      get module(): Frame {
        return frame;
      },
      returned: undefined,
    };
    this.modules.set(file, frame);
    this.executing++;
    this.nested(() => executeBlock(tree.root, frame, this), undefined);
    this.executing--;
    return frame;
  }

  /** The module that an import names, when it is a file of the workspace. */
  importModule(name: string, from: string): Frame | undefined {
    const file = moduleFile(this.files, name, from);
    if (file === undefined) return undefined;
    return this.nested(() => this.module(file), undefined);
  }

  evaluate(node: SyntaxNode, frame: Frame): Value {
    if (++this.steps > stepLimit) return unknown('the file is too large to follow');
    const value = this.nested(() => evaluate(node, frame, this), unknown('nested too deeply to follow'));
    const size = sizeOf(value);
    // A value that doubles in a loop would fill the memory long before the steps are used up.
    this.steps += size >> 6;
    return size > sizeLimit ? unknown('a value too large to follow') : value;
  }

  call(callee: Value, call: Call): Value {
    return this.nested(() => callValue(callee, call, this), unknown('calls nested too deeply to follow'));
  }

  callFunction(callee: FunctionValue, call: Call, preset?: ReadonlyMap<string, Value>): Value {
    const key = callKey(callee, call, this.identities);
    const known = preset === undefined ? this.given?.get(key) : undefined;
    if (known !== undefined) return snapshot(known) ?? known;
    const rounds = this.active.get(callee.node) ?? [];
    // A function that calls itself twice would use up all steps long before the depth is reached.
    if (rounds.includes(key) || rounds.length >= recursionLimit)
      return unknown('what a function gives that calls itself');
    this.active.set(callee.node, [...rounds, key]);
    const value = this.nested(
      () => callFunction(callee, call, this, preset),
      unknown('calls nested too deeply to follow'),
    );
    this.active.set(callee.node, rounds);
    const kept = this.given === undefined ? undefined : snapshot(value);
    // What a call changes in its arguments has to be changed by the next one too.
    if (kept !== undefined && callKey(callee, call, this.identities) === key) this.given?.set(key, kept);
    return value;
  }

  /** Within `work` a call of a function that was followed with the same arguments is not followed again. */
  rememberingCalls(work: () => void): void {
    this.given = new Map();
    work();
    this.given = undefined;
  }

  /** The clock call at a place, the same object each time the place is evaluated. */
  clockSite(at: SourceSpan, name: string): ClockSite {
    const key = `${at.file}\u0000${at.start}`;
    let site = this.clockSiteByPlace.get(key);
    if (site === undefined) {
      site = { at, name };
      this.clockSiteByPlace.set(key, site);
      this.clockSites.push(site);
    }
    return site;
  }

  private nested<T>(work: () => T, otherwise: T): T {
    if (this.depth >= depthLimit || this.exhausted) return otherwise;
    this.depth++;
    try {
      return work();
    } finally {
      this.depth--;
    }
  }
}

export const spanIn = (frame: Frame, span: Span): SourceSpan => ({
  file: frame.file,
  start: span.start,
  end: span.end,
});

export const sourceOf = (frame: Frame, span: Span): string => frame.text.slice(span.start, span.end);

export function lookUp(frame: Frame, name: string): Value | undefined {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
    const value = at.names.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}
