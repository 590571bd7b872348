import { qualifiedSql } from '../quote.ts';
import { isOwn } from './lasting-sql.ts';

/** All of a catalog's row but what is another one of an object that is made again just so. */
const state = (row: string, ...other: readonly string[]): string =>
  `pg_catalog.md5((pg_catalog.to_jsonb(${row}) - '{${['oid', ...other].join(',')}}'::pg_catalog.text[])::pg_catalog.text)`;

const ofSomebody = `n.nspname !~ '^pg_' and n.nspname <> all ($1::pg_catalog.text[])`;

const ownRelation = (ownAge: string): string =>
  `${isOwn('c.xmin', ownAge)} or exists (select from pg_catalog.pg_attribute a where a.attrelid = c.oid and ${isOwn('a.xmin', ownAge)})
    or exists (select from pg_catalog.pg_attrdef f where f.adrelid = c.oid and ${isOwn('f.xmin', ownAge)})
    or exists (select from pg_catalog.pg_rewrite w where w.ev_class = c.oid and ${isOwn('w.xmin', ownAge)})
    or exists (select from pg_catalog.pg_inherits i where i.inhrelid = c.oid and ${isOwn('i.xmin', ownAge)})`;

/**
 * $1: schemas that are left out, $2: whether columns are asked for. Tables and views that last: oid, name, what it is, the
 * names of its columns as JSON; and each as something that is equal where it was made again just so: the rights on it, what is said of its
 * columns, all else but for its rows (options, owner, place among partitions, query of a view); whether this transaction has made or altered
 * it since `ownAge`, which nobody asks where that is left out.
 */
export const lastingRelationsSql = (ownAge?: string): string => `
select c.oid::text, ${qualifiedSql('n.nspname', 'c.relname')},
  case c.relkind when 'm' then 'materialized view' when 'v' then 'view' when 'f' then 'foreign table' else 'table' end,
  case when $2::boolean then (select pg_catalog.json_agg(a.attname) from pg_catalog.pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end,
  coalesce((select pg_catalog.string_agg(x::text, ',' order by x::text) from pg_catalog.aclexplode(c.relacl) x where x.grantee <> c.relowner), ''),
  case when $2::boolean then (select pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(' ', a.attname, a.atttypid, a.atttypmod,
      a.attnotnull, a.attidentity, a.attgenerated, a.attcollation, a.attstorage, a.attacl, a.attoptions,
      f.adbin::text), ',' order by a.attname))
    from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) end,
  pg_catalog.concat_ws(' ', c.relowner, c.reloptions, c.relpersistence, c.reltablespace, c.relrowsecurity, c.relforcerowsecurity, c.relreplident,
    c.relpartbound::text, (select pg_catalog.string_agg(i.inhparent::text, ',') from pg_catalog.pg_inherits i where i.inhrelid = c.oid),
    (select pg_catalog.string_agg(pg_catalog.md5(w.ev_action::text), ',') from pg_catalog.pg_rewrite w where w.ev_class = c.oid and c.relhasrules)),
  ${ownAge === undefined ? 'false' : ownRelation(ownAge)}
from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'm', 'v', 'f') and c.relpersistence <> 't' and ${ofSomebody}`;

/**
 * $1: schemas that are left out. What else is defined in the database: oid of the table that it is on (null: on none), what it is
 * in words, and something that is equal where it was made again just so; the lock that who drops it holds; whether this transaction
 * has made or altered it since `ownAge`, which nobody asks where that is left out.
 */
