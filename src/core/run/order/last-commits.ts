import type { UnitId } from '../../plan/model/plan.ts';

/** The newest commits that a run was told of, as a unit that starts now has to find them in the ledger. */
export interface LastCommits {
  /** To be asked for when a unit is sent; gives what it has to find. */
  begin(): { readonly mark: number; readonly follows: readonly UnitId[] };
  /** A unit that began at `mark` has committed. `before`: only found to be committed earlier, nobody knows when. */
  committed(unit: UnitId, mark: number, found: 'now' | 'before'): void;
  readonly follows: readonly UnitId[];
}

/**
 * A server that comes back without some commits has a beginning of what was committed, in that order. So of two units of
 * which one began when the other was known to be committed, only the later one need be looked for: where it is, so is the
 * other. What is left are about as many as run side by side.
 */
export function lastCommits(before: readonly UnitId[]): LastCommits {
  let time = 0;
  let newest: readonly { readonly unit: UnitId; readonly at: number }[] = before.map((unit) => ({ unit, at: 0 }));
  return {
    begin: () => ({ mark: ++time, follows: newest.map(({ unit }) => unit) }),
    committed(unit, mark, found) {
      const open = newest.filter((one) => one.unit !== unit && (found === 'before' || one.at >= mark));
      newest = [...open, { unit, at: ++time }];
    },
    get follows() {
      return newest.map(({ unit }) => unit);
    },
  };
}
