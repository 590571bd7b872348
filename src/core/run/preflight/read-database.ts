import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { DatabaseDefinitions } from '../../pipeline/model/database-definitions.ts';
import type { Task } from '../../pipeline/model/model.ts';
import { oncePer } from '../../pipeline/workspace/memo.ts';
import { type NamedInSql, namedInSql } from '../../sql/calls/named-in-sql.ts';
import { readDefinitions } from '../../warehouse/catalog/read-definitions.ts';
import type { Warehouse } from '../../warehouse/port/ports.ts';
import type { RunsHere } from '../jobs/prepare-jobs.ts';
import { enterTransaction } from '../session/session-settings.ts';

/** The catalog answers at once, or a plan does without. */
const patience = { lock_timeout: '2s', statement_timeout: '5s', jit: 'off' } as const;

/** Everything that tasks name which may be a view or a routine of the database; `elsewhere` refuses those of others. */
export function namedInWorkspace({ tasks, tables }: WorkspaceFacts, elsewhere: RunsHere): NamedInSql {
  const relations = new Set<string>();
  const routines = new Set<string>();
  for (const { task } of tasks.values()) {
    const { executor } = task;
    if (executor.kind === 'warehouse' && elsewhere(executor.connection, executor.database) !== undefined) continue;
    const named = namedInTask(task);
    for (const name of named.relations) relations.add(name);
    for (const name of named.routines) routines.add(name);
  }
  for (const table of tables.keys()) if (!/[<{*]/.test(table)) relations.add(table);
  return { relations: [...relations], routines: [...routines] };
}

const namedInTask = oncePer(({ sql }: Task): NamedInSql => {
  const named = sql
    .filter(({ dialect }) => dialect === 'postgres')
    .map(({ masked, dialect, reading }) => namedInSql(masked, dialect, reading));
  return {
    relations: named.flatMap(({ relations }) => relations),
    routines: named.flatMap(({ routines }) => routines),
  };
});

/**
 * What the database has of what a workspace names, under the settings that the tasks run with. Reads the catalog only,
 * in one transaction that is rolled back. Throws {@link WarehouseError}.
 */
export async function readDatabase(
  warehouse: Warehouse,
  named: NamedInSql,
  settings: Readonly<Record<string, string>>,
): Promise<DatabaseDefinitions> {
  const session = await warehouse.connect('ledger');
  try {
    await session.query('begin isolation level read committed read only');
    await enterTransaction(session, settings, patience);
    const found = await readDefinitions(session, named);
    await session.query('rollback');
    return found;
  } finally {
    await session.close();
  }
}
