import { locate } from '../../text/mapped-text.ts';
import type { WriteFact } from '../facts/facts.ts';
import { isJournalName, isRevisionCounter, isStagingName } from '../facts/table-roles.ts';
import { isRetentionDelete } from './retention-delete.ts';
import { selfAdditions } from './self-additions.ts';
import type { TaskStatement } from './task-statements.ts';

/**
 * The first column of a table that the statements of a task make from its old value, so that a second run of an interval
 * makes it anew. Not where they empty the table or set the column before, where rows that were counted are left out, and not
 * for what is meant to tell how often something ran.
 */
export function changedAgain(table: string, items: readonly TaskStatement[]): WriteFact['again'] {
  if (isJournalName(table) || isStagingName(table)) return undefined;
  const set = new Set<string>();
  for (const { statement, sql } of items) {
    if (['truncate', 'create_table', 'create_table_as'].includes(statement.kind)) return undefined;
    if (statement.kind === 'delete' && !isRetentionDelete(statement)) return undefined;
    const { target, targetAlias } = statement;
    const isSame = (name: string) => target !== undefined && sameName(name, target.name);
    const additions = selfAdditions(statement, {
      isTarget: (word) => (targetAlias === undefined ? isSame(word) : word === targetAlias),
      isSame: ({ name }) => isSame(name),
    });
    const found = additions.find(
      ({ assignment: { column }, guarded }) => !guarded && !isRevisionCounter(column) && !set.has(column),
    );
    if (found !== undefined) {
      const { assignment, adds } = found;
      return { column: assignment.column, adds, at: locate(sql.source, assignment) };
    }
    if (statement.kind !== 'update') continue;
    for (const assignment of statement.assignments)
      if (additions.every((one) => one.assignment !== assignment)) set.add(assignment.column);
  }
  return undefined;
}

/** One of the names may lack its schema. */
const sameName = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
