import { type Condition, excludes, waysThrough } from '../../pipeline/model/condition.ts';
import type { TaskStatement } from './task-statements.ts';

/** Statements of a task that one run sends together. */
export interface WayOfRun {
  readonly items: readonly TaskStatement[];
  /** What is not known before it runs and decides that it is this way. */
  readonly conditions: readonly Condition[];
}

/**
 * The ways in which a run may go through statements that stand under conditions of Python: each set of statements that
 * some run sends, once. A way on which nothing comes in that another way has besides the same deletions is left out:
 * there was nothing to load. `undefined` where there are too many.
 */
export function waysOfRun(items: readonly TaskStatement[]): readonly WayOfRun[] | undefined {
  const open = decidingConditions(items);
  if (open.length === 0) return [{ items, conditions: [] }];
  const choices = waysThrough(open);
  if (choices === undefined) return undefined;
  const ways = new Map<string, WayOfRun>();
  for (const conditions of choices) {
    const reached = items.map(({ sql }) => !excludes(sql, { conditions }));
    const key = reached.join();
    if (ways.has(key) || !reached.includes(true)) continue;
    ways.set(key, { items: items.filter((_, index) => reached[index]), conditions });
  }
  const all = [...ways.values()];
  return all.filter(
    (way) =>
      way.items.some((item) => !onlyEmpties(item)) ||
      !all.some((other) => other !== way && way.items.every((item) => other.items.includes(item))),
  );
}

/** Conditions that are not the same for all of the statements, as they hold. */
function decidingConditions(items: readonly TaskStatement[]): readonly Condition[] {
  const found = new Map<string, { condition: Condition; count: number; isSplit: boolean }>();
  for (const { sql } of items)
    for (const condition of sql.conditions ?? []) {
      const known = found.get(condition.key);
      if (known === undefined) found.set(condition.key, { condition, count: 1, isSplit: false });
      else {
        known.count++;
        known.isSplit ||= known.condition.holds !== condition.holds;
      }
    }
  return [...found.values()]
    .filter(({ count, isSplit }) => isSplit || count < items.length)
    .map(({ condition }) => ({ ...condition, holds: true }));
}

const onlyEmpties = ({ statement: { kind } }: TaskStatement): boolean =>
  kind === 'delete' || kind === 'truncate' || kind === 'drop' || kind === 'alter_partition' || kind === 'create_table';
