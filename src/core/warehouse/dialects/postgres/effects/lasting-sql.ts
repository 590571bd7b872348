import { ledgerSchema } from '../ledger/ledger-schema-sql.ts';
import { qualifiedSql } from '../quote.ts';

/** Relations that a server makes for itself have lower oids. */
const firstOwnOid = 16_384;

const counted = (oid: string): string =>
  ['inserted', 'updated', 'deleted'].map((what) => `pg_catalog.pg_stat_get_xact_tuples_${what}(${oid})`).join(', ');

const catalogs = `pg_catalog.pg_class c where c.oid < ${firstOwnOid} and c.relkind = 'r'`;

/**
 * Rows of the system's catalogs that this session has written and not yet reported, as an expression: it grows with each
 * change of a definition, a right, a comment, a role or a large object, whatever made it, and by nothing else.
 */
export const catalogWritesSql = `(select coalesce(sum(w.i + w.u + w.d), 0)::text from (select ${counted('c.oid')} from ${catalogs}) w(i, u, d))`;

/** The same by catalog, as it is counted in a position: oid, name, rows inserted, updated, deleted. */
export const writtenCatalogsSql = `
select w.* from (select c.oid, c.relname, ${counted('c.oid')} from ${catalogs}) w(oid, name, i, u, d)
where w.i + w.u + w.d > 0`;

/** Names of the session's own temporary schema and of that of its long values. */
const temporary = `
temporary(oid) as (select n.oid from pg_catalog.pg_namespace n, pg_catalog.pg_namespace own
  where own.oid = pg_catalog.pg_my_temp_schema()
    and n.nspname in (own.nspname, pg_catalog.replace(own.nspname, 'pg_temp_', 'pg_toast_temp_'))),
relations(oid) as (select c.oid from pg_catalog.pg_class c join temporary t on t.oid = c.relnamespace)`;

const inRelations = (column: string): string => `${column} in (select oid from relations)`;
const isOfTemporary = (classId: string, column = 'x.objid'): string =>
  Object.entries({
    pg_class: inRelations(column),
    pg_type: `exists (select from pg_catalog.pg_type y join temporary t on t.oid = y.typnamespace where y.oid = ${column})`,
    pg_attrdef: `exists (select from pg_catalog.pg_attrdef y join relations r on r.oid = y.adrelid where y.oid = ${column})`,
    pg_constraint: `exists (select from pg_catalog.pg_constraint y join relations r on r.oid = y.conrelid where y.oid = ${column})`,
    pg_rewrite: `exists (select from pg_catalog.pg_rewrite y join relations r on r.oid = y.ev_class where y.oid = ${column})`,
  })
    .map(([name, condition]) => `${classId} = 'pg_catalog.${name}'::pg_catalog.regclass and ${condition}`)
    .join(' or ');

/** Catalogs whose rows tell whether they are about a temporary object, and how; what is said in any other one lasts. */
const temporaryRows: Readonly<Record<string, string>> = {
  pg_class: 'x.relnamespace in (select oid from temporary)',
  pg_type: 'x.typnamespace in (select oid from temporary)',
  pg_namespace: 'x.oid in (select oid from temporary)',
  pg_attribute: inRelations('x.attrelid'),
  pg_attrdef: inRelations('x.adrelid'),
  pg_constraint: inRelations('x.conrelid'),
  pg_index: inRelations('x.indexrelid'),
  pg_inherits: inRelations('x.inhrelid'),
  pg_partitioned_table: inRelations('x.partrelid'),
  pg_rewrite: inRelations('x.ev_class'),
  pg_sequence: inRelations('x.seqrelid'),
  pg_description: `(${isOfTemporary('x.classoid', 'x.objoid')})`,
  pg_statistic: inRelations('x.starelid'),
  pg_depend: isOfTemporary('x.classid'),
  pg_shdepend:
    '(x.dbid = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())) ' +
    `and (${isOfTemporary('x.classid')})`,
};

/** What ANALYZE writes, and nothing that defines. */
export const isOfStatistics = (catalog: string): boolean => /^pg_statistic(?:_ext_data)?$/.test(catalog);

export const mayBeTemporary = (catalog: string): boolean => Object.hasOwn(temporaryRows, catalog);

/** A row version that this transaction made since `ownAge` and that no rollback to a savepoint has ended. */
export const isOwn = (xmin: string, ownAge: string): string =>
  `pg_catalog.age(${xmin}) <= ${ownAge} and ` +
  `pg_catalog.txid_status((pg_catalog.txid_current() >> 32 << 32) | ${xmin}::text::bigint) = 'in progress'`;

/**
 * For each of the catalogs: its name, how many of the rows that this transaction has made since `ownAge` are there, and
 * how many of them are neither about a temporary object nor the row of a relation among `files` (oids, as SQL).
 */
export const ownCatalogRowsSql = (names: readonly string[], ownAge: string, files: string): string =>
  `with recursive ${temporary}\n${names
    .map((name) => {
      const kept = name === 'pg_class' ? ` and not (x.oid = any(${files}))` : '';
      return (
        `select '${name}', count(*), count(*) filter (where (${temporaryRows[name]}) is not true${kept}), ` +
        `count(*) filter (where ${name === 'pg_class' ? `x.oid = any(${files})` : 'false'}) ` +
        `from pg_catalog.${name} x where ${isOwn('x.xmin', ownAge)}`
      );
    })
    .join('\nunion all ')}`;

