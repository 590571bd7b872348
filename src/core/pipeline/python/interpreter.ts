import type { SourceSpan } from '../../text/span.ts';
import type { Condition } from '../model/condition.ts';
import type { FileSet } from '../model/model.ts';
import { recordingFileSet } from '../model/recording-file-set.ts';
import { callKey, Identities } from './calls/call-key.ts';
import { evaluate } from './evaluate/evaluate.ts';
import { callFunction, callValue } from './execute/call-value.ts';
import { executeBlock } from './execute/execute.ts';
import { moduleFile, moduleUnder } from './library/module-path.ts';
import type { Change, FollowedModule, ModuleShelf, SharedModule } from './shared-modules.ts';
import type { SyntaxNode, SyntaxTree } from './syntax/syntax-tree.ts';
import { unknown } from './values/make-value.ts';
import { mergeValues } from './values/merge.ts';
import { snapshot } from './values/snapshot.ts';
import type { Call, ClockSite, Completion, Frame, FunctionValue, Host, Interpreter, Value } from './values/value.ts';

/** A module while it is followed. */
interface Following {
  readonly file: string;
  readonly imports: Set<string>;
  readonly clockSites: ClockSite[];
  /** What it changed of other modules. */
  readonly changes: Change[];
  /** What the modules did that it imports. */
  effects: number;
}

const placeKey = ({ file, start }: SourceSpan): string => `${file}\u0000${start}`;

/** What a call gave, and whether following it again would take note of anything. */
interface Given {
  readonly value: Value;
  readonly path: readonly Condition[];
  readonly isQuiet: boolean;
}

/** More than any file written by people takes; a file that goes on past it is understood up to there. */
const stepLimit = 150_000;
/** Of a file with all modules that it imports and all Python of its tasks, so that none takes more than a second or two. */
const jointLimit = 400_000;
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
export class FollowedFile implements Interpreter {
  readonly clockSites: ClockSite[] = [];
  /** Names of time zones that do not exist, where they are given. */
  readonly unknownZones: { readonly name: string; readonly at: SourceSpan }[] = [];
  private readonly clockSiteByPlace = new Map<string, ClockSite>();
  private readonly modules = new Map<string, Frame>();
  private steps = 0;
  /** Of other modules: those that are done, and those that wait for the one that is executed. */
  private stepsElsewhere = 0;
  /** Above zero inside blocks that may run or not, or more than once. */
  uncertainty = 0;
  loops = 0;
  /** The conditions that are not known and that what is being followed happens under. */
  path: readonly Condition[] = [];
  private depth = 0;
  private number = 0;
  /** What functions gave, by the call; kept while one task is followed. */
  private given: Map<string, Given> | undefined;
  /** Puts back what `global` and `nonlocal` bound since calls are remembered. */
  private readonly rebound: (() => void)[] = [];
  private readonly identities = new Identities();
  /** Calls that are being followed, by function. */
  private readonly active = new Map<SyntaxNode, readonly string[]>();
  /** Files whose statements are being executed, the innermost last. */
  private readonly executing: string[] = [];
  private main: string | undefined;
  /** Modules that are being followed, the innermost last, and those of the same import that were. */
  private readonly following: Following[] = [];
  private followed: FollowedModule[] = [];
  /** Folders that the file, or a module of it, has put on Python's path: before all others, and behind them. */
  private readonly added = { first: [] as string[], last: [] as string[] };
  /** Modules that were too large to follow to their end. */
  readonly cutOff = new Set<string>();
  files: FileSet;
  private readonly shelf: ModuleShelf | undefined;
  readonly host: Host;
  private readonly parse: (file: string, text: string) => SyntaxTree;

  /** Plain data of a YAML text; throws for what is none. */
  readonly parseYaml: ((text: string) => unknown) | undefined;

  constructor(
    files: FileSet,
    host: Host,
    parse: (file: string, text: string) => SyntaxTree,
    parseYaml?: (text: string) => unknown,
    shelf?: ModuleShelf,
  ) {
    this.parseYaml = parseYaml;
    this.shelf = shelf;
    this.files = files;
    this.host = host;
    this.parse = parse;
  }

  /** True while the file itself is executed, false inside a module that it imports. */
  get isMain(): boolean {
    return this.executing.at(-1) === this.main;
  }

  /** True when the work limit was reached; what was understood by then stands. */
  get exhausted(): boolean {
    return this.steps > stepLimit || this.exhaustedTogether;
  }

