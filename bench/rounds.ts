/** Milliseconds of each kind of work, one entry a round. */
export type Samples<K extends string> = Readonly<Record<K, readonly number[]>>;

/**
 * Measures several kinds of work side by side: every round does each of them once, and each round begins with another
 * one, so that a machine that is busy for a while slows all of them alike. The first round is not counted unless it
 * is the only one. `clock` gives the milliseconds of which differences are taken.
 */
export async function rounds<K extends string>(
  count: number,
  works: Readonly<Record<K, Timed>>,
  clock: () => number = () => performance.now(),
): Promise<Samples<K>> {
  const names = Object.keys(works) as K[];
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
  for (let round = 0; round < (count === 1 ? 1 : count + 1); round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length] as K;
      const work: Timed = works[name];
      const { before, run } = typeof work === 'function' ? { before: undefined, run: work } : work;
      await before?.(round);
      const startedAt = clock();
      await run(round);
      if (round > 0 || count === 1) samples[name].push(clock() - startedAt);
    }
  }
  return samples;
}

type Work = (round: number) => Promise<unknown> | unknown;

/** `before` is not timed. */
export type Timed = Work | { readonly before: Work; readonly run: Work };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

/** Median of the ratios of each round. */
export const ratio = (over: readonly number[], under: readonly number[]): number =>
  median(over.map((value, round) => value / (under[round] ?? Number.NaN)));

/** `610 ms ÷ 270 ms`. */
export const quotient = (over: readonly number[], under: readonly number[]): string =>
  `${median(over).toFixed(0)} ms ÷ ${median(under).toFixed(0)} ms`;
