import type { TaskFacts } from '../../lineage/facts/facts.ts';
import type { Pipeline, TaskId } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import { type PythonString, pythonStringsAndComments } from '../source/comments.ts';
import type { StatementView, TaskView } from '../source/statement-view.ts';
import type { LintTable, LintWorkspace } from './lint-workspace.ts';
import { type OwnedStatement, pipelineIndex } from './pipeline-index.ts';
import { type Together, taskBranches } from './task-branches.ts';
import { taskViews } from './task-views.ts';

/** One pipeline as rules look at it, and what they may ask about the workspace around it. */
export interface LintContext {
  readonly pipeline: Pipeline;
  readonly tasks: readonly TaskView[];
  /** Tasks that may have run before this one in the same run, and speak of emptying something that may be a table. */
  emptyingBefore(view: TaskView, key: string): readonly TaskView[];
  /** Statements of the tasks that may have run before this one, as far as they may have to do with a table. */
  runEarlier(view: TaskView, key: string): readonly StatementView[];
  /** Those of the tasks that run after this one. */
  runLater(view: TaskView, key: string): readonly StatementView[];
  /** Those of them that read a table. */
  readLater(view: TaskView, key: string): readonly StatementView[];
  /** Statements of the pipeline that name a table as a target or read it, each with its task. */
  statementsOn(key: string): readonly OwnedStatement[];
  /** Whether a task runs after another one in every run that has both. */
  isBefore(first: TaskView, second: TaskView): boolean;
  /** Whether a run that has the second task has the first one too. */
  together(first: TaskId, second: TaskId): Together;
  /** Whether a statement or an operator of the pipeline, other than the given statement, may take rows away from some table. */
  emptiesAnything(view?: StatementView): boolean;
  /** Tasks before this one that decide whether it runs. */
  deciders(view: TaskView): readonly TaskView[];
  /** Statements that empty a table of which nobody can tell which it is, in tasks that may have run before this one. */
  emptyingAny(view: TaskView): readonly StatementView[];
  /** Text of a file of the workspace. */
  text(file: string): string | undefined;
  /** String literals of a Python file, in the order of the file. */
  pythonStrings(file: string): readonly PythonString[];
  factsOf(view: TaskView): TaskFacts | undefined;
  /** The table of the workspace that a name means. */
  table(key: string): LintTable | undefined;
  /** Whether some task of the workspace replaces slices of the table that is written exactly so. */
  isSliced(table: string): boolean;
  /** Whether the workspace makes a stream of changes by this name, which is used up as it is read. */
  isStream(key: string): boolean;
  /** The engine that the definition of a table names (ClickHouse, MySQL), as written. */
  engineOf(key: string): string | undefined;
  /** CREATE VIEW statements of the workspace that read a table whose name ends with the same part. */
  viewsOn(key: string): readonly StatementView[];
  /** A DAG of the workspace by its id. */
  dag(id: string): Pipeline | undefined;
  /** DAGs of the workspace that start a DAG, by its id. */
  startersOf(dag: string): readonly Pipeline[];
  /** Whether the Python of some task sets a Variable of the scheduler. */
  setsVariable(name: string): boolean;
}

export function createLintContext(pipeline: Pipeline, workspace: LintWorkspace): LintContext {
  const tasks = taskViews(pipeline);
  const index = pipelineIndex(tasks);
  const followers = followersOf(pipeline);
  const descendantsOf = oncePer(({ task }: TaskView) => descendants(followers, task.id));
  const branches = taskBranches(
    pipeline,
    (task) => followers.get(task) ?? [],
    (task) => descendants(followers, task),
  );
  const isLater = (view: TaskView, other: TaskView): boolean => descendantsOf(view).has(other.task.id);
  const strings = new Map<string, readonly PythonString[]>();
  const statements = (found: readonly OwnedStatement[], isWanted: (owner: TaskView) => boolean) =>
    found.filter(({ owner }) => isWanted(owner)).map((one) => one.view);
  return {
    pipeline,
    tasks,
    isBefore: (first, second) => isLater(first, second),
    emptyingBefore: (view, key) => index.emptying(key).filter((other) => other !== view && !isLater(view, other)),
    runEarlier: (view, key) => statements(index.on(key), (other) => other !== view && !isLater(view, other)),
    runLater: (view, key) => statements(index.on(key), (other) => other !== view && isLater(view, other)),
    readLater: (view, key) => statements(index.reading(key), (other) => other !== view && isLater(view, other)),
    statementsOn: (key) => [
      ...new Map([...index.on(key), ...index.reading(key)].map((one) => [one.view, one])).values(),
    ],
    together: branches,
    emptiesAnything: (view) => index.emptyingSome.some((other) => other !== view),
    deciders: (view) => tasks.filter((other) => other.task.decides !== undefined && isLater(other, view)),
    emptyingAny: (view) => statements(index.emptyingAny, (other) => !isLater(view, other)),
    text: workspace.text,
    pythonStrings(file) {
      const known = strings.get(file) ?? pythonStringsAndComments(workspace.text(file) ?? '').strings;
      strings.set(file, known);
      return known;
    },
    factsOf: ({ task }) => workspace.facts(task.id),
    table: workspace.table,
    isSliced: workspace.isSliced,
    isStream: workspace.isStream,
    engineOf: workspace.engineOf,
    viewsOn: workspace.viewsOn,
    dag: workspace.dag,
    startersOf: workspace.startersOf,
    setsVariable: workspace.setsVariable,
  };
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
