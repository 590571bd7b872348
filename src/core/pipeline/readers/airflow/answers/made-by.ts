import { escapePattern } from '../../../../text/escape-pattern.ts';
import type { Task } from '../../../model/model.ts';
import type { SerializedTask } from './airflow-answer.ts';

/**
 * Which place of the file makes a task that only Airflow knows by name: `task_id=f"copy_{table}"` is read as one task
 * `copy_{table}` and becomes `copy_a`, `copy_b`. By the id of the real task.
 */
export function madeBy(read: readonly Task[], real: readonly SerializedTask[]): ReadonlyMap<string, Task> {
  const templates = read.flatMap((task) => {
    const matches = nameMatcher(task);
    return matches === undefined ? [] : [{ task, matches }];
  });
  return new Map(
    real.flatMap((made) => {
      const found = templates.find(({ matches }) => matches(made));
      return found === undefined ? [] : [[made.id, found.task]];
    }),
  );
}

/** `undefined` for a task whose name is known. */
function nameMatcher({ name, operator }: Task): ((made: SerializedTask) => boolean) | undefined {
  if (/\{.*\}/.test(name)) {
    const pattern = new RegExp(
      `^${name
        .split(/\{[^{}]*\}/)
        .map(escapePattern)
        .join('.+')}$`,
    );
    return ({ id }) => pattern.test(id);
  }
  // A task whose name is not known at all is shown under that of its class.
  const nameless = /^(.*\.)?([^.]+?)(?:__\d+)?$/.exec(name);
  if (nameless?.[2] !== operator) return undefined;
  return (made) => made.operator === operator && made.id.startsWith(nameless[1] ?? '');
}
