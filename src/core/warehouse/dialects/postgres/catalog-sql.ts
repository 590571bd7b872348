import { computedFrom, surrogateDefault } from './default-sql.ts';

/** Objects with lower oids are the server's own. */
export const firstUserOid = 16384;

/** The relation that each of the names in $1 stands for, in their order. */
const ofNames = `  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.oid = case when pg_catalog.cardinality(asked.parts) <= 2
    or pg_catalog.cardinality(asked.parts) = 3 and asked.parts[1] = pg_catalog.current_database()
    then pg_catalog.to_regclass(asked.name) end
)
from (
  select a.name, a.n, pg_catalog.parse_ident(a.name) as parts
  from pg_catalog.unnest($1::pg_catalog.text[]) with ordinality a(name, n)
) asked order by asked.n`;

/**
 * Everything about the named tables in one statement: $1 is an array of quoted names, the result one JSON document a
 * name, in the order given, null where no such relation is visible, or the name is of another database: asking for such a
 * one is an error of the server.
 */
export const describeTablesSql = `
select (
  select pg_catalog.json_build_object(
    'oid', c.oid::pg_catalog.text, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
    'rowSecurity', c.relrowsecurity, 'populated', c.relispopulated, 'readable', pg_catalog.has_table_privilege(c.oid, 'SELECT'),
    'triggers', exists (select from pg_catalog.pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal),
    'storage', (
      with recursive below(oid) as (
        select c.oid union select i.inhrelid from pg_catalog.pg_inherits i join below b on i.inhparent = b.oid
      ) select pg_catalog.json_agg(b.oid::pg_catalog.text) from below b
    ),
    'keys', coalesce((
      select pg_catalog.json_agg((
        select pg_catalog.json_agg(a.attname order by k.n)
        from pg_catalog.unnest(i.indkey::pg_catalog.int2[]) with ordinality k(attnum, n)
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
        where k.n <= i.indnkeyatts
      ) order by not i.indisprimary, i.indexrelid)
      from pg_catalog.pg_index i
      where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
        and not exists (
          select from pg_catalog.unnest(i.indkey::pg_catalog.int2[]) with ordinality k(attnum, n)
          join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
          where k.n <= i.indnkeyatts and not a.attnotnull)
    ), '[]'),
    'columns', (
      select pg_catalog.json_agg(pg_catalog.json_build_object(
        'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, a.atttypmod), 'typeOid', a.atttypid::pg_catalog.text,
        'notNull', a.attnotnull, 'surrogate', a.attgenerated = '' and (a.attidentity <> '' or (${surrogateDefault('a')})),
        'computedFrom', (${computedFrom('a')})) order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ))
${ofNames}`;

/** Of each name only what names a table: schema, name, and its columns with their types. As {@link describeTablesSql}. */
export const identifyTablesSql = `
select (
  select pg_catalog.json_build_object('schema', n.nspname, 'name', c.relname, 'columns', (
    select pg_catalog.json_agg(pg_catalog.json_build_array(a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)) order by a.attnum)
    from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))
${ofNames}`;

/** Rows of the tables with these oids together, as the last ANALYZE or VACUUM left it: $1 is an array of oids. */
export const estimatedRowsSql = `
select coalesce(sum(c.reltuples) filter (where c.reltuples > 0), 0)::bigint
from pg_catalog.pg_class c where c.oid = any($1::pg_catalog.oid[])`;

/** How many bytes one pass over tables reads; null where one of them is none of the server's own, so that a pass may cost anything. */
export const passBytesSql = `
select case when pg_catalog.bool_and(c.relkind in ('r', 'p', 'm')) then pg_catalog.sum(pg_catalog.pg_relation_size(c.oid)) end
from pg_catalog.pg_class c where c.oid = any($1::pg_catalog.oid[])`;

/** The types with these oids and all that they are made of: $1 is an array of oids; one JSON array of types. */
export const describeTypesSql = `
with recursive seen(oid) as (
  select pg_catalog.unnest($1::pg_catalog.oid[])
  union
  select part.oid from seen s join pg_catalog.pg_type t on t.oid = s.oid,
  lateral (
    select t.typbasetype where t.typbasetype <> 0
    union all select t.typelem where t.typelem <> 0
    union all select a.atttypid from pg_catalog.pg_attribute a
      where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ) part(oid)
)
select coalesce(pg_catalog.json_agg(pg_catalog.json_build_object(
  'oid', t.oid::pg_catalog.text, 'name', pg_catalog.format_type(t.oid, null), 'short', t.typname, 'kind', t.typtype,
  'category', t.typcategory, 'base', t.typbasetype::pg_catalog.text, 'element', t.typelem::pg_catalog.text,
  'array', t.typcategory = 'A' and t.typelem <> 0, 'sendable', t.typsend <> 0, 'builtIn', t.oid < 16384,
  'fields', (
    select pg_catalog.json_agg(pg_catalog.json_build_object('name', a.attname, 'typeOid', a.atttypid::pg_catalog.text)
      order by a.attnum)
    from pg_catalog.pg_attribute a
    where t.typtype = 'c' and a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ))), '[]')
from seen join pg_catalog.pg_type t on t.oid = seen.oid`;

/**
 * The file of each table with a name out of $1 (JSON), and of each that this transaction has to itself so far: TRUNCATE
 * gives a table another file, and so does what writes all its rows anew.
 */
export const tableFilesSql = `
select pg_catalog.json_object_agg(f.oid, coalesce(pg_catalog.pg_relation_filenode(f.oid)::text, '')) from (
select c.oid from pg_catalog.json_array_elements_text($1::json) w(word)
  join pg_catalog.pg_class c on c.relname = w.word and c.relkind in ('r', 'p')
union select l.relation from pg_catalog.pg_locks l
where l.locktype = 'relation' and l.pid = pg_catalog.pg_backend_pid() and l.granted and l.mode = 'AccessExclusiveLock'
  and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())) f`;
