import type { TableFacts, WorkspaceFacts } from '../lineage/workspace-facts.ts';
import type { Pipeline, Task, TaskId } from '../pipeline/model.ts';
import { pipelineIndex } from './pipeline-index.ts';
import { lastPart, type StatementView, sameTable } from './statement-view.ts';

/** One task with its statements in the order in which they run. */
export interface TaskView {
  readonly pipeline: Pipeline;
  readonly task: Task;
  readonly statements: readonly StatementView[];
}

/** The workspace as rules look at it. */
export interface LintContext {
  readonly facts: WorkspaceFacts;
  readonly tasks: readonly TaskView[];
  /** The tasks of the same pipeline that may have run before this one in the same run. */
  tasksBefore(view: TaskView): readonly TaskView[];
  /** Those of them whose operator or arguments speak of emptying something. */
  emptyingBefore(view: TaskView): readonly TaskView[];
  /** Those of their statements that may have to do with a table. */
  runEarlier(view: TaskView, key: string): readonly StatementView[];
  /** Statements of the tasks of the same pipeline that run after this one. */
  runLater(view: TaskView): readonly StatementView[];
  /** Those that may have to do with a table. */
  runLaterOn(view: TaskView, key: string): readonly StatementView[];
  /** The table of the workspace that a name means. */
  table(key: string): TableFacts | undefined;
}

export function createLintContext(facts: WorkspaceFacts): LintContext {
  const byPipeline = new Map<Pipeline, TaskView[]>();
  for (const pipeline of facts.pipelines) {
    byPipeline.set(
      pipeline,
      pipeline.tasks.map((task) => ({ pipeline, task, statements: statementsOf(pipeline, task) })),
    );
  }
  const followers = new Map<Pipeline, Followers>();
  const later = new Map<TaskView, ReadonlySet<TaskId>>();
  const laterTasks = (view: TaskView): ReadonlySet<TaskId> => {
    const edges = followers.get(view.pipeline) ?? followersOf(view.pipeline);
    followers.set(view.pipeline, edges);
    const known = later.get(view) ?? descendants(edges, view.task.id);
    later.set(view, known);
    return known;
  };
  const siblings = (view: TaskView): readonly TaskView[] =>
    (byPipeline.get(view.pipeline) ?? []).filter((other) => other !== view);
  const indexes = new Map([...byPipeline].map(([pipeline, views]) => [pipeline, pipelineIndex(views)]));
  const others = (view: TaskView, key: string, areLater: boolean): readonly StatementView[] =>
    (indexes.get(view.pipeline)?.on(key) ?? [])
      .filter(({ owner }) => owner !== view && laterTasks(view).has(owner.task.id) === areLater)
      .map((one) => one.view);
  const emptying = new Map([...byPipeline].map(([pipeline, views]) => [pipeline, views.filter(mayEmpty)]));
  const tables = new Map<string, TableFacts[]>();
  for (const table of facts.tables.values()) {
    const part = lastPart(table.name);
    const known = tables.get(part);
    if (known === undefined) tables.set(part, [table]);
    else known.push(table);
  }
  const tasksBefore = (view: TaskView): readonly TaskView[] =>
    siblings(view).filter((other) => !laterTasks(view).has(other.task.id));
  return {
    facts,
    tasks: [...byPipeline.values()].flat(),
    tasksBefore,
    emptyingBefore: (view) =>
      (emptying.get(view.pipeline) ?? []).filter((other) => other !== view && !laterTasks(view).has(other.task.id)),
    runEarlier: (view, key) => others(view, key, false),
    runLaterOn: (view, key) => others(view, key, true),
    table: (key) => tables.get(lastPart(key))?.find(({ name }) => sameTable(name, key)),
    runLater: (view) =>
      siblings(view)
        .filter((other) => laterTasks(view).has(other.task.id))
        .flatMap((other) => other.statements),
  };
}

const emptyingWord = /delete|truncate|drop|clear|clean|empty/i;

const mayEmpty = ({ task }: TaskView): boolean =>
  emptyingWord.test(task.operator) ||
  task.arguments.some(
    ({ value }) => value.kind === 'literal' && typeof value.value === 'string' && emptyingWord.test(value.value),
  );

function statementsOf(pipeline: Pipeline, task: Task): StatementView[] {
  return task.sql
    .flatMap((sql) => sql.reading.statements.map((statement) => ({ sql, statement })))
    .map(({ sql, statement }, order) => ({ pipeline, task, sql, statement, order }));
}

type Followers = ReadonlyMap<TaskId, readonly TaskId[]>;

function followersOf(pipeline: Pipeline): Followers {
  const followers = new Map<TaskId, TaskId[]>();
  for (const { from, to, kind } of pipeline.edges) {
    if (kind !== 'order') continue;
    const known = followers.get(from);
    if (known === undefined) followers.set(from, [to]);
    else known.push(to);
  }
  return followers;
}

function descendants(followers: Followers, task: TaskId): ReadonlySet<TaskId> {
  const found = new Set<TaskId>();
  const queue = [task];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const to of followers.get(next) ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      queue.push(to);
    }
  }
  return found;
}