/** Whether a part of this transaction was rolled back since `ownAge`: what it had counted stays counted. */
export const rolledBackSql = (ownAge: string, most: number): string => `
select case when s.last - s.first > ${most} then true
  else exists (select from pg_catalog.generate_series(s.first, s.last) x(id) where pg_catalog.txid_status(x.id) = 'aborted') end
from (select pg_catalog.txid_current() - (${ownAge}), pg_catalog.txid_snapshot_xmax(pg_catalog.txid_current_snapshot()) - 1) s(first, last)`;

/** Lasting relations that this transaction has made or altered since `ownAge`, without those of a made table. */
export const ownRelationsSql = (ownAge: string, most: number): string => `
with own as (select c.oid, c.relname, c.relkind, n.nspname from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where ${isOwn('c.xmin', ownAge)} and c.relpersistence <> 't' and n.nspname not in ('pg_toast', '${ledgerSchema}'))
select ${qualifiedSql('nspname', 'relname')}, count(*) over () from own
where relkind not in ('i', 'I') or not exists (select from pg_catalog.pg_index i join own t on t.oid = i.indrelid where i.indexrelid = own.oid)
order by 1 limit ${most}`;

/**
 * $1: oids of tables. These with their indexes and the tables of their long values, as oids, and all that the catalog
 * says of each but for the file that its rows are in: TRUNCATE changes nothing else.
 */
export const familyFilesSql = `
with recursive files(oid) as (
  select pg_catalog.unnest($1::pg_catalog.oid[])
  union
  select part.oid from files f, lateral (
    select i.indexrelid from pg_catalog.pg_index i where i.indrelid = f.oid
    union all select c.reltoastrelid from pg_catalog.pg_class c where c.oid = f.oid and c.reltoastrelid <> 0
  ) part(oid))
select pg_catalog.array_agg(c.oid order by c.oid)::text, pg_catalog.md5(pg_catalog.string_agg((pg_catalog.to_jsonb(c)
    - '{relfilenode,relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid}'::text[])::text, ',' order by c.oid))
from files f join pg_catalog.pg_class c on c.oid = f.oid`;

/** Words after which a text may send a notification or a message of the log, or run a text that nobody has read. */
export const tellingWords = '(notify|pg_notify|pg_logical_emit_message|execute)';

const telling = (text: string): string => String.raw`${text} ~* '\m${tellingWords}\M'`;

/**
 * $1: words of the task's statements as JSON. Whether a function that they name, or that a table or view which this transaction has looked
 * at calls, may send a notification: notifications are kept in memory until the commit, and nothing counts them.
 */
export const mayNotifySql = `
with recursive held(oid) as (
  select distinct l.relation from pg_catalog.pg_locks l
  where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid() and l.relation >= ${firstOwnOid}
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())),
parts(class, oid) as (
  select 'pg_catalog.pg_rewrite'::pg_catalog.regclass, r.oid from pg_catalog.pg_rewrite r join held h on h.oid = r.ev_class
  union all select 'pg_catalog.pg_attrdef'::pg_catalog.regclass, a.oid from pg_catalog.pg_attrdef a join held h on h.oid = a.adrelid
  union all select 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid from pg_catalog.pg_constraint k
    where k.contypid <> 0 or exists (select from held h where h.oid = k.conrelid)
  union all select 'pg_catalog.pg_policy'::pg_catalog.regclass, y.oid from pg_catalog.pg_policy y join held h on h.oid = y.polrelid
  union all select 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid from pg_catalog.pg_index i join held h on h.oid = i.indrelid
  union all select 'pg_catalog.pg_cast'::pg_catalog.regclass, c.oid from pg_catalog.pg_cast c where c.oid >= ${firstOwnOid}
  union all select 'pg_catalog.pg_operator'::pg_catalog.regclass, o.oid from pg_catalog.pg_operator o where o.oid >= ${firstOwnOid}),
reached(oid) as (
  select p.oid from pg_catalog.json_array_elements_text($1::json) w(word)
    join pg_catalog.pg_proc p on p.proname = w.word and p.oid >= ${firstOwnOid}
  union select t.tgfoid from pg_catalog.pg_trigger t join held h on h.oid = t.tgrelid where not t.tgisinternal
  union select d.refobjid from parts p join pg_catalog.pg_depend d on d.classid = p.class and d.objid = p.oid
    where d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  union select k.oid from reached r join pg_catalog.pg_proc f on f.oid = r.oid
    join pg_catalog.pg_proc k on k.oid >= ${firstOwnOid} and (
      pg_catalog.strpos(pg_catalog.lower(f.prosrc), pg_catalog.lower(k.proname)) > 0
      or exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = f.oid
        and d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.refobjid = k.oid)))
select exists (
  select from reached r join pg_catalog.pg_proc p on p.oid = r.oid join pg_catalog.pg_language l on l.oid = p.prolang
  where p.oid >= ${firstOwnOid} and case
    when l.lanname in ('sql', 'plpgsql') then ${telling("case when p.prokind = 'a' then '' else pg_catalog.pg_get_functiondef(p.oid) end")}
    else l.lanname <> 'internal' and p.prokind <> 'a' and not exists (select from pg_catalog.pg_depend d
      where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e') end)
  or exists (select from pg_catalog.pg_rewrite r join held h on h.oid = r.ev_class
    where ${telling('pg_catalog.pg_get_ruledef(r.oid)')})`;
