import { oncePer } from '../../pipeline/workspace/memo.ts';
import type { WorkspaceFacts } from '../facts/workspace-facts.ts';
import { databaseName } from './database-tables.ts';
import { type TableNames, tableNames } from './find-table.ts';

/** The keys of `tables` by any spelling: `orders`, `"Shop"."Orders"`, and what the database takes a name for where it was asked. */
export const namesOfWorkspace = oncePer(
  ({ tables, database }: WorkspaceFacts): TableNames =>
    tableNames(tables.keys(), database === undefined ? undefined : databaseName(database)),
);
