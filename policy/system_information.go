package policy

import "fmt"

// What of information_schema is shown. Its views show names, so the rules go by
// those. They are views over the catalogs as the backend's login may see them:
// what it lacks privileges for isn't there in the first place. A governed role
// only reads, so nothing is updatable; asking Postgres would also call what
// foreign tables are made of.

// inSystem tells whether a column names one of the system's schemas.
func inSystem(column string) string {
	return column + "::text = ANY ('{pg_catalog,information_schema}'::text[])"
}

// namedIn keeps rows of the system's schemas and those whose names are in a set.
func namedIn(set string, columns ...string) string {
	return "(" + inSystem(columns[0]) + " OR " + keySQL(columns...) + " = ANY (:" + set + "))"
}

// udt hides the names of types that aren't shown: a column may have the row
// type of a hidden table.
func udt(columns map[string]string, prefixes ...string) map[string]string {
	for _, p := range prefixes {
		schema, name := p+"_schema", p+"_name"
		known := inSystem(schema) + " OR " + keySQL(schema, name) + " = ANY (:typekeys)"
		columns[schema] = fmt.Sprintf("CASE WHEN %s THEN %s END", known, schema)
		columns[name] = fmt.Sprintf("CASE WHEN %s THEN %s END", known, name)
	}
	for _, part := range []string{"schema", "name"} {
		columns["collation_"+part] = fmt.Sprintf("CASE WHEN %s THEN collation_%s END", inSystem("collation_schema"), part)
	}
	return columns
}

func informationRules() map[string]systemRule {
	const (
		domain = "domain"
		own    = "udt"
	)
	return map[string]systemRule{
		"schemata": {where: inSystem("schema_name") + " OR schema_name::text = ANY (:schemanames)", columns: map[string]string{"sql_path": "NULL"}},
		"tables": {where: namedIn("tablekeys", "table_schema", "table_name"),
			columns: udt(map[string]string{"is_insertable_into": "'NO'"}, "user_defined_type")},
		"views": {where: namedIn("tablekeys", "table_schema", "table_name"), columns: map[string]string{"view_definition": "NULL", "is_updatable": "'NO'",
			"is_insertable_into":   "'NO'",
			"is_trigger_updatable": "'NO'", "is_trigger_deletable": "'NO'", "is_trigger_insertable_into": "'NO'"}},
		"columns": {where: namedIn("columnkeys", "table_schema", "table_name", "column_name"),
			columns: udt(map[string]string{"column_default": "NULL", "generation_expression": "NULL", "is_updatable": "'NO'"}, domain, own)},
		"column_domain_usage": {where: namedIn("columnkeys", "table_schema", "table_name", "column_name") + " AND " +
			namedIn("typekeys", "domain_schema", "domain_name")},
		"column_udt_usage": {where: namedIn("columnkeys", "table_schema", "table_name", "column_name") + " AND " +
			namedIn("typekeys", "udt_schema", "udt_name")},
		"table_constraints": {where: namedIn("constraintkeys", "constraint_schema", "constraint_name") + " AND " +
			namedIn("tablekeys", "table_schema", "table_name")},
		"key_column_usage": {where: namedIn("constraintkeys", "constraint_schema", "constraint_name") + " AND " +
			namedIn("columnkeys", "table_schema", "table_name", "column_name")},
		"constraint_column_usage": {where: namedIn("constraintkeys", "constraint_schema", "constraint_name") + " AND " +
			namedIn("columnkeys", "table_schema", "table_name", "column_name")},
		"constraint_table_usage": {where: namedIn("constraintkeys", "constraint_schema", "constraint_name") + " AND " +
			namedIn("tablekeys", "table_schema", "table_name")},
		"referential_constraints": {where: namedIn("constraintkeys", "constraint_schema", "constraint_name") + " AND (unique_constraint_name IS NULL OR " +
			namedIn("constraintkeys", "unique_constraint_schema", "unique_constraint_name") + ")"},
		"domains":            {where: namedIn("typekeys", "domain_schema", "domain_name"), columns: udt(map[string]string{"domain_default": "NULL"}, own)},
		"user_defined_types": {where: namedIn("typekeys", "user_defined_type_schema", "user_defined_type_name")},
		"attributes": {where: namedIn("typekeys", "udt_schema", "udt_name"),
			columns: udt(map[string]string{"attribute_default": "NULL"}, "attribute_udt")},
		"routines": {where: namedIn("routinekeys", "specific_schema", "specific_name"),
			columns: udt(map[string]string{"routine_definition": "NULL", "external_name": "NULL"}, own, "type_udt")},
		"parameters": {where: namedIn("routinekeys", "specific_schema", "specific_name"),
			columns: udt(map[string]string{"parameter_default": "NULL"}, own)},
		"collations":                            {where: inSystem("collation_schema")},
		"collation_character_set_applicability": {where: inSystem("collation_schema")},
		"character_sets":                        {where: "default_collate_schema IS NULL OR " + inSystem("default_collate_schema")},
		"information_schema_catalog_name":       {},
		"sql_features":                          {}, "sql_implementation_info": {}, "sql_sizing": {},
	}
}

// emptyInformation have no rows for anybody: they tell of privileges, roles,
// code and what else the role isn't shown.
func emptyInformation() []string {
	return []string{"administrable_role_authorizations", "applicable_roles", "check_constraint_routine_usage", "check_constraints",
		"column_column_usage", "column_options", "column_privileges", "data_type_privileges", "domain_constraints", "domain_udt_usage",
		"element_types", "enabled_roles", "foreign_data_wrapper_options", "foreign_data_wrappers", "foreign_server_options",
		"foreign_servers", "foreign_table_options", "foreign_tables", "role_column_grants", "role_routine_grants", "role_table_grants",
		"role_udt_grants", "role_usage_grants", "routine_column_usage", "routine_privileges", "routine_routine_usage",
		"routine_sequence_usage", "routine_table_usage", "sequences", "table_privileges", "triggered_update_columns",
		"triggers", "udt_privileges", "usage_privileges", "user_mapping_options", "user_mappings", "view_column_usage",
		"view_routine_usage", "view_table_usage"}
}
