import type { Task } from '../model/model.ts';

/** A task as runs have it that take another branch of its templates than the one that is read. */
export interface OtherTask {
  readonly task: Task;
  /** The condition under which the branch that is read is taken, and the one of this way, as people read them. */
  readonly reads: string;
  readonly when: string;
}

/** The same condition in several texts of a task comes out the same in one run. */
export function tasksByBranch(task: Task): readonly OtherTask[] {
  const ways = new Map(
    task.sql.flatMap(({ otherWays = [] }) =>
      otherWays.map((way) => [JSON.stringify([way.condition, way.branch]), way] as const),
    ),
  );
  return [...ways.values()].map(({ condition, branch, when }) => ({
    reads: condition,
    when,
    task: {
      ...task,
      sql: task.sql.map(({ otherWays = [], ...sql }) => {
        const other = otherWays.find((way) => way.condition === condition && way.branch === branch);
        return other === undefined ? sql : { ...sql, masked: other.masked, reading: other.reading };
      }),
    },
  }));
}
