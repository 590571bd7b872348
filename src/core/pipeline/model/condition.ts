import type { SourceSpan } from '../../text/span.ts';

/** A condition of the code that is not known before it runs, and how it came out on the way to a place. */
export interface Condition {
  /** Equal for conditions that come out the same in one run. */
  readonly key: string;
  readonly holds: boolean;
  /** As written. */
  readonly text: string;
  readonly at: SourceSpan;
}

/** What happens under conditions; without any it always happens. */
export interface Conditioned {
  readonly conditions?: readonly Condition[];
}

const nothing: readonly Condition[] = [];

export const negated = (condition: Condition): Condition => ({ ...condition, holds: !condition.holds });

/** Whether the first happens in every run in which the second does. */
export const alwaysWith = (first: Conditioned, second: Conditioned): boolean =>
  (first.conditions ?? nothing).every((one) =>
    (second.conditions ?? nothing).some((other) => other.key === one.key && other.holds === one.holds),
  );

/** Whether no run has both: they stand in two branches of one condition. */
export const excludes = (first: Conditioned, second: Conditioned): boolean =>
  (first.conditions ?? nothing).some((one) =>
    (second.conditions ?? nothing).some((other) => other.key === one.key && other.holds !== one.holds),
  );

/** What two ways to one place have in common. */
export const commonConditions = (a: readonly Condition[], b: readonly Condition[]): readonly Condition[] =>
  a.filter((one) => b.some((other) => other.key === one.key && other.holds === one.holds));

export const sameConditions = (a: readonly Condition[], b: readonly Condition[]): boolean =>
  a.length === b.length && commonConditions(a, b).length === a.length;

/** Ways through more conditions than these are not told apart. */
const conditionLimit = 6;

/** Every way in which some conditions can come out; `undefined` where there are too many. */
export function waysThrough(conditions: readonly Condition[]): readonly (readonly Condition[])[] | undefined {
  const open = [...new Map(conditions.map((condition) => [condition.key, condition])).values()];
  if (open.length > conditionLimit) return undefined;
  return Array.from({ length: 2 ** open.length }, (_, choice) =>
    open.map((condition, bit) => ({ ...condition, holds: ((choice >> bit) & 1) === 0 })),
  );
}

/** Whether every run that has this one has one of the others. */
export function coveredBy(one: Conditioned, others: readonly Conditioned[]): boolean {
  const ways = waysThrough([one, ...others].flatMap(({ conditions }) => conditions ?? nothing));
  if (ways === undefined) return others.some((other) => alwaysWith(other, one));
  return ways.every((conditions) => {
    const way = { conditions };
    return !alwaysWith(one, way) || others.some((other) => alwaysWith(other, way));
  });
}
