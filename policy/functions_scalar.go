package policy

import "strings"

// Reviewed built-in functions that only compute from their arguments. A name
// is listed only if every overload of it in pg_catalog is harmless: none reads
// a table, a file, a setting, another session or the catalogs, none takes SQL
// text, and none changes anything. functions_test.go holds this list against
// pg_proc of a real server.

func mathFunctions() string {
	return `
abs cbrt ceil ceiling degrees div exp factorial floor gcd lcm ln log log10 min_scale mod pi power pow
radians round scale sign sqrt trim_scale trunc width_bucket random
acos acosd asin asind atan atand atan2 atan2d cos cosd cot cotd sin sind tan tand
sinh cosh tanh asinh acosh atanh erf erfc gamma lgamma
int2 int4 int8 float4 float8 numeric random_normal
bit_count get_bit get_byte set_bit set_byte bit varbit`
}

func stringFunctions() string {
	return `
ascii bit_length btrim char_length character_length chr concat concat_ws format initcap left length lower
lpad ltrim md5 normalize is_normalized octet_length overlay parse_ident position quote_ident quote_literal
quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim
split_part starts_with string_to_array string_to_table strpos substr substring textlen to_ascii to_hex
translate unistr upper bpchar varchar text like like_escape notlike similar_to_escape similar_escape
convert convert_from convert_to encode decode sha224 sha256 sha384 sha512 crc32 crc32c casefold`
}

func timeFunctions() string {
	return `
age clock_timestamp date_add date_bin date_part date_subtract date_trunc extract isfinite
justify_days justify_hours justify_interval make_date make_interval make_time make_timestamp make_timestamptz
now statement_timestamp timeofday timezone to_date to_timestamp to_char to_number transaction_timestamp
date time timetz timestamp timestamptz interval overlaps`
}

func jsonFunctions() string {
	return `
array_to_json json_array_elements json_array_elements_text json_array_length json_build_array json_build_object
json_each json_each_text json_extract_path json_extract_path_text json_object json_object_keys
json_strip_nulls json_to_record json_to_recordset json_typeof row_to_json to_json to_jsonb
jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object
jsonb_each jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object
jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz
jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz jsonb_path_query_first
jsonb_path_query_first_tz jsonb_path_query_tz jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls
jsonb_to_record jsonb_to_recordset jsonb_typeof jsonb_contains jsonb_exists jsonb_exists_all jsonb_exists_any`
}

func arrayFunctions() string {
	return `
array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
array_positions array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort
array_to_string array_upper cardinality trim_array unnest generate_series generate_subscripts
lower_inc upper_inc lower_inf upper_inf isempty range_merge multirange
int4range int8range numrange daterange tsrange tstzrange
int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange`
}

func searchFunctions() string {
	return `
to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline
ts_delete ts_filter tsvector_to_array array_to_tsvector setweight strip numnode querytree tsquery_phrase
json_to_tsvector jsonb_to_tsvector`
}

func otherFunctions() string {
	return `
num_nonnulls num_nulls pg_column_size gen_random_uuid uuid_extract_timestamp uuid_extract_version
uuidv4 uuidv7 enum_first enum_last enum_range version inet_merge inet_same_family
abbrev broadcast family host hostmask masklen netmask network set_masklen macaddr8_set7bit
area center diameter height width isclosed isopen npoints pclose popen radius slope diagonal
box circle line lseg path point polygon bound_box
hashtext hashint4 hashint8 hashfloat8 hash_numeric timestamp_hash hashtextextended
bool money oid cidr inet jsonb json uuid`
}

// catalogFunctions tell of the server's fixed tables and of the session.
func catalogFunctions() string {
	return `
pg_get_keywords pg_options_to_table pg_encoding_to_char pg_char_to_encoding pg_encoding_max_length pg_client_encoding getdatabaseencoding
pg_postmaster_start_time pg_is_in_recovery pg_size_pretty pg_size_bytes`
}

// informationFunction tells whether a function of information_schema only
// computes from its arguments.
func informationFunction(name string) bool {
	return strings.Contains(` _pg_expandarray _pg_char_max_length _pg_char_octet_length _pg_numeric_precision _pg_numeric_precision_radix `+
		`_pg_numeric_scale _pg_datetime_precision _pg_interval_type `, " "+name+" ")
}
