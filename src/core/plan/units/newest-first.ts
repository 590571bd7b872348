import { changedColumn } from '../../lineage/facts/facts.ts';
import { columnsOfCut } from '../../lineage/facts/slice-cut.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import type { UnitSlice } from '../model/plan.ts';
import type { PlannableTask } from '../model/plan-request.ts';
import { mergeWaits, type UnitNode } from './unit-graph.ts';
import { unitSlices } from './unit-slices.ts';

/**
 * Why the units of a task cannot go newest first. `past`: each waits for one of its own before it. `rows`: units of
 * different intervals write the same rows, and the last one counts. `adds`: what is there decides what is added. `unknown`:
 * which rows a unit owns is not known.
 */
export type OldestFirst = 'past' | 'rows' | 'adds' | 'unknown';

export interface NewestFirst {
  /** The same units; those of the tasks in `stay` wait for each other in the order of `oldest`. */
  readonly nodes: ReadonlyMap<TaskId, readonly UnitNode[]>;
  readonly stay: ReadonlyMap<TaskId, OldestFirst>;
}

/**
 * Which tasks of a plan may run their newest intervals first: those whose units each replace rows that no other interval
 * writes. All others keep the order that they have in `oldest`, between each other too where they write the same rows, by
 * waits, so that no unit that is ready early comes before its time.
 */
export function newestFirst(nodes: ReadonlyMap<TaskId, readonly UnitNode[]>, oldest: readonly UnitNode[]): NewestFirst {
  const stay = new Map<TaskId, OldestFirst>();
  for (const [id, units] of nodes) {
    const why = units.length > 1 ? alone(units) : undefined;
    if (why !== undefined) stay.set(id, why);
  }
  const together = sharedRows(oldest, stay);
  const groupOf = (id: TaskId): TaskId => together.get(id) ?? id;
  const before = new Map<TaskId, UnitNode>();
  const waits = new Map<UnitNode, UnitNode>();
  for (const node of oldest) {
    if (!stay.has(node.task.id)) continue;
    const group = groupOf(node.task.id);
    const previous = before.get(group);
    if (previous !== undefined) waits.set(node, previous);
    before.set(group, node);
  }
  const made = new Map(
    [...nodes].map(([id, units]): [TaskId, readonly UnitNode[]] => [
      id,
      units.map((node) => {
        const previous = waits.get(node);
        if (previous === undefined) return node;
        const range = { task: previous.task.id, first: previous.index, last: previous.index };
        return { ...node, waitsFor: mergeWaits([...node.waitsFor, range]) };
      }),
    ]),
  );
  return { nodes: made, stay };
}

/** Whether a task has to stay oldest first for what it does by itself. */
function alone(units: readonly UnitNode[]): OldestFirst | undefined {
  const { task } = units[0] as UnitNode;
  const own = units.some(({ waitsFor }) => waitsFor.some((range) => range.task === task.id));
  if (own || (task.usedBy ?? []).length > 0 || task.turns !== undefined) return 'past';
  if (task.executor.kind === 'warehouse' && task.writes.length === 0) return 'unknown';
  for (const write of task.writes) {
    if (write.mode === 'append' || changedColumn(write) !== undefined) return 'adds';
    if (write.slice.kind === 'unknown' || write.mode === 'unknown') return 'unknown';
    if (write.slice.kind === 'whole-table') return 'rows';
    if (!staysInSlice(write)) return 'rows';
  }
  return undefined;
}

/** An upsert moves a row between slices where its key does not hold the column that they are cut by. */
const staysInSlice = ({ mode, slice, key }: PlannableTask['writes'][number]): boolean =>
  (mode !== 'merge' && mode !== 'update') ||
  (slice.kind === 'range' && columnsOfCut(slice).every((column) => key.includes(column)));

interface Owned {
  readonly slice: UnitSlice;
  readonly node: UnitNode;
}

/**
 * Finds units of different intervals that write the same rows, in one task or in several, and puts their tasks among
 * those that stay. The result names one task for each set of tasks that write rows of each other.
 */
function sharedRows(oldest: readonly UnitNode[], stay: Map<TaskId, OldestFirst>): ReadonlyMap<TaskId, TaskId> {
  const tables = new Map<string, Owned[]>();
  for (const node of oldest) {
    for (const slice of unitSlices(node.task, node.kept.interval.data)) {
      const owned = tables.get(slice.table) ?? [];
      owned.push({ slice, node });
      tables.set(slice.table, owned);
    }
  }
  const groups = new Map<TaskId, TaskId>();
  const rootOf = (id: TaskId): TaskId => {
    const next = groups.get(id) ?? id;
    return next === id ? id : rootOf(next);
  };
  const meet = (a: UnitNode, b: UnitNode): void => {
    for (const { task } of [a, b]) if (!stay.has(task.id)) stay.set(task.id, 'rows');
    groups.set(rootOf(a.task.id), rootOf(b.task.id));
  };
  for (const owned of tables.values()) meetings(owned, meet);
  return new Map([...groups.keys()].map((id) => [id, rootOf(id)]));
}

/** Meets, for every two tasks of which units with different ends overlap in one table, two such units. */
function meetings(owned: readonly Owned[], meet: (a: UnitNode, b: UnitNode) => void): void {
  // Bounds on different columns cannot be told apart.
  const isComparable = new Set(owned.map(({ slice }) => slice.column)).size === 1;
  const from = ({ slice }: Owned): number => (isComparable ? (slice.from ?? Number.NEGATIVE_INFINITY) : 0);
  const to = ({ slice }: Owned): number => (isComparable ? (slice.to ?? Number.POSITIVE_INFINITY) : 1);
  /** For each task the unit that reaches farthest, and the one that does among those with another end. */
  const reach = new Map<TaskId, readonly Owned[]>();
  for (const next of [...owned].sort((a, b) => from(a) - from(b))) {
    for (const farthest of reach.values()) {
      const other = farthest.find(({ node }) => endOf(node) !== endOf(next.node));
      if (other !== undefined && to(other) > from(next)) meet(other.node, next.node);
    }
    const { id } = next.node.task;
    const known = [...(reach.get(id) ?? []), next].sort((a, b) => to(b) - to(a));
    const second = known.find(({ node }) => endOf(node) !== endOf((known[0] as Owned).node));
    reach.set(id, [known[0] as Owned, ...(second === undefined ? [] : [second])]);
  }
}

const endOf = ({ kept }: UnitNode): number => kept.interval.next;
