import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';

/** How many units of a task have ended, and how. */
export interface TaskTally {
  readonly task: string;
  /** Units that this run has to bring to an end. */
  readonly of: number;
  readonly states: ReadonlyMap<UnitState, number>;
}

/** Counts a run's units by task. */
export interface TaskTallies {
  begin(tasks: readonly { readonly task: string; readonly units: number }[]): void;
  /** The task's tally where this was its last unit. */
  ended(unit: RunUnit): TaskTally | undefined;
  /** Tasks with units left, those that have begun first. */
  open(): readonly TaskTally[];
}

export function taskTallies(): TaskTallies {
  const tallies = new Map<string, { task: string; of: number; finished: number; states: Map<UnitState, number> }>();
  return {
    begin(tasks) {
      for (const { task, units } of tasks) tallies.set(task, { task, of: units, finished: 0, states: new Map() });
    },
    ended({ unit, state }) {
      const tally = tallies.get(unit.slice(0, unit.lastIndexOf('@')));
      if (tally === undefined) return undefined;
      tally.finished += 1;
      tally.states.set(state, (tally.states.get(state) ?? 0) + 1);
      return tally.finished === tally.of ? tally : undefined;
    },
    open() {
      const left = [...tallies.values()].filter(({ of, finished }) => finished < of);
      return left.sort((a, b) => Number(b.finished > 0) - Number(a.finished > 0));
    },
  };
}
