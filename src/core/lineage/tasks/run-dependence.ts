import type { Task } from '../../pipeline/model/model.ts';
import { isInComment } from '../../sql/statements/is-in-comment.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import type { TaskFacts } from '../facts/facts.ts';

/**
 * Whether a task's rows are another interval's in another run. One that only stamps its interval on whole tables
 * (a dimension that is rebuilt each day) writes the same rows whenever it runs.
 */
export function isOfTheRun(task: Task, facts: Pick<TaskFacts, 'reads'> | undefined): boolean {
  if (isSameInEveryRun(task)) return false;
  const reads = facts?.reads ?? [];
  return reads.length === 0 || reads.some(({ window }) => window.kind !== 'unbounded');
}

/** No statement of the task depends on the run: all of it is SQL that is known, and its templates are of fixed values. */
export const isSameInEveryRun = ({ sql, accesses, unread }: Task): boolean =>
  sql.length > 0 &&
  accesses.length === 0 &&
  unread.length === 0 &&
  sql.every(
    ({ masked, dialect }) =>
      masked.problem === undefined &&
      masked.tags.length === 0 &&
      masked.holes.every((hole) => isFixed(hole) || (hole.value.kind === 'time' && isInComment(masked, hole, dialect))),
  );

const isFixed = ({ value }: Hole): boolean =>
  value.kind === 'literal' || (value.kind === 'parameter' && value.source !== 'conf');
