import { argumentAt } from '../program/arguments.ts';
import type { SentSql, TaskBuilder } from '../program/program.ts';
import { shellSql } from './shell-sql.ts';

/** The SQL that a shell task sends, when its command is known to do nothing else. */
export function shellSent(task: TaskBuilder): SentSql[] | undefined {
  const command = task.operator === 'BashOperator' ? argumentAt(task, 'bash_command')?.value : undefined;
  const found = command?.kind === 'text' ? shellSql(command) : undefined;
  return found?.texts.map((text, index) => ({
    text,
    call: task.made,
    client: found.engine,
    connection: undefined,
    settings: [],
    session: found.apart ? index : 0,
    conditions: [],
    commits: 0,
    byRow: false,
  }));
}
