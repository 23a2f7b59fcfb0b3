package policy

import "maps"

// What of pg_catalog's relations is shown. Postgres's own objects are no
// secret; of others only what the view may see. Nobody learns here how many rows
// there are, who owns or may do what, or what code and expressions say.

const (
	ownRow       = "oid < :builtin"
	shownColumns = "attrelid::int8 * 65536 + attnum <> ALL (:hidden)"
)

// catalogRules are the relations of which something is shown.
func catalogRules() map[string]systemRule {
	out := map[string]systemRule{}
	for _, rules := range []map[string]systemRule{relationRules(), typeRules(), builtinRules(), serverRules(), namedRules()} {
		maps.Copy(out, rules)
	}
	return out
}

// relationRules are about relations and what hangs on them.
func relationRules() map[string]systemRule {
	return map[string]systemRule{
		"pg_namespace": {where: "nspname = ANY ('{pg_catalog,information_schema}'::name[]) OR oid = ANY (:schemas)"},
		"pg_class": {where: ownRow + " OR oid = ANY (:classes)", columns: map[string]string{
			"reltuples": "-1", "relpages": "0", "relallvisible": "0", "relallfrozen": "0", "relchecks": "0", "relhastriggers": "false",
			"relhassubclass": "false", "relrowsecurity": "false", "relforcerowsecurity": "false", "reloptions": "NULL"}},
		"pg_attribute": {where: "(attrelid < :builtin OR attrelid = ANY (:classes)) AND " + shownColumns,
			columns: map[string]string{"attoptions": "NULL", "attfdwoptions": "NULL"}},
		"pg_attrdef": {where: "(adrelid < :builtin OR adrelid = ANY (:relations)) AND adrelid::int8 * 65536 + adnum <> ALL (:hidden)"},
		"pg_index":   {where: "indexrelid < :builtin OR indexrelid = ANY (:indexes)"},
		// Only its options are worth hiding more than the rest.
		"pg_foreign_server":    {where: "false", withheldColumns: []string{"srvoptions"}},
		"pg_inherits":          {where: "inhrelid = ANY (:classes) AND inhparent = ANY (:classes)"},
		"pg_constraint":        {where: ownRow + " OR oid = ANY (:constraints)"},
		"pg_partitioned_table": {where: "partrelid = ANY (:relations)"},
		"pg_depend":            {where: "(objid < :builtin OR objid = ANY (:objects)) AND (refobjid < :builtin OR refobjid = ANY (:objects))"},
		// A large object may have any OID: 2613 is pg_largeobject. 1259 is pg_class, 1247 pg_type, 1255 pg_proc, 2606 pg_constraint, 2615 pg_namespace.
		"pg_description": {where: "CASE WHEN classoid = 2615 THEN objoid = ANY (:schemas) OR objoid <> 2200 AND objoid < :builtin " +
			"WHEN classoid = 2613 THEN false WHEN objoid < :builtin THEN true " +
			"WHEN classoid = 1259 THEN objoid = ANY (:classes) AND objoid::int8 * 65536 + objsubid <> ALL (:hidden) " +
			"WHEN classoid = 1247 THEN objoid = ANY (:types) WHEN classoid = 1255 THEN objoid = ANY (:functions) " +
			"WHEN classoid = 2606 THEN objoid = ANY (:constraints) ELSE false END"},
	}
}

// typeRules are about types and functions.
func typeRules() map[string]systemRule {
	return map[string]systemRule{
		"pg_type":  {where: ownRow + " OR oid = ANY (:types)", columns: map[string]string{"typdefault": "NULL"}},
		"pg_enum":  {where: "enumtypid < :builtin OR enumtypid = ANY (:types)"},
		"pg_range": {where: "rngtypid < :builtin OR rngtypid = ANY (:types)"},
		"pg_proc": {where: ownRow + " OR oid = ANY (:functions)", withheldColumns: []string{"prosrc"},
			columns: map[string]string{"prosrc": "NULL", "probin": "NULL", "proconfig": "NULL"}},
		"pg_aggregate": {where: "aggfnoid::oid < :builtin OR aggfnoid::oid = ANY (:functions)",
			columns: map[string]string{"agginitval": "CASE WHEN aggfnoid::oid < :builtin THEN agginitval END",
				"aggminitval": "CASE WHEN aggfnoid::oid < :builtin THEN aggminitval END"}},
	}
}

