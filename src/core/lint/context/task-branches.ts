import type { Pipeline, TaskId } from '../../pipeline/model/model.ts';

/** How often a run that has one thing has another as well. */
export type Together = 'always' | 'sometimes' | 'never';

/** A task that decides what of what follows it runs, and each of its followers with all that follows from there. */
interface Branch {
  readonly decides: 'one-of' | 'whether';
  readonly reached: readonly ReadonlySet<TaskId>[];
}

/**
 * Whether a run that has the second task has the first one too, as far as branches and short circuits of the pipeline
 * tell. Trigger rules that let a task run whatever was skipped are not looked at.
 */
export function taskBranches(
  pipeline: Pipeline,
  followersOf: (task: TaskId) => readonly TaskId[],
  descendantsOf: (task: TaskId) => ReadonlySet<TaskId>,
): (first: TaskId, second: TaskId) => Together {
  const branches = pipeline.tasks.flatMap(({ id, decides }): readonly Branch[] => {
    if (decides === undefined) return [];
    const reached = followersOf(id).map((follower) => new Set([follower, ...descendantsOf(follower)]));
    return reached.length === 0 ? [] : [{ decides, reached }];
  });
  return (first, second) => {
    let together: Together = 'always';
    for (const { decides, reached } of branches) {
      const of = (task: TaskId) => reached.filter((tasks) => tasks.has(task));
      const [one, other] = [of(first), of(second)];
      if (one.length === 0) continue;
      if (decides === 'one-of' && other.length > 0 && !one.some((tasks) => other.includes(tasks))) return 'never';
      const sure = other.length > 0 && (decides === 'whether' || other.every((tasks) => one.includes(tasks)));
      if (!sure) together = 'sometimes';
    }
    return together;
  };
}