  /** True when it was reached by the file and its modules together. */
  get exhaustedTogether(): boolean {
    return this.steps + this.stepsElsewhere > jointLimit;
  }

  /** Executes a file as a module, once; the frame of a module that is still being executed is given as it is. */
  module(file: string): Frame | undefined {
    const known = this.modules.get(file);
    if (known !== undefined) return known;
    // What a module finds on a path of this file, it may not find for others.
    const shelf = this.pathLength() > 0 ? undefined : this.shelf;
    const shared = shelf?.find(file);
    if (shared !== undefined) return this.take(shared);
    const text = this.files.read(file);
    if (text === undefined) return undefined;
    return shelf === undefined ? this.runModule(file, text) : this.followModule(file, text, shelf);
  }

  /** A module that another file has imported already, with what it has imported. */
  private take(module: SharedModule): Frame {
    for (const one of module.closure) {
      if (this.modules.has(one.file)) continue;
      this.modules.set(one.file, one.frame);
      if (one.cutOff) this.cutOff.add(one.file);
      for (const site of one.clockSites) {
        const key = placeKey(site.at);
        if (this.clockSiteByPlace.has(key)) continue;
        this.clockSiteByPlace.set(key, site);
        this.clockSites.push(site);
      }
      this.unknownZones.push(...one.unknownZones);
      for (const change of one.changes) {
        this.shelf?.note(change);
        change.make();
      }
    }
    return module.frame;
  }

  /** A module runs by itself, whatever stands around its import, and within limits of its own. */
  private runModule(file: string, text: string): Frame {
    const { uncertainty, loops, path, steps } = this;
    this.uncertainty = 0;
    this.loops = 0;
    this.path = [];
    this.steps = 0;
    this.stepsElsewhere += steps;
    const frame = this.execute(file, text, this.parse(file, text));
    if (this.exhausted && !this.exhaustedTogether) this.cutOff.add(file);
    this.uncertainty = uncertainty;
    this.loops = loops;
    this.path = path;
    this.stepsElsewhere += this.steps - steps;
    this.steps = steps;
    return frame;
  }

  /** Follows a module so that others can have it too. */
  private followModule(file: string, text: string, shelf: ModuleShelf): Frame {
    const { files, unknownZones } = this;
    const recording = recordingFileSet(shelf.files, shelf.numbers);
    recording.read(file);
    const zones = unknownZones.length;
    const effects = this.madeSoFar();
    const own: Following = { file, imports: new Set(), clockSites: [], changes: [], effects: 0 };
    const earlier = this.following.length === 0 ? shelf.setAside() : [];
    this.following.push(own);
    this.files = recording;
    const frame = this.runModule(file, text);
    this.files = files;
    this.following.pop();
    const made = this.madeSoFar() - effects;
    const outer = this.following.at(-1);
    if (outer !== undefined) outer.effects += made;
    this.followed.push({
      file,
      frame,
      files: recording,
      imports: own.imports,
      clockSites: own.clockSites,
      unknownZones: unknownZones.slice(zones),
      cutOff: this.cutOff.has(file),
      changes: own.changes,
      contents: shelf.own(frame),
      // How far a module was followed must not depend on who imports it.
      hasEffects: made > own.effects || this.exhaustedTogether,
    });
    if (outer !== undefined) return frame;
    const kept = shelf.offer(this.followed);
    this.followed = [];
    shelf.resume(earlier);
    // What stays with this file counts as looked at by it.
    for (const { files: looked } of kept) {
      const { found, missing } = looked.lookedAt();
      for (const path of found.keys()) this.files.read(path);
      for (const number of missing) this.files.read(shelf.numbers.path(number));
      if (looked.sawPaths) this.files.paths();
    }
    return frame;
  }

  change<T>(holder: object, make: () => T): T {
    const change = { holder, make };
    if (this.shelf?.note(change) === true) this.following.at(-1)?.changes.push(change);
    return make();
  }

  /** `names` are there before the first statement: `__name__` of a file that is run by itself. */
  execute(file: string, text: string, tree: SyntaxTree, names = new Map<string, Value>()): Frame {
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
    this.main ??= file;
    this.executing.push(file);
    this.nested(() => executeBlock(tree.root, frame, this), undefined);
    this.executing.pop();
    return frame;
  }

  addPath(folder: string, isFirst: boolean): void {
    const folders = isFirst ? this.added.first : this.added.last;
    if (!folders.includes(folder)) folders.unshift(folder);
  }

