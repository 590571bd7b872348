import type { Task } from '../../pipeline/model/model.ts';
import { lastNamePart } from '../../sql/model/name-parts.ts';
import type { DeclaredFacts } from '../facts/declared-facts.ts';
import type { DeclaredSources } from '../facts/declared-sources.ts';
import { accessedTable } from '../tasks/access-facts.ts';
import { tableName } from '../writes/table-of-statement.ts';
import { taskStatements } from '../writes/task-statements.ts';

/** A table's name as a task writes it. */
export interface NamedTable {
  /** Capitals in it are those of quotes. */
  readonly name: string;
  /** Set where the engine takes a quoted name as it stands, so that one in other letters is another table. */
  readonly exact: boolean;
}

/** Every table's name in the statements and calls of a task, each time that it is written. */
export const namedTables = (task: Task): readonly NamedTable[] => [
  ...taskStatements(task, 'UTC').flatMap((item) => {
    const { target, targets, reads, temporary } = item.statement;
    if (temporary) return [];
    const written = target === undefined || targets.includes(target) ? targets : [target, ...targets];
    const exact = item.sql.dialect === 'postgres';
    return [...written, ...reads].flatMap((table) => {
      const name = tableName(table, item);
      return name === undefined ? [] : { name: exact ? name : name.toLowerCase(), exact };
    });
  }),
  // Whether a call puts the name into quotes is the library's matter.
  ...task.accesses.flatMap((access) => {
    const name = accessedTable(access);
    return name === undefined ? [] : { name, exact: false };
  }),
];

export interface Spellings {
  /** How many times each spelling of a table's name is used. */
  readonly counts: ReadonlyMap<string, number>;
  /** Names that are told from others by their capitals: `shop."Orders"` beside `shop.orders`. */
  readonly apart: ReadonlySet<string>;
}

/** `stored`: the tables that the database is known to have, as it has their names. */
export function spellings(
  named: readonly (readonly NamedTable[])[],
  declared: DeclaredFacts,
  sources: DeclaredSources,
  stored: readonly string[],
): Spellings {
  const written = named.flat();
  const apart = toldApart(written, stored);
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const folded = (name: string): string => (apart.has(name) ? name : name.toLowerCase());
  for (const { name, exact } of written) count(exact ? folded(name) : name);
  for (const { reads, writes } of declared.values())
    for (const { table } of [...reads, ...writes]) count(folded(table));
  for (const { table, snapshots } of sources.values()) {
    count(table);
    if (snapshots !== undefined && !snapshots.table.includes('{')) count(snapshots.table.toLowerCase());
  }
  return { counts, apart };
}

/** Names with capitals beside which another one differs in nothing else, or in its schema being left out. */
function toldApart(written: readonly NamedTable[], stored: readonly string[]): ReadonlySet<string> {
  const capitals = new Set(written.flatMap(({ name, exact }) => (exact && name !== name.toLowerCase() ? name : [])));
  if (capitals.size === 0) return capitals;
  const certain = written.flatMap(({ name, exact }) => (exact || name === name.toLowerCase() ? name : []));
  const byEnd = new Map<string, Set<string>>();
  for (const name of [...certain, ...stored]) {
    const end = lastNamePart(name).toLowerCase();
    byEnd.set(end, (byEnd.get(end) ?? new Set()).add(name));
  }
  const differs = (name: string, other: string): boolean => {
    const [a, b] = [name.toLowerCase(), other.toLowerCase()];
    if (a === b) return name !== other;
    if (a.endsWith(`.${b}`)) return !name.endsWith(`.${other}`);
    return b.endsWith(`.${a}`) && !other.endsWith(`.${name}`);
  };
  const others = (name: string) => [...(byEnd.get(lastNamePart(name).toLowerCase()) ?? [])];
  return new Set([...capitals].filter((name) => others(name).some((other) => differs(name, other))));
}
