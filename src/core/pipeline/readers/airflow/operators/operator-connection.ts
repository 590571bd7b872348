import { plainText } from '../../../python/values/text-value.ts';
import type { Keyword } from '../../../python/values/value.ts';
import { type TaskBuilder, taskArgument } from '../program/program.ts';
import type { SqlArgument } from './sql-operator.ts';

export const connectionArgument = (task: TaskBuilder, argument: SqlArgument): Keyword | undefined =>
  taskArgument(task, argument.connection) ?? taskArgument(task, 'conn_id');

/** The connection id, when it is a constant: it is a template field of newer operators. */
export function connectionOf(task: TaskBuilder, argument: SqlArgument): string | undefined {
  const given = connectionArgument(task, argument);
  if (given === undefined) return argument.defaultConnection;
  const text = plainText(given.value);
  return text?.includes('{{') ? undefined : text;
}
