import type { WorkspaceFacts } from '../../core/lineage/facts/workspace-facts.ts';
import type { Pipeline, Task } from '../../core/pipeline/model/model.ts';
import type { PlannableTask } from '../../core/plan/model/plan-request.ts';
import { didYouMean } from '../../node/nearest-names.ts';
import { UsageError } from '../terminal/shell.ts';

/** Tasks that can be planned, and all that there are. */
export interface Findable {
  readonly tasks: readonly PlannableTask[];
  readonly facts: Pick<WorkspaceFacts, 'tasks'>;
}

/**
 * The task that somebody means by `dag.task`, a file's path, or a task name that is unique in the workspace. A DAG's
 * name means all of its tasks. Throws {@link UsageError} with the nearest names.
 */
export const findTasks = (words: readonly string[], workspace: Findable): readonly PlannableTask[] => [
  ...new Set(words.flatMap((word) => findOne(word, workspace))),
];

function findOne(word: string, { tasks, facts }: Findable): readonly PlannableTask[] {
  const exact = tasks.find(({ id }) => id === word || id === word.replace(/^\.\//, ''));
  if (exact !== undefined) return [exact];
  const byName = tasks.filter(({ id }) => id.endsWith(`.${word}`) || id.endsWith(`/${word}`));
  const [only] = byName;
  if (only !== undefined && byName.length === 1) return [only];
  if (byName.length > 1) {
    throw new UsageError(`${word} is the name of several tasks`, `say which: ${byName.map(({ id }) => id).join(', ')}`);
  }
  const ofPipeline = tasks.filter(({ id }) => id.startsWith(`${word}.`));
  if (ofPipeline.length > 0) return ofPipeline;
  const passing = facts.tasks.get(word) ?? [...facts.tasks.values()].find(({ task }) => task.name === word);
  if (passing !== undefined) throw onlyPassing(passing);
  const ids = tasks.map(({ id }) => id);
  const names = [...ids, ...ids.map((id) => id.split('.').at(-1) ?? id)];
  if (ids.length === 0)
    throw new UsageError(
      `there is no task ${word}`,
      'no pipeline was found below this folder; name it with --workspace',
    );
  throw new UsageError(`there is no task ${word}${didYouMean(word, names)}`, 'backfill show . lists the tasks');
}

/** It is in no plan: what is behind it follows what is before it. */
function onlyPassing({ task, pipeline }: { readonly task: Task; readonly pipeline: Pipeline }): UsageError {
  const behind = pipeline.edges.flatMap(({ from, to }) => (from === task.id ? [to] : []));
  return new UsageError(
    `${task.id} is one of ${task.operator}, which changes no data: it waits, marks, branches or starts something, so there is nothing to run again`,
    behind.length === 0 ? 'name a task that writes' : `name what is behind it: ${behind.join(', ')}`,
  );
}