  private pathLength(): number {
    return this.added.first.length + this.added.last.length;
  }

  /** Grows with what is done besides giving names their values. */
  private madeSoFar(): number {
    return (this.host.effects?.() ?? 0) + this.pathLength();
  }

  /** The module that an import names, when it is a file of the workspace. */
  importModule(name: string, from: string): Frame | undefined {
    const under = (folders: readonly string[]): string | undefined => {
      for (const folder of folders) {
        const found = moduleUnder(this.files, folder, name);
        if (found !== undefined && found !== from) return found;
      }
      return undefined;
    };
    const file = under(this.added.first) ?? moduleFile(this.files, name, from) ?? under(this.added.last);
    if (file === undefined) return undefined;
    this.following.at(-1)?.imports.add(file);
    return this.nested(() => this.module(file), undefined);
  }

  evaluate(node: SyntaxNode, frame: Frame): Value {
    this.steps++;
    if (this.exhausted) return unknown('the file is too large to follow');
    const value = this.nested(() => evaluate(node, frame, this), unknown('nested too deeply to follow'));
    const size = sizeOf(value);
    // A value that doubles in a loop would fill the memory long before the steps are used up.
    this.steps += size >> 6;
    return size > sizeLimit ? unknown('a value too large to follow') : value;
  }

  block(node: SyntaxNode, frame: Frame): Completion {
    return executeBlock(node, frame, this);
  }

  call(callee: Value, call: Call): Value {
    return this.nested(() => callValue(callee, call, this), unknown('calls nested too deeply to follow'));
  }

  callFunction(callee: FunctionValue, call: Call, preset?: ReadonlyMap<string, Value>): Value {
    const key = callKey(callee, call, this.identities);
    const known = preset === undefined ? this.given?.get(key) : undefined;
    if (known !== undefined && (known.isQuiet || known.path === this.path)) return snapshot(known.value) ?? known.value;
    const rounds = this.active.get(callee.node) ?? [];
    // A function that calls itself twice would use up all steps long before the depth is reached.
    if (rounds.includes(key) || rounds.length >= recursionLimit)
      return unknown('what a function gives that calls itself');
    this.active.set(callee.node, [...rounds, key]);
    const { path } = this;
    const noted = this.host.notes?.();
    const value = this.nested(
      () => callFunction(callee, call, this, preset),
      unknown('calls nested too deeply to follow'),
    );
    this.active.set(callee.node, rounds);
    const kept = this.given === undefined ? undefined : snapshot(value);
    // What a call changes in its arguments has to be changed by the next one too.
    if (kept !== undefined && callKey(callee, call, this.identities) === key)
      this.given?.set(key, { value: kept, path, isQuiet: noted === this.host.notes?.() });
    return value;
  }

  /** Within `work` a call of a function that was followed with the same arguments is not followed again. */
  rememberingCalls(work: () => void): void {
    this.given = new Map();
    work();
    this.given = undefined;
    // Each task runs in a process of its own, with the module as it was loaded.
    for (const restore of this.rebound.splice(0).reverse()) restore();
  }

  rebind(frame: Frame, name: string, value: Value): void {
    const before = frame.names.get(name);
    if (this.given !== undefined) {
      // What was given for the old value may be another for the new one.
      this.given = new Map();
      this.rebound.push(() => {
        if (before === undefined) frame.names.delete(name);
        else frame.names.set(name, before);
      });
    }
    const made = this.uncertainty > 0 && before !== undefined ? mergeValues([before, value]) : value;
    this.change(frame, () => frame.names.set(name, made));
  }

  /** Follows what happens under further conditions only. */
  under<T>(conditions: readonly Condition[], work: () => T): T {
    const { path } = this;
    this.path = [...path, ...conditions];
    this.uncertainty++;
    const result = work();
    this.uncertainty--;
    this.path = path;
    return result;
  }

  identityOf(thing: object): string {
    return this.identities.of(thing);
  }

  nextNumber(): number {
    return this.number++;
  }

  /** The clock call at a place, the same object each time the place is evaluated. */
  clockSite(at: SourceSpan, name: string): ClockSite {
    const key = placeKey(at);
    let site = this.clockSiteByPlace.get(key);
    if (site === undefined) {
      site = { at, name };
      this.clockSiteByPlace.set(key, site);
      this.clockSites.push(site);
      this.following.at(-1)?.clockSites.push(site);
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
