import type { TaskId } from '../pipeline/model/model.ts';
import type { UnitId } from '../plan/model/plan.ts';
import type { Instant } from '../time/zones/instant.ts';
import { byScheduler } from './by-scheduler.ts';
import type { InputContent, RecordedInput } from './recorded-input.ts';
import { undoneRun } from './undo-mark.ts';

/** The newest version of one slice, as the ledger keeps it. Bounds are instants, infinite where open. */
export interface SliceVersionRecord extends InputContent {
  /** Grows from commit to commit. */
  readonly id: number;
  /** Version whose code and inputs these are: where an undo was undone, that of the run whose rows are there again. */
  readonly madeAt: number;
  readonly run: string;
  readonly unit: UnitId;
  readonly task: TaskId;
  readonly slice: string;
  readonly target: string;
  readonly lower: number;
  readonly upper: number;
  readonly codeHash: string;
  /** `undefined`: nobody recorded what its scheduler's run read. */
  readonly inputs: readonly RecordedInput[] | undefined;
  readonly committedAt: Instant;
  /** Views that it was made through and that are defined in another way now. */
  readonly redefined?: readonly string[] | undefined;
}

/** Why a slice is no longer what a run of its task would make. */
export type StaleReason =
  | { readonly kind: 'code' }
  /** An undo put back what was before a run of the task. */
  | { readonly kind: 'undone'; readonly run: string }
  /** A run wrote the table after the slice had read it, and the rows differ. */
  | { readonly kind: 'input'; readonly table: string; readonly unit: UnitId }
  /** A view that it was made through is not as it was. */
  | { readonly kind: 'view'; readonly table: string }
  /** What it reads is stale itself. */
  | { readonly kind: 'behind'; readonly table: string; readonly unit: UnitId };

export interface StaleSlice {
  readonly version: SliceVersionRecord;
  readonly reasons: readonly StaleReason[];
}

/**
 * The slices of a ledger that are stale, by table and time, as far as the ledger knows: what others wrote is not looked
 * at here.
 * `codeHashes` are those of the tasks as they are now; a task that is not among them is not judged by its code.
 */
export function staleSlices(
  versions: readonly SliceVersionRecord[],
  codeHashes: ReadonlyMap<TaskId, string>,
): readonly StaleSlice[] {
  const made = bySlice(versions);
  const newest = newestOfSlices(versions);
  const targets = new Map<string, TargetVersions>();
  for (const version of newest) {
    const target = targets.get(version.target) ?? { sorted: [], longest: 0 };
    targets.set(version.target, target);
    target.sorted.push(version);
    target.longest = Math.max(target.longest, version.upper - version.lower);
  }
  for (const { sorted } of targets.values()) sorted.sort((a, b) => a.lower - b.lower || a.id - b.id);
  const judged = new Map<SliceVersionRecord, readonly StaleReason[]>();

  const judge = (version: SliceVersionRecord): readonly StaleReason[] => {
    const known = judged.get(version);
    if (known !== undefined) return known;
    // A task that reads its own earlier slices comes back here only through a cycle, which nothing orders.
    judged.set(version, []);
    const hash = codeHashes.get(version.task);
    const undone = undoneRun(version.codeHash);
    const reasons: StaleReason[] = [];
    if (undone !== undefined) reasons.push({ kind: 'undone', run: undone });
    else if (hash !== undefined && hash !== version.codeHash && !byScheduler(version)) reasons.push({ kind: 'code' });
    for (const table of version.redefined ?? []) reasons.push({ kind: 'view', table });
    for (const input of version.inputs ?? []) {
      if (input.definition !== undefined) continue;
      const now = within(targets.get(input.table), input)
        .filter(({ slice }) => slice !== version.slice)
        .flatMap((current) => ofReadInterval(version, input, current, made.get(current.slice)) ?? []);
      const moved = now.find((current) => current.id > version.madeAt && !consumed(input, current));
      if (moved !== undefined) reasons.push({ kind: 'input', table: input.table, unit: moved.unit });
      else {
        const behind = now.find((current) => judge(current).length > 0);
        if (behind !== undefined) reasons.push({ kind: 'behind', table: input.table, unit: behind.unit });
      }
    }
    judged.set(version, reasons);
    return reasons;
  };

  return [...newest]
    .sort((a, b) => (a.target < b.target ? -1 : a.target > b.target ? 1 : a.lower - b.lower || a.id - b.id))
    .flatMap((version) => {
      const reasons = judge(version);
      return reasons.length === 0 ? [] : [{ version, reasons }];
    });
}

