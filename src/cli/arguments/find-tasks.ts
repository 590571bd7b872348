import type { PlannableTask } from '../../core/plan/model/plan-request.ts';
import { didYouMean } from '../../node/nearest-names.ts';
import { UsageError } from '../terminal/shell.ts';

/**
 * The task that somebody means by `dag.task`, a file's path, or a task name that is unique in the workspace. A DAG's
 * name means all of its tasks. Throws {@link UsageError} with the nearest names.
 */
export function findTasks(words: readonly string[], tasks: readonly PlannableTask[]): readonly PlannableTask[] {
  return [...new Set(words.flatMap((word) => findOne(word, tasks)))];
}

function findOne(word: string, tasks: readonly PlannableTask[]): readonly PlannableTask[] {
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
  const ids = tasks.map(({ id }) => id);
  const names = [...ids, ...ids.map((id) => id.split('.').at(-1) ?? id)];
  if (ids.length === 0)
    throw new UsageError(
      `there is no task ${word}`,
      'no pipeline was found below this folder; name it with --workspace',
    );
  throw new UsageError(`there is no task ${word}${didYouMean(word, names)}`, 'backfill show . lists the tasks');
}
