import type { Task } from '../pipeline/model.ts';
import { accessWrites, withAccessWrites } from './access-facts.ts';
import { outletWrites } from './outlet-facts.ts';
import type { KnownTablesOfWorkspace } from './task-facts.ts';
import type { TaskStatement } from './task-statements.ts';
import { type TaskWrites, taskWrites } from './task-writes.ts';

/** What a task writes by its SQL, by calls and by its outlets, before what a person declared. */
export function foundWrites(
  task: Task,
  statements: readonly TaskStatement[],
  tables: KnownTablesOfWorkspace,
): TaskWrites {
  const { writes: inSql, internal } = taskWrites(statements, tables);
  const writes = withAccessWrites(inSql, accessWrites(task, tables), tables.same);
  const isWritten = (table: string): boolean => writes.some((write) => tables.same(write.table, table));
  return { writes: [...writes, ...outletWrites(task, tables).filter(({ table }) => !isWritten(table))], internal };
}