/** Of each slice what stands in its table. */
export function newestOfSlices(versions: readonly SliceVersionRecord[]): readonly SliceVersionRecord[] {
  const newest = new Map<string, SliceVersionRecord>();
  for (const version of versions) {
    const known = newest.get(version.slice);
    if (known === undefined || known.id < version.id) newest.set(version.slice, version);
  }
  return [...newest.values()];
}

/** The newest version of each slice by each unit that made it. */
function bySlice(
  versions: readonly SliceVersionRecord[],
): ReadonlyMap<string, ReadonlyMap<UnitId, SliceVersionRecord>> {
  const made = new Map<string, Map<UnitId, SliceVersionRecord>>();
  for (const version of versions) {
    const units = made.get(version.slice) ?? new Map<UnitId, SliceVersionRecord>();
    made.set(version.slice, units.set(version.unit, version));
  }
  return made;
}

/**
 * A table that each interval makes anew holds another interval's rows soon after it was read: what counts is then whether
 * the interval that was read has been made anew. Where none had been when it was read, only intervals count that come
 * before the reader, not those that begin when its window has ended: the whole table is the slice, too, where the rows that
 * an interval writes are not known.
 */
function ofReadInterval(
  reader: SliceVersionRecord,
  { versions, to }: RecordedInput,
  current: SliceVersionRecord,
  made: ReadonlyMap<UnitId, SliceVersionRecord> | undefined,
): SliceVersionRecord | undefined {
  const read = versions?.find(({ slice }) => slice === current.slice);
  const own = read && made?.get(read.unit);
  if (own?.task === current.task) return own;
  if (Number.isFinite(current.lower) || Number.isFinite(current.upper)) return current;
  const end = Math.max(bound(to, Number.POSITIVE_INFINITY), startOf(reader));
  let newest: SliceVersionRecord | undefined;
  for (const version of made?.values() ?? []) {
    if (version.task !== current.task || startOf(version) >= end) continue;
    if (newest === undefined || newest.id < version.id) newest = version;
  }
  return newest;
}

/** Where the interval of the version's unit begins; before everything where its id does not say. */
function startOf({ unit }: SliceVersionRecord): number {
  return bound(unit.slice(unit.lastIndexOf('@') + 1), Number.NEGATIVE_INFINITY);
}

/** Versions of one target by their lower bound, and the length of the longest slice, so that a window finds its own. */
interface TargetVersions {
  readonly sorted: SliceVersionRecord[];
  longest: number;
}

/** Versions that lie in the read window of an input, wholly or partly. */
function within(target: TargetVersions | undefined, { from, to }: RecordedInput): readonly SliceVersionRecord[] {
  if (target === undefined) return [];
  const [lower, upper] = [bound(from, Number.NEGATIVE_INFINITY), bound(to, Number.POSITIVE_INFINITY)];
  const { sorted, longest } = target;
  const found: SliceVersionRecord[] = [];
  for (let at = firstAt(sorted, lower - longest); at < sorted.length; at++) {
    const version = sorted[at] as SliceVersionRecord;
    if (version.lower >= upper) break;
    if (version.upper > lower) found.push(version);
  }
  return found;
}

/** Position of the first version that begins at `lower` or later. */
function firstAt(sorted: readonly SliceVersionRecord[], lower: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as SliceVersionRecord).lower < lower) low = middle + 1;
    else high = middle;
  }
  return low;
}

const bound = (written: string, open: number): number => {
  const at = Date.parse(written);
  return Number.isNaN(at) ? open : at;
};

/** True when the unit read these very rows of the slice. */
const consumed = ({ versions }: RecordedInput, { slice, rowChecksum, algorithm, rows }: SliceVersionRecord): boolean =>
  versions?.some(
    (one) => one.slice === slice && one.rowChecksum === rowChecksum && one.algorithm === algorithm && one.rows === rows,
  ) ?? false;

export function staleInWords(reason: StaleReason): string {
  switch (reason.kind) {
    case 'code':
      return 'the code of the task changed since';
    case 'undone':
      return `run ${reason.run} was undone`;
    case 'input':
      return `${reason.table} was rewritten since by ${reason.unit}`;
    case 'view':
      return `the view ${reason.table} was redefined since`;
    case 'behind':
      return `${reason.table} is stale itself (${reason.unit})`;
  }
}
