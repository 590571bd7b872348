import { ledgerSchema } from './ledger-schema-sql.ts';

/** Whether the ledger has the table and this role may read it, without making one; no row: there is none. */
export const readableLedgerSql = (table: 'claims' | 'versions' | 'observations'): string => `
select coalesce(pg_catalog.has_table_privilege(c.oid, 'SELECT'), false)
  and pg_catalog.has_schema_privilege(n.oid, 'USAGE')
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = '${ledgerSchema}' and c.relname = '${table}'`;
