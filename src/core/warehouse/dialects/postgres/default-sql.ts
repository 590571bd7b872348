/** Functions of the server that are the clock or the transaction's number, and promise no change within a transaction. */
const clocks = [
  'now',
  'transaction_timestamp',
  'statement_timestamp',
  'clock_timestamp',
  'timeofday',
  'txid_current',
  'pg_current_xact_id',
];

/** The clock as a word of SQL, in a body of a function. */
const clockWords = '\\m(current_date|current_time|current_timestamp|localtime|localtimestamp)\\M';

/** `CURRENT_DATE` and its kin in an expression as the server keeps it; the later numbers are users and schemas. */
const clockNode = '\\{SQLVALUEFUNCTION :op [0-8] ';

/**
 * Whether the default of a column gives each new row another value: a function of the server or of an extension that
 * promises nothing (`nextval`, `random`, `gen_random_uuid`), a clock, or a function of the user's own that calls one. Names
 * in bodies are followed as texts, so that one too many is followed rather than one too few. `column`: a row of pg_attribute.
 */
export const surrogateDefault = (column: string): string => `
  select coalesce(bool_or(d.adbin::pg_catalog.text ~ '${clockNode}' or exists (
    with recursive called(oid) as (
      select m[1]::pg_catalog.oid
      from pg_catalog.regexp_matches(d.adbin::pg_catalog.text, ':(?:funcid|opfuncid) (\\d+)', 'g') m
      union
      select p.oid from called c join pg_catalog.pg_proc f on f.oid = c.oid and f.oid >= 16384
      cross join lateral pg_catalog.regexp_matches(f.prosrc, '(\\w+)"?\\s*\\(', 'g') m
      join pg_catalog.pg_proc p on p.proname = pg_catalog.lower(m[1])
    )
    select from called c join pg_catalog.pg_proc p on p.oid = c.oid join pg_catalog.pg_language l on l.oid = p.prolang
    where (p.provolatile = 'v' and l.lanname in ('internal', 'c'))
      or (p.oid < 16384 and p.proname in (${clocks.map((name) => `'${name}'`).join(', ')}))
      or (p.oid >= 16384 and p.prosrc ~* '${clockWords}'))), false)
  from pg_catalog.pg_attrdef d where d.adrelid = ${column}.attrelid and d.adnum = ${column}.attnum`;

/** Columns that a generated column is computed from, as JSON. `column`: a row of pg_attribute. */
export const computedFrom = (column: string): string => `
  select pg_catalog.json_agg(distinct f.attname)
  from pg_catalog.pg_attrdef d
  cross join lateral pg_catalog.regexp_matches(d.adbin::pg_catalog.text, ':varattno (\\d+)', 'g') m
  join pg_catalog.pg_attribute f on f.attrelid = d.adrelid and f.attnum = m[1]::pg_catalog.int2
  where d.adrelid = ${column}.attrelid and d.adnum = ${column}.attnum and ${column}.attgenerated <> ''`;
