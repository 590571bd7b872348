import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, WaitRange } from '../../plan/model/plan.ts';

/** What a unit's waits come to: free to start, stopped for good by another unit, or to be asked again later. */
export type WaitState =
  | { readonly kind: 'ready' }
  | { readonly kind: 'blocked'; readonly by: number }
  | { readonly kind: 'waiting' };

/**
 * Which units still wait, and for what. A wait names a range of another task's units; the tracker finds the first and
 * the last unit of a range that is not done in almost constant time and parks the waiter on the last one, so that a
 * cumulative task (every unit waits for all earlier ones) stays near-linear when units finish roughly in order.
 */
export interface WaitTracker {
  /** Asks once; when the answer is `waiting`, the unit is parked and comes back from {@link WaitTracker.settle}. */
  ask(position: number): WaitState;
  /** Records how a unit ended and returns the units that were parked on it, to be asked again. */
  settle(position: number, good: boolean): readonly number[];
}

export function waitTracker(plan: Plan): WaitTracker {
  const lanes = new Map<TaskId, Lane>();
  const laneOf: Lane[] = [];
  const indexInLane: number[] = [];
  for (const [task, positions] of plan.byTask) {
    const lane = makeLane(positions);
    lanes.set(task, lane);
    positions.forEach((position, index) => {
      laneOf[position] = lane;
      indexInLane[position] = index;
    });
  }
  const parked = new Map<number, number[]>();

  const open = (range: WaitRange): WaitState & { readonly watch?: number } => {
    const lane = lanes.get(range.task);
    if (lane === undefined) return { kind: 'ready' };
    const first = lane.firstOpen(range.first);
    if (first > range.last) return { kind: 'ready' };
    const last = lane.lastOpen(range.last);
    for (const index of [first, last]) {
      if (lane.bad.has(index)) return { kind: 'blocked', by: lane.positions[index] as number };
    }
    return { kind: 'waiting', watch: lane.positions[last] as number };
  };

  return {
    ask(position) {
      const unit = plan.units[position];
      if (unit === undefined) return { kind: 'ready' };
      let watch: number | undefined;
      for (const range of unit.waitsFor) {
        const state = open(range);
        if (state.kind === 'blocked') return state;
        if (state.kind === 'waiting') watch ??= state.watch;
      }
      if (watch === undefined) return { kind: 'ready' };
      const waiters = parked.get(watch);
      if (waiters === undefined) parked.set(watch, [position]);
      else waiters.push(position);
      return { kind: 'waiting' };
    },
    settle(position, good) {
      const lane = laneOf[position];
      const index = indexInLane[position];
      if (lane !== undefined && index !== undefined) lane.settle(index, good);
      const waiters = parked.get(position) ?? [];
      parked.delete(position);
      return waiters;
    },
  };
}

/** One task's units, oldest first, with done ones skipped by path-compressed links in both directions. */
interface Lane {
  readonly positions: readonly number[];
  readonly bad: ReadonlySet<number>;
  firstOpen(index: number): number;
  lastOpen(index: number): number;
  settle(index: number, good: boolean): void;
}

function makeLane(positions: readonly number[]): Lane {
  // One guard cell on either side; cell = index + 1.
  const up = Int32Array.from({ length: positions.length + 2 }, (_, cell) => cell);
  const down = Int32Array.from(up);
  const bad = new Set<number>();
  return {
    positions,
    bad,
    firstOpen: (index) => follow(up, index + 1) - 1,
    lastOpen: (index) => follow(down, index + 1) - 1,
    settle(index, good) {
      if (good) {
        up[index + 1] = index + 2;
        down[index + 1] = index;
      } else bad.add(index);
    },
  };
}

function follow(links: Int32Array, from: number): number {
  let root = from;
  while (links[root] !== root) root = links[root] as number;
  for (let cell = from; cell !== root; ) {
    const next = links[cell] as number;
    links[cell] = root;
    cell = next;
  }
  return root;
}
