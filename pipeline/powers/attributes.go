package powers

import "fmt"

// powers are the attributes that a role need not have. BYPASSRLS is needed where
// a table that is read has row level security of its own, for there the policy
// stands in its place.
func (a attributes) powers(rowSecurity bool) []Power {
	var out []Power
	add := func(has bool, what, option string) {
		if has {
			out = append(out, Power{What: what, SQL: []string{"ALTER ROLE " + ident(a.name) + " " + option}})
		}
	}
	add(a.super, "is a superuser", "NOSUPERUSER")
	add(a.bypass && !rowSecurity, "bypasses row level security (BYPASSRLS), which it would need only if a table that its roles read had some", "NOBYPASSRLS")
	add(a.createRole, "may create and change roles (CREATEROLE)", "NOCREATEROLE")
	add(a.createDatabase, "may create databases (CREATEDB)", "NOCREATEDB")
	add(a.replicates, "may replicate (REPLICATION), which reads everything", "NOREPLICATION")
	return out
}

// predefinedRole says what a role of Postgres's own allows.
func predefinedRole(name string) string {
	what := map[string]string{
		"pg_read_server_files":        "reads any file that the server can",
		"pg_write_server_files":       "writes any file that the server can",
		"pg_execute_server_program":   "runs programs on the server",
		"pg_read_all_data":            "reads every table",
		"pg_write_all_data":           "writes every table",
		"pg_signal_backend":           "ends other sessions",
		"pg_read_all_settings":        "reads every setting",
		"pg_read_all_stats":           "reads what others run",
		"pg_stat_scan_tables":         "locks tables for long",
		"pg_monitor":                  "reads what others run",
		"pg_checkpoint":               "forces checkpoints",
		"pg_maintain":                 "maintains every table",
		"pg_create_subscription":      "creates subscriptions",
		"pg_database_owner":           "is what the owner of the database is",
		"pg_use_reserved_connections": "takes the reserved connections",
	}[name]
	if what == "" {
		what = "has what Postgres itself gives it"
	}
	return fmt.Sprintf("%s %s", name, what)
}
