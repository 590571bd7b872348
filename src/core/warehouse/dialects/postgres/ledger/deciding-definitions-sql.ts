import { firstUserOid } from '../catalog-sql.ts';
import { qualifiedSql, quoteLiteral } from '../quote.ts';

/**
 * Settings that decide what SQL means and that a server or role may have without being told, with the value that they have
 * where nobody set them: those of a library are not there before the session has loaded it.
 */
const decidingSettings: Readonly<Record<string, string>> = {
  TimeZone: '',
  DateStyle: '',
  IntervalStyle: '',
  search_path: '',
  lc_messages: '',
  lc_monetary: '',
  lc_numeric: '',
  lc_time: '',
  extra_float_digits: '',
  bytea_output: '',
  xmlbinary: '',
  xmloption: '',
  array_nulls: '',
  backslash_quote: '',
  standard_conforming_strings: '',
  transform_null_equals: '',
  timezone_abbreviations: '',
  default_text_search_config: '',
  session_replication_role: '',
  gin_fuzzy_search_limit: '',
  'plpgsql.variable_conflict': 'error',
  'plpgsql.check_asserts': 'on',
  'pg_trgm.similarity_threshold': '0.3',
  'pg_trgm.word_similarity_threshold': '0.6',
  'pg_trgm.strict_word_similarity_threshold': '0.5',
};

/** Rows of a catalog `o` as they are, `id` being the columns that tell them apart: `xmin` moves with each change of a row, whatever changed in it. */
const rowsOf = (catalog: string, id: string, condition = 'true'): string =>
  `(select pg_catalog.string_agg(pg_catalog.concat_ws(':', ${id}, o.xmin), ',' order by ${id}) from pg_catalog.${catalog} o where ${condition})`;

const own = `o.oid >= ${firstUserOid}`;

/** Composite types that stand alone: those of tables have their table. */
const ofOwnType = `(select c.oid from pg_catalog.pg_class c where c.relkind = 'c' and c.oid >= ${firstUserOid})`;

/**
 * Collations of the user's own, and which version of their library gives all others: another one sorts and compares otherwise.
 * 100 is the database's own.
 */
const collations = `(select pg_catalog.string_agg(pg_catalog.concat_ws(':', o.oid, o.xmin,
  pg_catalog.pg_collation_actual_version(o.oid)), ',' order by o.oid)
  from pg_catalog.pg_collation o where ${own} or o.oid = 100 or o.collname = 'und-x-icu')`;

/** Columns that sort and compare otherwise than their type does; by name, since tables come and go. */
const columnCollations = `(select pg_catalog.string_agg(pg_catalog.concat_ws(':', ${qualifiedSql('n.nspname', 'c.relname')}, a.attname, a.attcollation), ','
    order by n.nspname, c.relname, a.attname)
  from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid and a.attcollation <> t.typcollation
  join pg_catalog.pg_class c on c.oid = a.attrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where a.attrelid >= ${firstUserOid} and not a.attisdropped and c.relpersistence <> 't')`;

/** How a foreign server is reached decides which rows there are. Whose options are not to be seen are left out. */
const userMappings = `(select pg_catalog.string_agg(pg_catalog.concat_ws(':', o.umid, o.umuser, o.umoptions::pg_catalog.text), ',' order by o.umid)
  from pg_catalog.pg_user_mappings o)`;

const decidingRows = (slices: string): readonly string[] => [
  rowsOf('pg_proc', 'o.oid', own),
  rowsOf('pg_aggregate', 'o.aggfnoid::pg_catalog.oid', `o.aggfnoid::pg_catalog.oid >= ${firstUserOid}`),
  rowsOf('pg_trigger', 'o.oid', 'not o.tgisinternal'),
  rowsOf('pg_rewrite', 'o.oid', `${own} and o.rulename <> '_RETURN'`),
  rowsOf('pg_policy', 'o.oid'),
  `(select pg_catalog.string_agg(d.oid || ':' || d.xmin, ',' order by d.oid) from pg_catalog.pg_attrdef d
    join pg_catalog.pg_class c on c.oid = d.adrelid join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.json_to_recordset(${slices}) s(target text) on s.target = ${qualifiedSql('n.nspname', 'c.relname')})`,
  rowsOf('pg_operator', 'o.oid', own),
  rowsOf('pg_opclass', 'o.oid', own),
  rowsOf('pg_amop', 'o.oid', own),
  rowsOf('pg_amproc', 'o.oid', own),
  rowsOf('pg_cast', 'o.oid', own),
  rowsOf('pg_extension', 'o.oid', own),
  // Not those of tables and their arrays, which come and go with every table.
  rowsOf(
    'pg_type',
    'o.oid',
    `${own} and (o.typtype in ('d', 'e', 'r', 'm') or o.typtype = 'b' and o.typcategory <> 'A')`,
  ),
  rowsOf('pg_constraint', 'o.oid', `${own} and o.contypid <> 0`),
  rowsOf('pg_enum', 'o.oid', own),
  rowsOf('pg_range', 'o.rngtypid', `o.rngtypid >= ${firstUserOid}`),
  rowsOf('pg_attribute', 'o.attrelid, o.attnum', `o.attrelid in ${ofOwnType}`),
  collations,
  columnCollations,
  // Those of the server can be altered like any other.
  rowsOf('pg_ts_config', 'o.oid'),
  rowsOf('pg_ts_config_map', 'o.mapcfg, o.maptokentype, o.mapseqno'),
  rowsOf('pg_ts_dict', 'o.oid'),
  rowsOf('pg_foreign_data_wrapper', 'o.oid', own),
  rowsOf('pg_foreign_server', 'o.oid', own),
  rowsOf('pg_foreign_table', 'o.ftrelid'),
  userMappings,
];

const settings = Object.entries(decidingSettings).map(
  ([name, byDefault]) =>
    `coalesce(pg_catalog.current_setting(${quoteLiteral(name)}, true), ${quoteLiteral(byDefault)})`,
);

/**
 * Everything in the database that decides what the same statements make of the same rows: functions, triggers, rules and row
 * security wherever they are, operators, casts, types, collations, text search, foreign servers, defaults of the
 * targets (`slices`: SQL that gives them as JSON), settings. One hash, wider than any one task needs.
 */
export const decidingDefinitionsSql = (slices: string): string => `
pg_catalog.md5(pg_catalog.concat_ws(';',
  ${[...decidingRows(slices).map((rows) => `coalesce(${rows}, '')`), ...settings].join(',\n  ')}, current_user, session_user))`;
