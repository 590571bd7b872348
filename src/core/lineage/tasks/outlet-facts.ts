import type { Task } from '../../pipeline/model/model.ts';
import type { Sourced } from '../../pipeline/model/sourced.ts';
import type { ReadFact, WriteFact } from '../facts/facts.ts';
import type { KnownTablesOfWorkspace } from './workspace-tables.ts';

/** Tables that a task says it produces by its outlets; assets that name no table of the workspace only give order. */
export const outletWrites = (task: Task, tables: KnownTablesOfWorkspace): readonly WriteFact[] =>
  named(task.outlets, tables).map(({ table, at }) => ({
    table,
    slice: { kind: 'unknown', reason: 'an outlet says no rows' },
    mode: 'unknown',
    key: [],
    provenance: 'outlet',
    at,
  }));

/** Tables that a task says it needs by its inlets. */
export const inletReads = (task: Task, tables: KnownTablesOfWorkspace): readonly ReadFact[] =>
  named(task.inlets, tables).map(({ table, at }) => ({
    table,
    window: { kind: 'unknown', reason: 'an inlet says no range', at },
    provenance: 'outlet',
    at,
  }));

const named = (assets: readonly Sourced<string>[], tables: KnownTablesOfWorkspace) =>
  assets.flatMap(({ value, at }) => {
    const table = namesOfAsset(value).find((name) => isKnown(name, tables));
    return table === undefined ? [] : [{ table, at }];
  });

const isKnown = (table: string, tables: KnownTablesOfWorkspace): boolean =>
  tables.columnsOf(table) !== undefined || tables.slicedBy(table).length > 0;

/**
 * Names that an asset may mean, the longest first: `postgres://host/db/schema/table`, `bigquery://project/set/table`,
 * or the plain name of a table. A schema is never left away, so that no other table is meant.
 */
function namesOfAsset(asset: string): readonly string[] {
  const uri = /^([a-z][a-z0-9+.-]*):\/\/([^?#]*)/i.exec(asset);
  if (uri === null) return /^[\w$.-]+$/.test(asset) ? [asset.toLowerCase()] : [];
  const [scheme = '', rest = ''] = uri.slice(1);
  const parts = rest.toLowerCase().split('/').filter(Boolean);
  // What stands behind the scheme is a host, except where it is the project.
  const path = /^(bigquery|bq)$/i.test(scheme) ? parts : parts.slice(1);
  return path.length < 2 || path.length > 3 ? [] : [path.join('.'), path.slice(-2).join('.')];
}
