import type { SourceSpan } from '../../text/span.ts';
import type { Condition } from '../model/condition.ts';
import type { FileSet } from '../model/model.ts';
import { evaluate } from './evaluate/evaluate.ts';
import { callFunction, callValue } from './execute/call-value.ts';
import { executeBlock } from './execute/execute.ts';
import { moduleFile } from './library/module-path.ts';
import type { SyntaxNode, SyntaxTree } from './syntax/syntax-tree.ts';
import { callKey, Identities } from './values/call-key.ts';
import { unknown } from './values/make-value.ts';
import { snapshot } from './values/snapshot.ts';
import type { Call, ClockSite, Completion, Frame, FunctionValue, Host, Interpreter, Value } from './values/value.ts';

/** What a call gave, and whether following it again would take note of anything. */
interface Given {
  readonly value: Value;
  readonly path: readonly Condition[];
  readonly isQuiet: boolean;
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
export class FollowedFile implements Interpreter {
  readonly clockSites: ClockSite[] = [];
  /** Names of time zones that do not exist, where they are given. */
  readonly unknownZones: { readonly name: string; readonly at: SourceSpan }[] = [];
  private readonly clockSiteByPlace = new Map<string, ClockSite>();
  private readonly modules = new Map<string, Frame>();
  private steps = 0;
  /** Above zero inside blocks that may run or not, or more than once. */
  uncertainty = 0;
  /** The conditions that are not known and that what is being followed happens under. */
  path: readonly Condition[] = [];
  private depth = 0;
  private number = 0;
  /** What functions gave, by the call; kept while one task is followed. */
  private given: Map<string, Given> | undefined;
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
