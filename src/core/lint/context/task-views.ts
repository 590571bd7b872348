import { calledIn } from '../../lineage/writes/task-statements.ts';
import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import type { StatementView, TaskView } from '../source/statement-view.ts';

/** The tasks of a pipeline; the same objects for the same pipeline. */
export const taskViews = oncePer((pipeline: Pipeline): readonly TaskView[] =>
  pipeline.tasks.map((task) => ({ pipeline, task, statements: statementsOf(pipeline, task) })),
);

/** A routine does its work where a statement calls it. */
const statementsOf = (pipeline: Pipeline, task: Task): readonly StatementView[] =>
  task.sql
    .flatMap((sql, sqlIndex) =>
      sql.reading.statements.flatMap((statement) => [
        ...calledIn(statement, sqlIndex, task).flatMap((routine) =>
          routine.sql.reading.statements.map((inner) => ({ sql: routine.sql, statement: inner, routine })),
        ),
        { sql, statement },
      ]),
    )
    .map((one, order) => ({ pipeline, task, ...one, order }));
