import type { Task } from '../../pipeline/model/model.ts';
import type { DeclaredFacts } from '../facts/declared-facts.ts';
import type { DeclaredSources } from '../facts/declared-sources.ts';
import { accessedTable } from '../tasks/access-facts.ts';
import { tableName } from '../writes/table-of-statement.ts';
import { taskStatements } from '../writes/task-statements.ts';

/** Every table's name in the statements and calls of a task, each time that it is written, in lower case. */
export const namedTables = (task: Task): readonly string[] => [
  ...taskStatements(task, 'UTC').flatMap((item) => {
    const { target, targets, reads, temporary } = item.statement;
    if (temporary) return [];
    const written = target === undefined || targets.includes(target) ? targets : [target, ...targets];
    return [...written, ...reads].flatMap((table) => tableName(table, item)?.toLowerCase() ?? []);
  }),
  ...task.accesses.flatMap((access) => accessedTable(access) ?? []),
];

/** How many times each spelling of a table's name is used. */
export function spellings(
  named: Iterable<readonly string[]>,
  declared: DeclaredFacts,
  sources: DeclaredSources,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const names of named) names.forEach(count);
  for (const { reads, writes } of declared.values())
    for (const { table } of [...reads, ...writes]) count(table.toLowerCase());
  for (const { table, snapshots } of sources.values()) {
    count(table);
    if (snapshots !== undefined && !snapshots.table.includes('{')) count(snapshots.table.toLowerCase());
  }
  return counts;
}
