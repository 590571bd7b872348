import type { TaskFacts } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { DatabaseDefinitions, DatabaseRelation } from '../../pipeline/model/database-definitions.ts';
import type { Task, TaskSql } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import { callsInSql } from '../../sql/calls/calls-in-sql.ts';
import { ledgerSchema } from '../../sql/names/ledger-name.ts';
import type { UnmadeRead } from '../model/plan-request.ts';

/**
 * Finds what a task reads and nothing of the workspace makes: behind such a name may stand what the plan rewrites. Names
 * in schemas that no task writes to are sources for all that is known, and left out. `isWritten`: some task writes it.
 */
export function unmadeReads(
  { tables, sources, database, facts }: WorkspaceFacts,
  names: (table: string) => string,
  isWritten: (table: string) => boolean,
): (task: Task, own: TaskFacts) => readonly UnmadeRead[] {
  const declared = new Set([...sources.keys()].map(names));
  const schemas = new Set([...facts.values()].flatMap(({ writes }) => writes.map(({ table }) => schemaOf(table))));
  const isOpen = (table: string): boolean =>
    !isOfLedger(table) && !isWritten(table) && tables.get(table)?.createdAt === undefined && !declared.has(table);
  const ofDatabase = (name: string, known: DatabaseDefinitions): readonly UnmadeRead[] => {
    const relation = known.relations.get(name);
    if (relation?.kind !== 'materialized view') return [];
    return [{ name: relation.name, why: 'unrefreshed', over: [...basesOf(relation, known, new Set())] }];
  };
  return ({ sql, routines = [] }, { reads }) => {
    const found = new Map<string, UnmadeRead>();
    const add = (read: UnmadeRead): void => void found.set(read.name, read);
    for (const { table } of reads) {
      if (!isOpen(names(table))) continue;
      if (database !== undefined) ofDatabase(table, database).forEach(add);
      else if (schemas.has(schemaOf(table))) add({ name: table, why: 'unasked', over: [] });
    }
    for (const { name, isRead } of routines)
      if (!isRead && !isOfLedger(name)) add({ name: `${name}()`, why: 'unread', over: [] });
    if (database !== undefined) return [...found.values()];
    for (const name of sql.flatMap(qualifiedCalls)) {
      if (!isOfLedger(name) && schemas.has(schemaOf(name)) && !tables.has(names(name)))
        add({ name: `${name}()`, why: 'unasked', over: [] });
    }
    return [...found.values()];
  };
}

/** Names with a schema that stand before a bracket; those without are an engine's own for the most part. */
const qualifiedCalls = oncePer(({ masked, dialect }: TaskSql): readonly string[] =>
  dialect !== 'postgres' || !masked.text.includes('(')
    ? []
    : callsInSql(masked, dialect).flatMap(({ name }) => (name.includes('.') ? name : [])),
);

/** What joins a task to the ledger is no source of it. */
const isOfLedger = (name: string): boolean => schemaOf(name).toLowerCase() === ledgerSchema;

const schemaOf = (table: string): string => table.slice(0, Math.max(0, table.lastIndexOf('.')));

/** The tables that a view reads, through other views. */
function basesOf(
  { name, reads }: DatabaseRelation,
  known: DatabaseDefinitions,
  seen: Set<string>,
): ReadonlySet<string> {
  seen.add(name);
  const bases = new Set<string>();
  for (const read of reads) {
    const relation = known.relations.get(read);
    if (relation?.query === undefined) bases.add(read);
    else if (!seen.has(read)) for (const base of basesOf(relation, known, seen)) bases.add(base);
  }
  return bases;
}
