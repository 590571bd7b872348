import type { Pipeline, Task } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import type { StatementView, TaskView } from '../source/statement-view.ts';

/** The tasks of a pipeline; the same objects for the same pipeline. */
export const taskViews = oncePer((pipeline: Pipeline): readonly TaskView[] =>
  pipeline.tasks.map((task) => ({ pipeline, task, statements: statementsOf(pipeline, task) })),
);

const statementsOf = (pipeline: Pipeline, task: Task): readonly StatementView[] =>
  task.sql
    .flatMap((sql) => sql.reading.statements.map((statement) => ({ sql, statement })))
    .map(({ sql, statement }, order) => ({ pipeline, task, sql, statement, order }));
