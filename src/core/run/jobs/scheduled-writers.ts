import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { namesOfWorkspace } from '../../lineage/workspace/names-of-workspace.ts';
import type { Task, TaskId } from '../../pipeline/model/model.ts';
import { guardPart } from '../../sql/names/slice-guard.ts';

/**
 * Tasks that write a table when their scheduler says so, without knowing of the ledger and its locks: only a lock on the
 * whole table keeps them out while a unit runs. A task that was made safe takes the same locks as a unit.
 */
export function scheduledWriters(facts: WorkspaceFacts, table: string): readonly TaskId[] {
  return (facts.tables.get(namesOfWorkspace(facts)(table))?.writers ?? []).filter((id) => {
    const writer = facts.tasks.get(id);
    if (writer === undefined) return false;
    const { kind } = writer.pipeline.schedule.value;
    return kind !== 'none' && kind !== 'once' && !isGuarded(writer.task);
  });
}

const isGuarded = ({ sql }: Task): boolean =>
  sql.some(({ masked, reading }) =>
    reading.statements.some((statement) => guardPart(masked.text, statement) === 'begin'),
  );
