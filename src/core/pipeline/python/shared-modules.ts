import type { FileSet } from '../model/model.ts';
import { findsTheSame, type LookedAt, PathNumbers, type RecordingFileSet } from '../model/recording-file-set.ts';
import { type FrameContents, frameContents } from './frame-contents.ts';
import type { ClockSite, Frame, Value } from './values/value.ts';

/** A module of the workspace as it was followed once, for every file that imports it. */
export interface SharedModule {
  readonly file: string;
  readonly frame: Frame;
  /** Files that it looked at by itself. */
  readonly lookedAt: LookedAt;
  readonly paths: string | undefined;
  readonly clockSites: readonly ClockSite[];
  readonly unknownZones: readonly { readonly name: string; readonly at: ClockSite['at'] }[];
  /** It was too large to follow to its end. */
  readonly cutOff: boolean;
  /** What it does to other modules when it is imported. */
  readonly changes: readonly Change[];
  /** With all modules that it leads to. */
  readonly closure: readonly SharedModule[];
}

/** A change of names, a list, a dict or an object, to be made again wherever the module that makes it is imported. */
export interface Change {
  readonly holder: object;
  readonly make: () => unknown;
}

/** A module as it was just followed. */
export interface FollowedModule {
  readonly file: string;
  readonly frame: Frame;
  readonly files: RecordingFileSet;
  /** Modules that it imports by itself. */
  readonly imports: ReadonlySet<string>;
  readonly clockSites: readonly ClockSite[];
  readonly unknownZones: SharedModule['unknownZones'];
  readonly cutOff: boolean;
  readonly changes: readonly Change[];
  readonly contents: FrameContents;
  /** It did something besides giving names their values: it made a task. */
  readonly hasEffects: boolean;
}

/** The shelf of modules as one importing file uses it. */
export interface ModuleShelf {
  /** Of the workspace, without a memory of what was looked at. */
  readonly files: FileSet;
  readonly numbers: PathNumbers;
  find(file: string): SharedModule | undefined;
  /** Puts modules onto the shelf that were followed together; gives those that have to stay with the importing file. */
  offer(modules: readonly FollowedModule[]): readonly FollowedModule[];
  /** What a module holds, once it was followed: from here on changes of it are kept apart from it. */
  own(frame: Frame): FrameContents;
  /** To be told before something is changed; true where it is of a module that was followed, by this file or another. */
  note(change: Change): boolean;
  /** Takes back what this file has changed so far, so that a module is followed as for any other file; to be resumed. */
  setAside(): readonly Change[];
  /** Makes the earlier changes again, and those since then after them. */
  resume(earlier: readonly Change[]): void;
}

/**
 * Modules that many files import are followed once. What a module gives must not depend on who imports it: one that
 * makes tasks, or leads to one that does, is followed anew for each file.
 */
export class SharedModules {
  private readonly modules = new Map<string, SharedModule>();
  private readonly owned = new WeakSet<object>();
  private checked = new Map<SharedModule, boolean>();
  readonly numbers = new PathNumbers();
  private files: FileSet = { read: () => undefined, paths: () => [] };
  private allPaths = '';

  /** From here on `files` are what there is. */
  begin(files: FileSet, allPaths: string): void {
    this.files = files;
    this.allPaths = allPaths;
    this.checked = new Map();
  }

  /** Whether the module would be the same if it was followed now. */
  isCurrent(module: SharedModule): boolean {
    return module.closure.every((one) => this.modules.get(one.file) === one && this.isUnchanged(one));
  }

