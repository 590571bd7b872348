import type { Task } from '../pipeline/model.ts';
import type { DeclaredFacts } from './declared-facts.ts';

/** Every table's name in the statements of a task, each time that it is written, in lower case. */
export const namedTables = (task: Task): readonly string[] =>
  task.sql.flatMap(({ reading }) =>
    reading.statements.flatMap(({ target, targets, reads, temporary }) => {
      if (temporary) return [];
      const written = target === undefined || targets.includes(target) ? targets : [target, ...targets];
      return [...written, ...reads].flatMap(({ name, templated }) => (templated ? [] : [name.toLowerCase()]));
    }),
  );

/** How many times each spelling of a table's name is used. */
export function spellings(named: Iterable<readonly string[]>, declared: DeclaredFacts): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const names of named) names.forEach(count);
  for (const { reads, writes } of declared.values())
    for (const { table } of [...reads, ...writes]) count(table.toLowerCase());
  return counts;
}
