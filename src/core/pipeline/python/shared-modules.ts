import type { FileSet } from '../model/model.ts';
import { findsTheSame, type LookedAt, PathNumbers, type RecordingFileSet } from '../model/recording-file-set.ts';
import { frameContents } from './frame-contents.ts';
import type { ClockSite, Frame } from './values/value.ts';

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
  /** With all modules that it leads to. */
  readonly closure: readonly SharedModule[];
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
  /** False for a list, an object or a class of a shared module: a change would be seen by all its importers. */
  mayChange(holder: object): boolean;
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
      mayChange: (holder) => !this.owned.has(holder),
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
    const held = new Map<string, readonly object[]>();
    const private_ = new Set<string>();
    for (const { file, frame, imports, hasEffects } of followed) {
      const { frames, holders, isBound } = frameContents(frame);
      const others = new Set(imports);
      for (const other of frames) others.add(other.file);
      others.delete(file);
      leadsTo.set(file, others);
      held.set(file, holders);
      const isForeign = [...others].some((other) => !own.has(other) && !this.modules.has(other));
      if (hasEffects || isBound || isForeign) private_.add(file);
    }
    // Who leads to a module that stays with the importing file stays there too.
    for (let before = -1; before !== private_.size; ) {
      before = private_.size;
      for (const [file, others] of leadsTo) if ([...others].some((other) => private_.has(other))) private_.add(file);
    }
    const shared: SharedModule[] = [];
    for (const { file, frame, files, clockSites, unknownZones, cutOff } of followed) {
      if (private_.has(file)) continue;
      const module: SharedModule = {
        file,
        frame,
        lookedAt: files.lookedAt(),
        paths: files.sawPaths ? this.allPaths : undefined,
        clockSites,
        unknownZones,
        cutOff,
        closure: [],
      };
      for (const holder of held.get(file) ?? []) this.owned.add(holder);
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
