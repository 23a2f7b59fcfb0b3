package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// ancestorsFunction returns a set, and its answer is written as another call.
const ancestorsFunction = "pg_partition_ancestors"

// accessRules are the reviewed catalog access functions. Every overload in
// pg_catalog of a name is answered; access_test.go holds the list against
// pg_proc of a real server.
func accessRules() map[string]accessRule {
	rules := map[string]accessRule{}
	for name, r := range guardedFunctions() {
		rules[name] = r
	}
	for name, r := range blankFunctions() {
		rules[name] = r
	}
	for name, r := range privilegeFunctions() {
		rules[name] = r
	}
	for kind := range lookups() {
		rules["to_"+kind] = accessRule{1, 1, setNone, func(j *judge, c *pg_query.FuncCall, l *level) (*pg_query.Node, error) { return j.toLookup(kind, c, l) }}
	}
	for name, visible := range visibilityFunctions() {
		rules[name] = accessRule{1, 1, setSystem, func(j *judge, c *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
			return j.visibility(visible, c, l)
		}}
	}
	for name, r := range map[string]accessRule{
		"obj_description":           {1, 2, setNone, (*judge).objectComment},
		"col_description":           {2, 2, setNone, (*judge).columnComment},
		"pg_get_userbyid":           {1, 1, setNone, (*judge).owner},
		"current_schemas":           {1, 1, setNone, (*judge).currentSchemas},
		"current_setting":           {1, 2, setNone, (*judge).currentSetting},
		"set_config":                {3, 3, setNone, (*judge).setConfig},
		"pg_typeof":                 {1, 1, setNone, (*judge).typeOfValue},
		"aclexplode":                {1, 1, setNone, (*judge).explodeACL},
		ancestorsFunction:           {1, 1, setNone, (*judge).ancestors},
		"pg_get_function_arguments": {1, 1, setSystem, (*judge).functionArguments},
	} {
		rules[name] = r
	}
	return rules
}

// guardedFunctions stay as they are, with a guard around their first argument.
func guardedFunctions() map[string]accessRule {
	return map[string]accessRule{
		"format_type":                        {2, 2, setTypes, nil},
		"pg_get_constraintdef":               {1, 2, setConstraints, nil},
		"pg_get_indexdef":                    {1, 3, setIndexes, nil},
		"pg_get_function_identity_arguments": {1, 1, setSignatures, nil},
		"pg_get_function_result":             {1, 1, setSystem, nil},
		"pg_indexam_has_property":            {2, 2, setSystem, nil},
		"pg_index_has_property":              {2, 2, setIndexes, nil},
		"pg_index_column_has_property":       {3, 3, setIndexes, nil},
	}
}

// blank answers with one constant, whatever the arguments.
func blank(least, most int, typ string, value *pg_query.Node) accessRule {
	return accessRule{least, most, setNone, func(j *judge, c *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
		return j.judged(stmt.Cast(stmt.Clone(value), typeNamed(typ)), c, l)
	}}
}

// blankOf is blank for a function of a relation, which may be a literal name:
// one that the view may not know is refused as a missing one is.
func blankOf(least, most int, typ string, value *pg_query.Node) accessRule {
	r := blank(least, most, typ, value)
	answer := r.answer
	r.answer = func(j *judge, c *pg_query.FuncCall, l *level) (*pg_query.Node, error) {
		name := c.Args[0].GetAConst().GetSval()
		if name != nil && !digits(name.Sval) && j.view.find("regclass", name.Sval) == 0 && j.view.systemRelation(name.Sval) == 0 {
			return nil, j.view.noObject("regclass", name.Sval)
		}
		return answer(j, c, l)
	}
	return r
}