export const lastingDefinitionsSql = (ownAge?: string): string => {
  const own = (row: string): string => (ownAge === undefined ? 'false' : isOwn(`${row}.xmin`, ownAge));
  return `
with tables as (select c.oid, c.relname, ${qualifiedSql('n.nspname', 'c.relname')} as name
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'm', 'v', 'f') and c.relpersistence <> 't' and ${ofSomebody}),
schemas as (select n.* from pg_catalog.pg_namespace n where ${ofSomebody})
select t.oid::text, 'the index ' || c.relname || ' on ' || t.name, ${state('x', 'indexrelid', 'indrelid', 'indcheckxmin')}, ${onRelation('x.indexrelid')}, ${own('x')} or ${own('c')}
from tables t join pg_catalog.pg_index x on x.indrelid = t.oid join pg_catalog.pg_class c on c.oid = x.indexrelid
where not exists (select from pg_catalog.pg_constraint o where o.conindid = x.indexrelid and o.conrelid = t.oid and o.contype in ('p', 'u', 'x'))
union all
select t.oid::text, 'the constraint ' || o.conname || ' on ' || t.name,
  ${state('o', 'conrelid', 'conindid', 'confrelid', 'conparentid')} || coalesce(o.confrelid::pg_catalog.regclass::text, ''), ${onObject('pg_constraint', 'o.oid')}, ${own('o')}
from tables t join pg_catalog.pg_constraint o on o.conrelid = t.oid
union all
select t.oid::text, 'the trigger ' || g.tgname || ' on ' || t.name, ${state('g', 'tgrelid', 'tgparentid', 'tgconstrrelid', 'tgconstrindid', 'tgconstraint')}, ${onObject('pg_trigger', 'g.oid')}, ${own('g')}
from tables t join pg_catalog.pg_trigger g on g.tgrelid = t.oid where not g.tgisinternal
union all
select t.oid::text, 'the policy ' || y.polname || ' on ' || t.name, ${state('y', 'polrelid')}, ${onObject('pg_policy', 'y.oid')}, ${own('y')}
from tables t join pg_catalog.pg_policy y on y.polrelid = t.oid
union all
select t.oid::text, 'the comment on ' || t.name || coalesce('.' || a.attname, ''), pg_catalog.md5(d.description), ${onRelation('t.oid')}, ${own('d')}
from tables t join pg_catalog.pg_description d on d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objoid = t.oid
left join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = d.objsubid and d.objsubid > 0
union all
select null, case p.prokind when 'p' then 'the procedure ' else 'the function ' end || ${qualifiedSql('n.nspname', 'p.proname')}
  || '(' || pg_catalog.pg_get_function_identity_arguments(p.oid) || ')', ${state('p')}, ${onObject('pg_proc', 'p.oid')}, ${own('p')}
from schemas n join pg_catalog.pg_proc p on p.pronamespace = n.oid
union all
select null, 'the sequence ' || ${qualifiedSql('n.nspname', 'c.relname')}, pg_catalog.concat_ws(' ', c.relowner, c.relacl, ${state('q', 'seqrelid')}), ${onRelation('c.oid')}, ${own('c')} or ${own('q')}
from schemas n join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relkind = 'S' and c.relpersistence <> 't'
join pg_catalog.pg_sequence q on q.seqrelid = c.oid
where not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = c.oid
  and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.deptype in ('a', 'i'))
union all
select null, 'the type ' || ${qualifiedSql('n.nspname', 'y.typname')}, pg_catalog.concat_ws(' ', y.typowner, y.typacl, y.typnotnull, y.typdefault,
  (select pg_catalog.string_agg(e.enumlabel, ',' order by e.enumsortorder) from pg_catalog.pg_enum e where e.enumtypid = y.oid)), ${onObject('pg_type', 'y.oid')}, ${own('y')}
  or exists (select from pg_catalog.pg_enum e where e.enumtypid = y.oid and ${own('e')})
from schemas n join pg_catalog.pg_type y on y.typnamespace = n.oid
where y.typtype in ('d', 'e', 'r') or y.typtype = 'c' and exists (select from pg_catalog.pg_class c where c.oid = y.typrelid and c.relkind = 'c')
union all
select null, 'the schema ' || s.nspname, ${state('s')}, ${onObject('pg_namespace', 's.oid')}, ${own('s')}
from schemas n join pg_catalog.pg_namespace s on s.oid = n.oid`;
};

const onRelation = (oid: string): string => `'relation ' || ${oid}::text`;
const onObject = (catalog: string, oid: string): string =>
  `'object ' || '${catalog}'::pg_catalog.regclass::pg_catalog.oid || ' ' || ${oid}::text`;

/** Locks that this session holds and that keep all others away from what it drops: those of a comment, too. */
export const ownLocksSql = `
select case l.locktype when 'relation' then 'relation ' || l.relation else 'object ' || l.classid || ' ' || l.objid end
from pg_catalog.pg_locks l where l.pid = pg_catalog.pg_backend_pid() and l.granted and l.locktype in ('relation', 'object')
  and l.mode in ('AccessExclusiveLock', 'ShareUpdateExclusiveLock')`;
