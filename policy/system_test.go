package policy_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// catalogs is a database in which all that a clerk may not see has hush in its
// name or text, and a connection that may see everything: what pgask's login
// should not be, and may be.
type catalogs struct {
	view     *policy.View
	snapshot *catalog.Snapshot
	conn     *pgx.Conn
	// secrets are words that no answer may hold.
	secrets []string
}

func newCatalogs(t *testing.T) *catalogs {
	ctx := context.Background()
	srv := postgres.ForTest(t)
	db := srv.CreateDatabase(t)
	script, err := os.ReadFile("testdata/catalogs.sql")
	if err != nil {
		t.Fatal(err)
	}
	super := connect(t, srv.DSN(db), nil)
	owner := "hush_role_" + db
	setup := fmt.Sprintf("CREATE ROLE %[1]s SUPERUSER LOGIN; ALTER ROLE %[1]s SET work_mem = '5MB'; ALTER DATABASE %[2]s OWNER TO %[1]s; SET ROLE %[1]s; ", owner, db) +
		string(script) + "; PREPARE hush AS SELECT 1; RESET ROLE"
	if _, err := super.Exec(ctx, setup); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := super.Exec(ctx, fmt.Sprintf("REASSIGN OWNED BY %[1]s TO CURRENT_USER; DROP OWNED BY %[1]s; DROP ROLE %[1]s", owner))
		if err != nil {
			t.Error(err)
		}
	})
	s, err := catalog.Read(ctx, super, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Database = "shop"
	role := clerk(t)
	v, err := role.View(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &catalogs{view: v, snapshot: s, conn: connect(t, srv.DSN(db), policy.Pinned(role)), secrets: []string{"hush", db}}
}

func clerk(t *testing.T) *policy.Role {
	c := &configs.Role{Name: "clerk", Mode: "governed", SearchPath: []string{"public", "sales"}, Refusals: "explicit",
		Tables:    configs.Access[configs.Pattern]{Allow: patterns(t, "sales.shown_*", "sales.shown_view", "sales.shown_totals", "sales.shown_foreign")},
		Functions: configs.Access[string]{Allow: []string{"sales.shown_year"}},
		Columns:   []configs.ColumnRule{{Table: name(t, "sales.shown_orders"), Deny: []string{"hush_column"}, Mask: map[string]string{"note": "'***'"}}},
		Scopes:    []configs.Scope{{Tables: patterns(t, "sales.shown_customers"), Where: "tenant = 1"}},
		Limits:    configs.RoleLimits{Rows: 5}}
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"clerk": c}})
	if p == nil {
		t.Fatal(faults)
	}
	r, err := p.RoleFor(auth.Principal{User: "ana", Roles: []string{"clerk"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ask runs a statement as the clerk and gives its rows as text. A refusal is a
// *policy.Denied.
func (c *catalogs) ask(t *testing.T, sql string) ([]string, error) {
	t.Helper()
	a, err := authorize(c.view, sql, policy.Options{Cap: true})
	if err != nil {
		return nil, err
	}
	results, err := c.conn.PgConn().Exec(context.Background(), a.SQL()).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, a.SQL())
	}
	var out []string
	for _, row := range results[0].Rows {
		out = append(out, string(joined(row)))
	}
	return out, nil
}

func joined(row [][]byte) string {
	texts := make([]string, len(row))
	for i, v := range row {
		texts[i] = string(v)
	}
	return strings.Join(texts, "|")
}

func (c *catalogs) leak(rows []string) string {
	for _, r := range rows {
		for _, s := range c.secrets {
			if strings.Contains(strings.ToLower(r), s) {
				return r
			}
		}
	}
	return ""
}

// Every column of every relation of the system schemas, by star, by name and
// as a whole row: no secret, and no error but a refusal.
func TestSystemSweep(t *testing.T) {
	c := newCatalogs(t)
	shown, withheld, refused := 0, 0, []string{}
	for _, x := range c.snapshot.Objects.System {
		name := x.Name.Schema + "." + x.Name.Table
		rows, err := c.ask(t, "SELECT * FROM "+name)
		if denied := (*policy.Denied)(nil); errors.As(err, &denied) {
			if rows, err = c.ask(t, "SELECT x.* FROM pg_catalog.pg_namespace LEFT JOIN "+name+" AS x ON true"); errors.As(err, &denied) {
				refused = append(refused, x.Name.Table)
				continue
			}
			withheld++
		}
		shown++
		if err != nil || c.leak(rows) != "" {
			t.Errorf("SELECT * FROM %s: %v, %q", name, err, c.leak(rows))
		}
		var columns []string
		for _, col := range x.Columns {
			column := fmt.Sprintf("x.%q", col.Name)
			columns = append(columns, column, "pg_typeof("+column+")")
		}
		from := " FROM " + name + " AS x, (SELECT 1 FROM pg_catalog.pg_am LIMIT 1) AS y"
		for _, sql := range []string{"SELECT x" + from, "SELECT " + strings.Join(columns, ", ") + from} {
			rows, err := c.ask(t, sql)
			if err != nil || c.leak(rows) != "" {
				t.Errorf("%s: %v, %q", sql, err, c.leak(rows))
			}
		}
	}
	t.Logf("%d relations are shown, %d of them empty and not alone; refused: %v", shown, withheld, refused)
	// What no version of Postgres shows; later ones add some.
	for _, n := range []string{"pg_authid", "pg_shadow", "pg_statistic", "pg_stats", "pg_stats_ext", "pg_statistic_ext_data", "pg_user_mapping",
		"pg_largeobject", "pg_hba_file_rules", "pg_file_settings", "pg_config", "pg_shmem_allocations"} {
		if !slices.Contains(refused, n) {
			t.Errorf("%s is shown", n)
		}
	}
}

func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

func TestSystemShows(t *testing.T) {
	c := newCatalogs(t)
	for _, test := range []struct{ sql, want string }{
		{"SELECT relname FROM pg_class WHERE oid >= 16384 AND relkind <> 'c' ORDER BY 1",
			"shown_customers shown_customers_pkey shown_events shown_foreign shown_index shown_orders shown_orders_pkey shown_totals shown_view"},
		{"SELECT DISTINCT reltuples, relpages FROM pg_class", "-1|0"},
		{"SELECT attname FROM pg_attribute WHERE attrelid IN (SELECT oid FROM pg_class WHERE relname = 'shown_orders') AND attnum > 0 ORDER BY attnum",
			"id customer status place span note total twice parts part hidden counted"},
		{"SELECT attnum FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relname = 'shown_orders' AND attname = 'status'", "4"},
		{"SELECT conname FROM pg_constraint WHERE oid >= 16384 AND contype <> 'n' ORDER BY 1", "shown_customers_pkey shown_key shown_orders_pkey"},
		{"SELECT nspname FROM pg_namespace ORDER BY 1", "information_schema pg_catalog sales"},
		{"SELECT typname FROM pg_type WHERE oid >= 16384 AND typtype IN ('e', 'd', 'r') ORDER BY 1", "shown_email shown_span shown_status"},
		{"SELECT enumlabel FROM pg_enum ORDER BY enumsortorder", "new paid"},
		{"SELECT proname FROM pg_proc WHERE oid >= 16384", "shown_year"},
		{"SELECT description FROM pg_description WHERE objoid >= 16384 ORDER BY 1", "shown column comment shown comment"},
		{"SELECT rolname, rolsuper, oid FROM pg_roles", "ana|f|10"},
		{"SELECT DISTINCT r.rolname FROM pg_class c LEFT JOIN pg_roles r ON r.oid = c.relowner", "ana"},
		{"SELECT datname FROM pg_database", "shop"},
		{"SELECT setting FROM pg_settings WHERE name = 'search_path'", "public, sales"},
		{"SELECT count(*)::text FROM pg_settings WHERE name IN ('DateStyle', 'IntervalStyle', 'TimeZone')", "3"},
		{"SELECT schemaname, tablename, tableowner FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 2",
			"sales|shown_customers|ana sales|shown_events|ana sales|shown_orders|ana"},
		{"SELECT viewname FROM pg_views WHERE schemaname = 'sales'", "shown_view"},
		{"SELECT matviewname FROM pg_matviews", "shown_totals"},
		{"SELECT indexname FROM pg_indexes WHERE schemaname = 'sales' ORDER BY 1", "shown_customers_pkey shown_index shown_orders_pkey"},
		{"SELECT table_catalog, table_schema, table_name FROM information_schema.tables WHERE table_schema = 'sales' ORDER BY 3 LIMIT 2",
			"shop|sales|shown_customers shop|sales|shown_events"},
		{"SELECT column_name, ordinal_position FROM information_schema.columns WHERE table_name = 'shown_orders' ORDER BY 2 LIMIT 3", "id|1 customer|2 status|4"},
		{"SELECT udt_name IS NULL FROM information_schema.columns WHERE column_name = 'part'", "t"},
		{"SELECT constraint_name, column_name FROM information_schema.key_column_usage WHERE table_schema = 'sales' ORDER BY 1", "shown_customers_pkey|id shown_key|customer shown_orders_pkey|id"},
		{"SELECT constraint_name, unique_constraint_name FROM information_schema.referential_constraints WHERE constraint_schema = 'sales'", "shown_key|shown_customers_pkey"},
		{"SELECT routine_name FROM information_schema.routines WHERE routine_schema = 'sales'", "shown_year"},
		{"SELECT schema_name, schema_owner FROM information_schema.schemata WHERE schema_name <> 'information_schema' ORDER BY 1", "pg_catalog|ana sales|ana"},
		// Columns without a value, beside other relations and as nothing but options.
		{"SELECT p.proname, p.prosrc, l.lanname FROM pg_proc p LEFT JOIN pg_language l ON l.oid = p.prolang WHERE proname IN ('shown_year', 'lower') AND prolang <> 12 ORDER BY 1", "shown_year||sql"},
		{"SELECT count(*) FROM pg_foreign_server WHERE ARRAY(SELECT option_value FROM pg_options_to_table(srvoptions)) <> '{}'", "0"},
		// tableoid, which a subselect doesn't have.
		{"SELECT tableoid FROM pg_namespace WHERE nspname = 'sales'", "2615"},
		{"SELECT c.tableoid AS x, d.tableoid FROM pg_class c LEFT JOIN pg_description d ON false WHERE relname = 'shown_orders'", "1259|"},
		{"SELECT c.tableoid, count(*) FROM pg_class c WHERE relname = 'shown_orders' GROUP BY c.tableoid ORDER BY c.tableoid", "1259|1"},
		// The catalogs come first, WITH names before them.
		{"WITH pg_class AS (SELECT 1 AS one) SELECT * FROM pg_class", "1"},
		{"SELECT pg_class.relname, pg_catalog.pg_class.relkind FROM pg_class WHERE relname = 'shown_orders'", "shown_orders|r"},
		{"SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname = 'sales' GROUP BY c.oid ORDER BY 1 LIMIT 1", "shown_customers"},
	} {
		rows, err := c.ask(t, test.sql)
		if got := strings.Join(rows, " "); err != nil || got != test.want {
			t.Errorf("%s\n got %s %v\nwant %s", test.sql, got, err, test.want)
		}
	}
}

func TestSystemRefuses(t *testing.T) {
	c := newCatalogs(t)
	for _, sql := range []string{
		"SELECT * FROM pg_statistic", "SELECT * FROM pg_authid", "SELECT * FROM pg_toast.pg_toast_1255", "SELECT * FROM pg_catalog.pg_nothing",
		"SELECT * FROM information_schema._pg_foreign_servers", "SELECT * FROM pg_locks", "SELECT n_live_tup FROM pg_stat_user_tables",
		"SELECT count(*) FROM pg_stat_activity a, pg_locks", "COPY (SELECT * FROM pg_policies) TO STDOUT", "SELECT prosrc FROM pg_proc",
		"SELECT p.prosrc FROM pg_catalog.pg_proc p", "SELECT * FROM pg_proc JOIN (SELECT 'x' AS prosrc) AS y USING (prosrc)",
		"SELECT * FROM pg_proc NATURAL JOIN (SELECT 'x' AS prosrc, proowner FROM pg_proc) AS y", "SELECT srvoptions FROM pg_foreign_server",
		"SELECT srvname, array_to_string(srvoptions, ',') FROM pg_foreign_server", "SELECT 1 FROM pg_proc GROUP BY prosrc",
		"SELECT proname FROM pg_proc p WHERE EXISTS (SELECT 1 FROM pg_proc q WHERE q.prosrc = p.prosrc)", "COPY (SELECT prosrc FROM pg_proc) TO STDOUT",
		"SELECT passwd FROM pg_user", "EXPLAIN SELECT * FROM pg_class", "SELECT ctid FROM pg_class", "SELECT xmax FROM pg_class",
		"SELECT tableoid FROM pg_class, pg_namespace", "SELECT tableoid FROM pg_roles", "SELECT pg_class FROM shop2.pg_catalog.pg_class",
		"SELECT tableoid FROM sales.shown_orders", "SELECT * FROM pg_class FOR SHARE", "TABLE pg_settings, pg_authid",
		"SELECT (SELECT rolpassword FROM pg_authid LIMIT 1) FROM pg_class", "SELECT relname FROM pg_temp.pg_class",
	} {
		if rows, err := c.ask(t, sql); err == nil || sqlState(err) != "" {
			t.Errorf("%s: %q %v", sql, rows, err)
		}
	}
}

// A condition that raises an error for a hidden object would tell of it.
func TestSystemErrorsTellNothing(t *testing.T) {
	c := newCatalogs(t)
	for _, sql := range []string{
		"SELECT relname FROM pg_class WHERE 1 / (CASE WHEN relname LIKE 'hu%' THEN 0 ELSE 1 END) = 1",
		"SELECT attname FROM pg_attribute WHERE 1 / (length(attname) - length('hush_column')) IS NOT NULL AND attname LIKE 'hush%'",
		"SELECT count(*) FROM pg_class WHERE reltuples = 100 AND 1 / (CASE WHEN relname = 'shown_orders' THEN 0 ELSE 1 END) = 1",
		"SELECT proname FROM pg_proc WHERE oid >= 16384 AND substr(proname, 1, 4)::text::int IS NULL AND proname <> 'shown_year'",
		"SELECT table_name FROM information_schema.tables WHERE 1 / (CASE WHEN table_name LIKE 'hu%' THEN 0 ELSE 1 END) = 1",
		"SELECT typname FROM pg_type t JOIN pg_class c ON c.oid = typrelid WHERE 1 / (CASE WHEN c.relname LIKE 'hu%' THEN 0 ELSE 1 END) = 1",
	} {
		if rows, err := c.ask(t, sql); err != nil || c.leak(rows) != "" {
			t.Errorf("%s: %q %v", sql, rows, err)
		}
	}
}

// Catalogs are read whole, user tables up to the cap, with catalogs beside them too.
func TestSystemCap(t *testing.T) {
	c := newCatalogs(t)
	for sql, want := range map[string]int64{
		"SELECT typname FROM pg_type": 0, "SELECT table_name FROM information_schema.tables": 0, "SELECT id FROM sales.shown_orders": 5,
		"SELECT relname FROM pg_class, sales.shown_orders": 5, "SELECT 1": 5, "COPY (SELECT typname FROM pg_type) TO STDOUT": 0,
		"SELECT relname FROM pg_class WHERE EXISTS (SELECT 1 FROM sales.shown_orders)": 5,
	} {
		a, err := authorize(c.view, sql, policy.Options{Cap: true})
		if err != nil || a.Facts().Cap != want {
			t.Errorf("%s: cap %d, want %d: %v", sql, a.Facts().Cap, want, err)
		}
		for _, n := range a.Facts().Tables {
			if n.Schema != "sales" {
				t.Errorf("%s: %v is among its tables", sql, n)
			}
		}
		if len(a.Facts().Scopes) > 0 {
			t.Errorf("%s: scopes %q", sql, a.Facts().Scopes)
		}
	}
}

// A system relation that is shown must be one that a plain login may read, since
// roles' logins are that: else its statement would fail in Postgres.
func TestSystemIsPublic(t *testing.T) {
	c := newCatalogs(t)
	plain := map[catalog.Name]bool{}
	rows, err := c.conn.Query(t.Context(), `SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('pg_catalog', 'information_schema') AND has_any_column_privilege('public', c.oid, 'SELECT')`)
	if err != nil {
		t.Fatal(err)
	}
	var n catalog.Name
	if _, err := pgx.ForEachRow(rows, []any{&n.Schema, &n.Table}, func() error { plain[n] = true; return nil }); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, table := range c.snapshot.Objects.System {
		if _, err := authorize(c.view, fmt.Sprintf("SELECT * FROM %s.%s", table.Name.Schema, table.Name.Table), policy.Options{}); err != nil {
			continue
		}
		shown++
		if !plain[table.Name] {
			t.Errorf("%s.%s is shown, and a plain login may not read it", table.Name.Schema, table.Name.Table)
		}
	}
	if shown < 100 {
		t.Errorf("only %d relations are shown", shown)
	}
}