  /** The shelf for one file; `used` gets what it takes. */
  shelfFor(used: Set<SharedModule>): ModuleShelf {
    const undo = new Map<object, () => void>();
    let changes: Change[] = [];
    const note = (change: Change): boolean => {
      const { holder } = change;
      if (!this.owned.has(holder)) return false;
      if (!undo.has(holder)) undo.set(holder, undoOf(holder as Frame | Value));
      changes.push(change);
      return true;
    };
    const setAside = (): readonly Change[] => {
      for (const one of undo.values()) one();
      undo.clear();
      const before = changes;
      changes = [];
      return before;
    };
    return {
      files: this.files,
      numbers: this.numbers,
      find: (file) => {
        const found = this.modules.get(file);
        if (found === undefined || !this.isCurrent(found)) return undefined;
        used.add(found);
        return found;
      },
      offer: (modules) => this.offer(modules, used),
      own: (frame) => {
        const contents = frameContents(frame);
        for (const holder of contents.holders) this.owned.add(holder);
        return contents;
      },
      note,
      setAside,
      resume: (earlier) => {
        for (const change of [...earlier, ...setAside()]) {
          note(change);
          change.make();
        }
      },
    };
  }

  private isUnchanged(module: SharedModule): boolean {
    const known = this.checked.get(module);
    if (known !== undefined) return known;
    const isSame =
      (module.paths === undefined || module.paths === this.allPaths) &&
      findsTheSame(module.lookedAt, this.files, this.numbers);
    this.checked.set(module, isSame);
    return isSame;
  }

  private offer(followed: readonly FollowedModule[], used: Set<SharedModule>): readonly FollowedModule[] {
    const own = new Map(followed.map((module) => [module.file, module]));
    const leadsTo = new Map<string, ReadonlySet<string>>();
    const private_ = new Set<string>();
    for (const { file, contents, imports, hasEffects } of followed) {
      const { frames, isBound } = contents;
      const others = new Set(imports);
      for (const other of frames) others.add(other.file);
      others.delete(file);
      leadsTo.set(file, others);
      const isForeign = [...others].some((other) => !own.has(other) && !this.modules.has(other));
      if (hasEffects || isBound || isForeign) private_.add(file);
    }
    // Who leads to a module that stays with the importing file stays there too.
    for (let before = -1; before !== private_.size; ) {
      before = private_.size;
      for (const [file, others] of leadsTo) if ([...others].some((other) => private_.has(other))) private_.add(file);
    }
    const shared: SharedModule[] = [];
    for (const { file, frame, files, clockSites, unknownZones, cutOff, changes } of followed) {
      if (private_.has(file)) continue;
      const module: SharedModule = {
        file,
        frame,
        lookedAt: files.lookedAt(),
        paths: files.sawPaths ? this.allPaths : undefined,
        clockSites,
        unknownZones,
        cutOff,
        changes,
        closure: [],
      };
      this.modules.set(file, module);
      shared.push(module);
      used.add(module);
    }
    for (const module of shared) {
      const reached = new Map<string, SharedModule>();
      const open = [module.file];
      for (let file = open.pop(); file !== undefined; file = open.pop()) {
        const one = this.modules.get(file);
        if (one === undefined || reached.has(file)) continue;
        reached.set(file, one);
        const further = leadsTo.get(file);
        if (further !== undefined) open.push(...further);
        else for (const other of one.closure) reached.set(other.file, other);
      }
      (module.closure as SharedModule[]).push(...reached.values());
    }
    return followed.filter(({ file }) => private_.has(file));
  }
}

/** Puts back what a holder of names or values holds now. */
function undoOf(holder: Frame | Value): () => void {
  if (!('kind' in holder)) return putBack(holder.names);
  switch (holder.kind) {
    case 'list': {
      const [items, open] = [[...holder.items], holder.open];
      return () => {
        holder.items.splice(0, holder.items.length, ...items);
        holder.open = open;
      };
    }
    case 'dict': {
      const [undo, open] = [putBack(holder.entries), holder.open];
      return () => {
        undo();
        holder.open = open;
      };
    }
    case 'object': {
      const [undo, version] = [putBack(holder.attributes), holder.version];
      return () => {
        undo();
        holder.version = version;
      };
    }
    case 'instance': {
      if (holder.attributes !== undefined) return putBack(holder.attributes);
      return () => {
        delete holder.attributes;
      };
    }
    default:
      return () => undefined;
  }
}

function putBack<K, V>(held: Map<K, V>): () => void {
  const before = new Map(held);
  return () => {
    held.clear();
    for (const [key, value] of before) held.set(key, value);
  };
}
