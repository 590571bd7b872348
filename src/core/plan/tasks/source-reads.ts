import type { DeclaredSource } from '../../lineage/facts/declared-sources.ts';
import type { ReadFact, TaskFacts } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import { makesSnapshots } from '../../lineage/tasks/snapshot-reads.ts';
import { taskStatements } from '../../lineage/writes/task-statements.ts';
import type { Task, TaskId } from '../../pipeline/model/model.ts';
import type { SourceRead } from '../model/plan-request.ts';

/** Finds the declared sources that a task reads as they are now; table names go through `names`. */
export function sourceReads(
  { sources }: Pick<WorkspaceFacts, 'sources'>,
  names: (table: string) => string,
  writersOf: (table: string) => readonly TaskId[],
): (task: Task, facts: Pick<TaskFacts, 'reads' | 'writes'>) => readonly SourceRead[] {
  const declared = new Map([...sources.values()].map((source) => [names(source.table), source]));
  if (declared.size === 0) return () => [];
  const tables = { same: (a: string, b: string) => names(a) === names(b) };
  return (task, { reads, writes }) => {
    const makes = ({ table, snapshots }: DeclaredSource): SourceRead['makes'] => {
      if (writes.some((write) => tables.same(write.table, table))) return 'source';
      if (snapshots === undefined) return undefined;
      return makesSnapshots(snapshots, taskStatements(task, 'UTC'), writes, tables) ? 'snapshots' : undefined;
    };
    return reads.flatMap(({ table, window }: ReadFact): readonly SourceRead[] => {
      const source = declared.get(names(table));
      return source === undefined ? [] : [{ source, window, writers: writersOf(table), makes: makes(source) }];
    });
  };
}
