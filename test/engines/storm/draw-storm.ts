/** What befalls the runs of one DAG, beside what befalls all of them. */
export const strikes = ['killed', 'two at once', 'cleared', 'paused', 'fails once', 'fails for ever'] as const;
export type Strike = (typeof strikes)[number];

/** `sql` runs from here, between what Airflow carries out. */
export const kinds = ['python', 'bash', 'sql'] as const;

export interface StormTask {
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  /** Tasks of the same DAG whose tables it reads, by number; none: it reads the source. */
  readonly parents: readonly number[];
  /** Airflow runs it once more when it fails. */
  readonly retries: boolean;
}

export interface StormDag {
  readonly id: string;
  readonly tasks: readonly StormTask[];
  readonly strikes: readonly Strike[];
  /** Days of the range whose run is there already, from its first. */
  readonly there: number;
  /** Milliseconds from the start of its run to its strikes. */
  readonly delays: readonly number[];
}

/** Small DAGs of mixed tasks that run at once, and what befalls each: the same for the same number. */
export function drawStorm(seed: number, dags: number): readonly StormDag[] {
  const next = numbers(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  return Array.from({ length: dags }, (_, dag): StormDag => {
    const count = 2 + below(2);
    // Of four DAGs, one is given away as a whole and has no runs yet, so that they are made in one go.
    const isWhole = dag % 4 === 3;
    const tasks = Array.from({ length: count }, (_, index): StormTask => {
      const parents = Array.from({ length: index }, (_, parent) => parent).filter(() => next() < 0.7);
      const drawn = index === 0 && dag % 2 === 0 ? 'python' : (kinds[below(kinds.length)] ?? 'bash');
      const kind = drawn === 'sql' && isWhole ? 'bash' : drawn;
      return { name: `t${index}`, kind, parents, retries: next() < 0.3 };
    });
    // Somebody has to be given something.
    const carried = tasks.some(({ kind }) => kind !== 'sql')
      ? tasks
      : tasks.map((task, index) => (index === 0 ? { ...task, kind: 'bash' as const } : task));
    const first = strikes[(seed + dag) % strikes.length] ?? 'killed';
    // Of four DAGs, two have the strikes that the others do not.
    const second = strikes[(seed + dag + 4) % strikes.length] ?? first;
    return {
      id: `storm_${seed}_${dag}`,
      tasks: carried,
      strikes: [...new Set([first, ...(dag % 4 < 2 ? [second] : [])])],
      there: isWhole ? 0 : below(3),
      delays: Array.from({ length: 4 }, () => 2000 + below(14_000)),
    };
  });
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function numbers(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
