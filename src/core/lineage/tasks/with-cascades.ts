import type { WriteFact } from '../facts/facts.ts';
import type { TaskStatement } from '../writes/task-statements.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

/**
 * `TRUNCATE a CASCADE` empties what refers to `a` by foreign keys as if it were named: a refresh that the same run fills
 * again behind it is then read as one. Which tables those are only the database says.
 */
export const withCascades = (
  statements: readonly TaskStatement[],
  { emptiedWith }: KnownTablesOfWorkspace,
): readonly TaskStatement[] =>
  statements.map((item) => {
    const { kind, targets, head, end } = item.statement;
    if (kind !== 'truncate' || !/\bcascade\s*;?\s*$/i.test(item.context.text.slice(head.start, end))) return item;
    const named = new Set(targets.map(({ name }) => name));
    const reached = new Map(
      targets.flatMap((target) =>
        emptiedWith(target.name)
          .filter((name) => !named.has(name))
          .map((name) => [name, { ...target, name, templated: false }] as const),
      ),
    );
    if (reached.size === 0) return item;
    const statement = { ...item.statement, targets: [...targets, ...reached.values()] };
    return { ...item, statement, cascadesTo: new Set(reached.keys()) };
  });

/** Writes with those marked that nothing but a cascade does. */
export function markedCascades(
  writes: readonly WriteFact[],
  statements: readonly TaskStatement[],
  { same }: KnownTablesOfWorkspace,
): readonly WriteFact[] {
  const reached = [...new Set(statements.flatMap(({ cascadesTo = [] }) => [...cascadesTo]))];
  if (reached.length === 0) return writes;
  const named = statements.flatMap(({ statement: { target, targets }, cascadesTo }) =>
    [...targets, ...(target === undefined ? [] : [target])].flatMap(({ name }) =>
      cascadesTo?.has(name) === true ? [] : [name],
    ),
  );
  const among = (names: readonly string[], table: string): boolean => names.some((name) => same(name, table));
  return writes.map((write) =>
    write.empties === true && among(reached, write.table) && !among(named, write.table)
      ? { ...write, cascaded: true }
      : write,
  );
}
