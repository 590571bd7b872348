import { minHeap } from '../../plan/units/min-heap.ts';

/** Units that may start, as positions of a plan, the first of the plan first. */
export interface ReadyUnits {
  put(position: number): void;
  take(): number | undefined;
  has(position: number): boolean;
  /** Takes one out of its turn. */
  remove(position: number): void;
}

export function readyUnits(): ReadyUnits {
  const ready = new Set<number>();
  /** May name units that are gone again. */
  const heap = minHeap<number>((a, b) => a - b);
  return {
    put(position) {
      ready.add(position);
      heap.push(position);
    },
    take() {
      for (let position = heap.pop(); position !== undefined; position = heap.pop())
        if (ready.delete(position)) return position;
      return undefined;
    },
    has: (position) => ready.has(position),
    remove: (position) => {
      ready.delete(position);
    },
  };
}
