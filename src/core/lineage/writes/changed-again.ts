import type { CalledRoutine } from '../../pipeline/model/model.ts';
import type { SqlExpression } from '../../sql/model/expression.ts';
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
  for (const { statement, sql, calls } of items) {
    if (['truncate', 'create_table', 'create_table_as'].includes(statement.kind)) return undefined;
    if (statement.kind === 'delete' && !isRetentionDelete(statement)) return undefined;
    const { target, targetAlias } = statement;
    const isSame = (name: string) => target !== undefined && sameName(name, target.name);
    const additions = selfAdditions(statement, {
      isTarget: (word) => (targetAlias === undefined ? isSame(word) : word === targetAlias),
      isSame: ({ name }) => isSame(name),
      returned: (call) => returnedBy(call, calls),
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

/** What a routine of the database gives back for a call: each query of one value in its body, with the call's own arguments. */
const returnedBy = (
  { name, start, end }: SqlExpression & { readonly kind: 'call' },
  calls: readonly CalledRoutine[],
): readonly SqlExpression[] =>
  calls
    .filter((call) => call.name === name && start <= call.at && call.at < end)
    .flatMap(({ sql }) => sql.reading.statements.flatMap((one) => (one.body.length > 0 ? one.body : [one])))
    .flatMap(({ kind, query, start: from, end: to }) =>
      kind === 'select' && query?.select.length === 1 && query.then.length === 0
        ? [{ kind: 'subquery', query, start: from, end: to } as const]
        : [],
    );

/** One of the names may lack its schema. */
const sameName = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