// builtinRules show only what Postgres comes with.
func builtinRules() map[string]systemRule {
	out := map[string]systemRule{
		"pg_ts_config_map":  {where: "mapcfg < :builtin"},
		"pg_timezone_names": {}, "pg_timezone_abbrevs": {},
	}
	for _, n := range []string{"pg_am", "pg_amop", "pg_amproc", "pg_cast", "pg_collation", "pg_conversion", "pg_language", "pg_opclass",
		"pg_operator", "pg_opfamily", "pg_ts_config", "pg_ts_dict", "pg_ts_parser", "pg_ts_template"} {
		out[n] = systemRule{where: ownRow}
	}
	out["pg_tablespace"] = systemRule{where: ownRow, columns: map[string]string{"spcoptions": "NULL"}}
	return out
}

// serverRules are about the server: this database, this user, few settings.
func serverRules() map[string]systemRule {
	return map[string]systemRule{
		"pg_database": {where: "datname = current_database()", columns: map[string]string{"datname": ":database", "datconnlimit": "-1"}},
		"pg_roles": {where: "oid = :ownerid", columns: map[string]string{"rolname": ":user", "rolsuper": "false", "rolinherit": "true",
			"rolcreaterole": "false", "rolcreatedb": "false", "rolcanlogin": "true", "rolreplication": "false", "rolconnlimit": "-1",
			"rolpassword": "'********'", "rolvaliduntil": "NULL", "rolbypassrls": "false", "rolconfig": "NULL"}},
		"pg_user": {where: "usesysid = :ownerid", withheldColumns: []string{"passwd"}, columns: map[string]string{"usename": ":user",
			"usecreatedb": "false", "usesuper": "false", "userepl": "false", "usebypassrls": "false", "passwd": "'********'",
			"valuntil": "NULL", "useconfig": "NULL"}},
		"pg_settings": {where: "name = ANY (:settings)", columns: map[string]string{
			"setting": "CASE name WHEN 'search_path' THEN :path ELSE setting END", "source": "'default'", "boot_val": "NULL",
			"reset_val": "CASE name WHEN 'search_path' THEN :path ELSE reset_val END", "sourcefile": "NULL", "sourceline": "NULL", "pending_restart": "false"}},
	}
}

// shownSettings are those of pg_settings beside what SHOW may tell, or in the
// spelling that it has there.
func shownSettings() []string {
	return []string{"search_path", "max_index_keys", "max_function_args", "segment_size", "wal_block_size", "default_transaction_deferrable",
		"DateStyle", "IntervalStyle", "TimeZone", "array_nulls", "quote_all_identifiers", "xmlbinary", "xmloption", "default_text_search_config", "debug_assertions"}
}

// namedRules are views that show names in the place of OIDs.
func namedRules() map[string]systemRule {
	const space = "CASE WHEN tablespace = 'pg_global' THEN tablespace END" // no other one but the default is shown
	const own = "schemaname = ANY ('{pg_catalog,information_schema}'::name[]) OR "
	return map[string]systemRule{
		"pg_tables": {where: own + keySQL("schemaname", "tablename") + " = ANY (:tablekeys)",
			columns: map[string]string{"hastriggers": "false", "rowsecurity": "false", "tablespace": space}},
		"pg_views":    {where: own + keySQL("schemaname", "viewname") + " = ANY (:tablekeys)", columns: map[string]string{"definition": "NULL"}},
		"pg_matviews": {where: keySQL("schemaname", "matviewname") + " = ANY (:tablekeys)", columns: map[string]string{"definition": "NULL", "tablespace": space}},
		"pg_indexes":  {where: own + keySQL("schemaname", "indexname") + " = ANY (:indexkeys)", columns: map[string]string{"tablespace": space}},
	}
}

// emptyCatalogs have the right columns and no rows: what is in them would tell
// of rules, code, roles and how the server is run. Tools ask them beside others
// and alone.
func emptyCatalogs() []string {
	return []string{"pg_auth_members", "pg_available_extension_versions", "pg_available_extensions", "pg_db_role_setting", "pg_default_acl",
		"pg_event_trigger", "pg_extension", "pg_foreign_data_wrapper", "pg_foreign_table", "pg_init_privs", "pg_largeobject_metadata",
		"pg_parameter_acl", "pg_policy", "pg_publication", "pg_publication_namespace", "pg_publication_rel", "pg_rewrite", "pg_rules",
		"pg_seclabel", "pg_seclabels", "pg_sequence", "pg_shdepend", "pg_shdescription", "pg_shseclabel", "pg_statistic_ext",
		"pg_subscription", "pg_transform", "pg_trigger"}
}

// withheldCatalogs are empty beside other relations and refused alone.
func withheldCatalogs() []string {
	return []string{"pg_cursors", "pg_group", "pg_locks", "pg_policies", "pg_prepared_statements", "pg_prepared_xacts", "pg_publication_tables",
		"pg_replication_origin", "pg_replication_origin_status", "pg_replication_slots", "pg_sequences", "pg_subscription_rel", "pg_user_mappings"}
}
