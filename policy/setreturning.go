package policy

// tableFunctions are the built-in set-returning functions with the names of
// their output columns. Without names the one column is called as the function
// or its alias in FROM. A nil entry needs a column definition list.
func tableFunctions() map[string][]string {
	keyValue := []string{"key", "value"}
	return map[string][]string{
		"generate_series": {}, "generate_subscripts": {}, "unnest": {}, "json_object_keys": {}, "jsonb_object_keys": {},
		"regexp_matches": {}, "regexp_split_to_table": {}, "string_to_table": {},
		"jsonb_path_query": {}, "jsonb_path_query_tz": {},
		"json_each": keyValue, "json_each_text": keyValue, "jsonb_each": keyValue, "jsonb_each_text": keyValue,
		"json_array_elements": {"value"}, "json_array_elements_text": {"value"},
		"jsonb_array_elements": {"value"}, "jsonb_array_elements_text": {"value"},
		"pg_options_to_table": {"option_name", "option_value"}, "aclexplode": {"grantor", "grantee", "privilege_type", "is_grantable"},
		"pg_get_keywords": {"word", "catcode", "barelabel", "catdesc", "baredesc"}, "_pg_expandarray": {"x", "n"},
		"json_to_record": nil, "json_to_recordset": nil, "jsonb_to_record": nil, "jsonb_to_recordset": nil,
	}
}

// setReturning tells whether a built-in function returns a set or a record.
func setReturning(name string) bool {
	_, ok := tableFunctions()[name]
	return ok
}
