/**
 * What a piece of work may ask about its surroundings, by name. An answer that still means the same must still be the
 * same object (or an equal string), so that comparing it costs nothing.
 */
export type Surroundings = Readonly<Record<string, (name: string) => unknown>>;

interface Kept<S extends Surroundings, T> {
  readonly inputs: readonly unknown[];
  readonly isCurrent: (surroundings: S) => boolean;
  readonly value: T;
}

/** Runs `work` unless its value is at hand. Whatever else `work` looks at must be part of `key` or never change. */
export type Memo<K extends object, S extends Surroundings, T> = (
  key: K,
  inputs: readonly unknown[],
  surroundings: S,
  work: (surroundings: S) => T,
) => T;

/**
 * Keeps the value of a pure piece of work for as long as its key lives, and uses it again while the inputs are the same
 * objects and everything that the work asked about its surroundings would be answered the same.
 */
export function createMemo<K extends object, S extends Surroundings, T>(): Memo<K, S, T> {
  const kept = new WeakMap<K, Kept<S, T>>();
  return (key, inputs, surroundings, work) => {
    const known = kept.get(key);
    if (known !== undefined && sameItems(known.inputs, inputs) && known.isCurrent(surroundings)) return known.value;
    const { recording, isCurrent } = recordAnswers(surroundings);
    const value = work(recording);
    kept.set(key, { inputs, isCurrent, value });
    return value;
  };
}

/** Made when first asked for a key, then kept as long as the key lives. */
export function oncePer<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, { readonly value: T }>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known.value;
    const value = make(key);
    made.set(key, { value });
    return value;
  };
}

/** The surroundings with a memory of what was asked of them, and the test whether others would answer the same. */
function recordAnswers<S extends Surroundings>(
  surroundings: S,
): { readonly recording: S; readonly isCurrent: (now: S) => boolean } {
  const told = Object.keys(surroundings).map((question) => ({ question, answers: new Map<string, unknown>() }));
  const recording = Object.fromEntries(
    told.map(({ question, answers }) => [
      question,
      (name: string) => {
        const answer = surroundings[question]?.(name);
        answers.set(name, answer);
        return answer;
      },
    ]),
  ) as unknown as S;
  const isCurrent = (now: S): boolean => {
    for (const { question, answers } of told)
      for (const [name, answer] of answers) if (now[question]?.(name) !== answer) return false;
    return true;
  };
  return { recording, isCurrent };
}

/** The same objects in the same order. */
export const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((item, index) => item === b[index]));

/** The map with the values of an earlier one where they mean the same, so that their identity tells what has changed. */
export function keepSame<K, V>(
  before: ReadonlyMap<K, V>,
  now: ReadonlyMap<K, V>,
  same: (a: V, b: V) => boolean,
): ReadonlyMap<K, V> {
  const kept = new Map<K, V>();
  for (const [key, value] of now) {
    const known = before.get(key);
    kept.set(key, known !== undefined && same(known, value) ? known : value);
  }
  return kept;
}