// blankFunctions would tell definitions, sizes, statistics, comments of what
// belongs to all databases, or of the server: they are
// answered with null or what is true of everybody.
func blankFunctions() map[string]accessRule {
	null := stmt.Null()
	out := map[string]accessRule{
		"pg_get_expr": blank(2, 3, "text", null), "pg_get_viewdef": blankOf(1, 2, "text", null), "pg_get_ruledef": blank(1, 2, "text", null),
		"pg_get_triggerdef":       blank(1, 2, "text", null),
		"pg_get_function_sqlbody": blank(1, 1, "text", null), "pg_get_function_arg_default": blank(2, 2, "text", null),
		"pg_get_partkeydef": blank(1, 1, "text", null), "pg_get_partition_constraintdef": blank(1, 1, "text", null),
		"pg_get_statisticsobjdef": blank(1, 1, "text", null), "pg_get_statisticsobjdef_columns": blank(1, 1, "text", null),
		"pg_get_statisticsobjdef_expressions": blank(1, 1, "text[]", null),
		"shobj_description":                   blank(2, 2, "text", null), "pg_tablespace_location": blank(1, 1, "text", null),
		"pg_relation_filenode": blankOf(1, 1, "oid", null), "pg_relation_filepath": blankOf(1, 1, "text", null),
		"pg_sequence_last_value": blankOf(1, 1, "int8", null), "acldefault": blank(2, 2, "text[]", null),
		"pg_my_temp_schema": blank(0, 0, "oid", stmt.IntConst(0)), "pg_is_other_temp_schema": blank(1, 1, "bool", stmt.BoolConst(false)),
		"pg_relation_is_publishable": blankOf(1, 1, "bool", stmt.BoolConst(false)), "pg_relation_is_updatable": blankOf(2, 2, "int4", stmt.IntConst(0)),
		"pg_column_is_updatable": blankOf(3, 3, "bool", stmt.BoolConst(false)), "row_security_active": blankOf(1, 1, "bool", stmt.BoolConst(false)),
		"pg_get_replica_identity_index": blankOf(1, 1, "oid", null), "pg_get_serial_sequence": blankOf(2, 2, "text", null),
	}
	for _, name := range []string{"pg_database_size", "pg_tablespace_size",
		"pg_stat_get_numscans", "pg_stat_get_tuples_returned", "pg_stat_get_tuples_fetched", "pg_stat_get_tuples_inserted", "pg_stat_get_tuples_updated",
		"pg_stat_get_tuples_deleted", "pg_stat_get_live_tuples", "pg_stat_get_dead_tuples", "pg_stat_get_blocks_fetched", "pg_stat_get_blocks_hit"} {
		out[name] = blank(1, 1, "int8", null)
	}
	for _, name := range []string{"pg_table_size", "pg_total_relation_size", "pg_indexes_size"} {
		out[name] = blankOf(1, 1, "int8", null)
	}
	out["pg_relation_size"] = blankOf(1, 2, "int8", null)
	for _, name := range []string{"pg_stat_get_last_vacuum_time", "pg_stat_get_last_autovacuum_time", "pg_stat_get_last_analyze_time", "pg_stat_get_last_autoanalyze_time"} {
		out[name] = blank(1, 1, "timestamptz", null)
	}
	return out
}

// visibilityFunctions tell whether an unqualified name finds an object: of what
// people made, only of kinds that the view may know something of.
func visibilityFunctions() map[string]objectSet {
	return map[string]objectSet{"pg_table_is_visible": setRelations, "pg_type_is_visible": setTypes, "pg_function_is_visible": setFunctions,
		"pg_operator_is_visible": setSystem, "pg_opclass_is_visible": setSystem, "pg_opfamily_is_visible": setSystem,
		"pg_collation_is_visible": setSystem, "pg_conversion_is_visible": setSystem, "pg_statistics_obj_is_visible": setSystem,
		"pg_ts_config_is_visible": setSystem, "pg_ts_dict_is_visible": setSystem, "pg_ts_parser_is_visible": setSystem, "pg_ts_template_is_visible": setSystem}
}
