/** Why a call may give another result for the same arguments. */
export type Reach =
  | 'clock'
  /** A new number or identifier at each call, as surrogate keys have. */
  | 'identity'
  | 'random'
  /** Settings, sessions, files, catalogs and whatever else is neither argument nor row. */
  | 'other';

const named = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const clocks = named('now clock_timestamp statement_timestamp transaction_timestamp timeofday');
const identities = named(
  `nextval currval lastval gen_random_uuid uuidv4 uuidv7 uuid_generate_v1 uuid_generate_v1mc uuid_generate_v4
   txid_current pg_current_xact_id`,
);
const randoms = named('random random_normal setseed array_sample array_shuffle gen_random_bytes');

/**
 * Functions of the server that are merely stable because of settings that a slice version has beside it (zone, formats,
 * search_path, role), or of output forms. Every other stable function may look at anything.
 */
const settled = named(
  `age array_to_json array_to_string concat concat_ws convert convert_from convert_to current_database current_schema
   current_schemas current_user date date_add date_part date_subtract date_trunc extract format generate_series
   getdatabaseencoding json_agg json_agg_strict json_build_array json_build_object json_object_agg json_object_agg_strict
   json_object_agg_unique json_object_agg_unique_strict json_populate_record json_populate_recordset json_to_record
   json_to_recordset json_to_tsvector jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict
   jsonb_object_agg_unique jsonb_object_agg_unique_strict jsonb_path_exists_tz jsonb_path_match_tz
   jsonb_path_query_array_tz jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record
   jsonb_populate_record_valid jsonb_populate_recordset jsonb_to_record jsonb_to_recordset jsonb_to_tsvector length
   make_timestamptz money numeric overlaps phraseto_tsquery pg_client_encoding pg_input_is_valid pg_typeof
   plainto_tsquery quote_literal quote_nullable row_to_json session_user time timestamp timestamptz timetz timezone to_char
   to_date to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector ts_headline ts_parse websearch_to_tsquery xml
   jsonb_build_array jsonb_build_object`,
);

const textSearch = named(
  `get_current_ts_config json_to_tsvector jsonb_to_tsvector phraseto_tsquery plainto_tsquery to_tsquery to_tsvector ts_headline
   ts_lexize ts_debug websearch_to_tsquery`,
);

/** Whether a function of the server takes words apart as a configuration of text search has it. */
export const searchesText = (name: string): boolean => textSearch.has(name);

/** What the result of a function of the server, or of an extension, rests on beside its arguments; `undefined`: nothing. */
export function builtInReach(name: string, volatility: 'i' | 's' | 'v'): Reach | undefined {
  if (volatility === 'i') return undefined;
  if (clocks.has(name)) return 'clock';
  if (identities.has(name)) return 'identity';
  if (randoms.has(name)) return 'random';
  return volatility === 's' && settled.has(name) ? undefined : 'other';
}
