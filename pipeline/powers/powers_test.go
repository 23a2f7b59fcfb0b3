package powers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/powers"
)

// world is a database with two tables that the login's roles read and one that
// they don't, and a login that can do no more than that.
type world struct {
	t             *testing.T
	server        *postgres.Server
	database      string
	super         *pgx.Conn
	login, others string // names of roles, spelled for SQL
	uses          powers.Uses
}

const tables = `
CREATE SCHEMA sales;
CREATE TABLE sales.orders (id int, note text);
CREATE TABLE sales."Order Lines" (id int, order_id int);
CREATE TABLE sales.payroll (id int, salary int);
CREATE SEQUENCE sales.numbers;
CREATE FUNCTION sales.peek() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM sales.payroll';
CREATE FUNCTION sales.harmless(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
REVOKE EXECUTE ON FUNCTION sales.peek() FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(int), pg_catalog.lo_create(oid), pg_catalog.lo_from_bytea(oid, bytea) FROM PUBLIC;
REVOKE CREATE ON SCHEMA public FROM PUBLIC`

func newWorld(t *testing.T) *world {
	server := postgres.ForTest(t)
	w := &world{t: t, server: server, database: server.CreateDatabase(t),
		uses: powers.Uses{Tables: map[catalog.Name]bool{{Schema: "sales", Table: "orders"}: true, {Schema: "sales", Table: "Order Lines"}: true},
			Columns: map[catalog.Name][]string{{Schema: "sales", Table: "orders"}: {"id", "note"}, {Schema: "sales", Table: "Order Lines"}: {"id", "order_id"}}}}
	w.login, w.others = `"Reader of `+w.database+`"`, `"others of `+w.database+`"`
	w.super = w.connect(server.DSN(w.database))
	w.fresh()
	t.Cleanup(w.clean)
	return w
}

// fresh makes the world's beginning.
func (w *world) fresh() {
	w.t.Helper()
	w.exec(tables)
	w.exec(fmt.Sprintf(`REVOKE TEMPORARY ON DATABASE %[3]s FROM PUBLIC;
		CREATE ROLE %[1]s LOGIN; CREATE ROLE %[2]s;
		ALTER ROLE %[1]s SET default_transaction_read_only = on;
		GRANT USAGE ON SCHEMA sales TO %[1]s;
		GRANT SELECT ON sales.orders TO %[1]s; GRANT SELECT (id, order_id) ON sales."Order Lines" TO %[1]s;`, w.login, w.others, w.database))
}

// clean leaves nothing of it.
func (w *world) clean() {
	w.t.Helper()
	w.exec(fmt.Sprintf(`REASSIGN OWNED BY %[1]s, %[2]s TO CURRENT_USER; DROP OWNED BY %[1]s, %[2]s CASCADE; DROP ROLE %[1]s, %[2]s;
		DROP SCHEMA sales CASCADE; DROP FOREIGN DATA WRAPPER IF EXISTS w CASCADE; SELECT lo_unlink(oid) FROM pg_largeobject_metadata`, w.login, w.others))
}

func (w *world) connect(dsn string) *pgx.Conn {
	w.t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func (w *world) exec(sql string) {
	w.t.Helper()
	if _, err := w.super.Exec(context.Background(), sql); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

// read asks as the login itself.
func (w *world) read() []powers.Power {
	w.t.Helper()
	conn := w.connect(w.server.UserDSN(w.database, strings.Trim(w.login, `"`), ""))
	defer conn.Close(context.Background())
	found, err := powers.Read(w.t.Context(), conn, w.uses)
	if err != nil {
		w.t.Fatal(err)
	}
	for table := range w.uses.Tables {
		if _, err := conn.Exec(w.t.Context(), "SELECT id FROM "+pgx.Identifier{table.Schema, table.Table}.Sanitize()); err != nil {
			w.t.Errorf("what its roles read: %v", err)
		}
	}
	return found
}

func text(found []powers.Power) string {
	var b strings.Builder
	for _, p := range found {
		fmt.Fprintf(&b, "%s\n", p.What)
		for _, sql := range p.SQL {
			fmt.Fprintf(&b, "\t%s;\n", sql)
		}
	}
	return b.String()
}

// TestPowers gives the login one power after the other: it is told, and after
// the SQL that comes with it no power is left, and the roles' tables are still
// read.
func TestPowers(t *testing.T) {
	w := newWorld(t)
	defer func() { w.t = t }()
	for _, c := range []struct {
		name  string
		setup string // LOGIN, OTHERS and DATABASE stand for the names
		want  []string
	}{
		{"nothing", "", nil},
		{"superuser", "ALTER ROLE LOGIN SUPERUSER", []string{"is a superuser", "NOSUPERUSER"}},
		{"superuser that was granted nothing", "ALTER ROLE LOGIN SUPERUSER; REVOKE ALL ON ALL TABLES IN SCHEMA sales FROM LOGIN; REVOKE USAGE ON SCHEMA sales FROM LOGIN",
			[]string{"GRANT USAGE ON SCHEMA \"sales\" TO LOGIN", `GRANT SELECT ON "sales"."Order Lines", "sales"."orders" TO LOGIN`}},
		{"attributes", "ALTER ROLE LOGIN BYPASSRLS CREATEROLE CREATEDB REPLICATION", []string{"BYPASSRLS", "NOCREATEROLE", "NOCREATEDB", "NOREPLICATION"}},
		{"bypass that is needed", "ALTER ROLE LOGIN BYPASSRLS; ALTER TABLE sales.orders ENABLE ROW LEVEL SECURITY", nil},
		{"bypass for a table nobody reads", "ALTER ROLE LOGIN BYPASSRLS; ALTER TABLE sales.payroll ENABLE ROW LEVEL SECURITY", []string{"bypasses row level security"}},
		{"files", "GRANT pg_read_server_files, pg_write_server_files, pg_execute_server_program TO LOGIN",
			[]string{"pg_read_server_files reads any file", "pg_write_server_files writes", "pg_execute_server_program runs programs"}},
		{"all data", "REVOKE SELECT ON sales.orders FROM LOGIN; GRANT pg_read_all_data, pg_write_all_data, pg_signal_backend TO LOGIN",
			[]string{"reads every table", "writes every table", "ends other sessions", `GRANT SELECT ON "sales"."orders" TO LOGIN`}},
		{"predefined behind a group", "GRANT pg_monitor TO OTHERS; GRANT OTHERS TO LOGIN", []string{"is a member of OTHERS, which", "pg_monitor"}},
		{"without inheriting", "ALTER ROLE LOGIN NOINHERIT; GRANT INSERT ON sales.orders TO OTHERS; GRANT OTHERS TO LOGIN", []string{"is a member of OTHERS, which may INSERT on sales.orders", "REVOKE OTHERS FROM LOGIN"}},
		{"a group that is a superuser", "ALTER ROLE OTHERS SUPERUSER; GRANT OTHERS TO LOGIN", []string{"which is a superuser"}},
		{"a group that owns", "GRANT CREATE ON SCHEMA sales TO OTHERS; ALTER TABLE sales.payroll OWNER TO OTHERS; GRANT OTHERS TO LOGIN", []string{"owns 1 object"}},
		{"a group that only reads what is needed", "GRANT SELECT ON sales.orders TO OTHERS; GRANT OTHERS TO LOGIN", nil},
		{"a group that reads more", "REVOKE SELECT ON sales.orders FROM LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA sales TO OTHERS; GRANT OTHERS TO LOGIN",
			[]string{"reads what its roles don't: sales.payroll", `GRANT SELECT ON "sales"."orders" TO LOGIN`}},
		{"a table", "ALTER TABLE sales.orders OWNER TO LOGIN", []string{"owns 1 object", "REASSIGN OWNED BY LOGIN TO", `GRANT SELECT ON "sales"."orders" TO LOGIN`}},
		{"a schema", "ALTER SCHEMA sales OWNER TO LOGIN", []string{"owns 1 object"}},
		{"the database", "ALTER DATABASE DATABASE OWNER TO LOGIN", []string{"owns 1 object"}},
		{"writes", "GRANT INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON sales.orders TO LOGIN",
			[]string{"may DELETE, INSERT, REFERENCES, TRIGGER, TRUNCATE, UPDATE on sales.orders", "REVOKE DELETE, INSERT, REFERENCES, TRIGGER, TRUNCATE, UPDATE ON sales.orders FROM LOGIN"}},
		{"writes everybody may", `GRANT UPDATE ON sales."Order Lines" TO PUBLIC`, []string{"as everybody may", `REVOKE UPDATE ON sales."Order Lines" FROM PUBLIC`}},
		{"writes of a column", "GRANT UPDATE (note), INSERT (id) ON sales.orders TO LOGIN", []string{"REVOKE", "sales.orders"}},
		{"reads of a column", "GRANT SELECT (salary) ON sales.payroll TO LOGIN", []string{"reads what its roles don't: sales.payroll", "REVOKE SELECT ON sales.payroll FROM LOGIN"}},
		{"a column read by itself and the table by a group", `REVOKE SELECT ON sales.orders FROM LOGIN; GRANT SELECT (id) ON sales.orders TO LOGIN;
			GRANT SELECT, INSERT ON sales.orders TO OTHERS; GRANT OTHERS TO LOGIN`, []string{`GRANT SELECT ("note") ON "sales"."orders" TO LOGIN`, "REVOKE OTHERS FROM LOGIN"}},
		{"tables to come", "ALTER DEFAULT PRIVILEGES IN SCHEMA sales GRANT SELECT, INSERT ON TABLES TO LOGIN; ALTER DEFAULT PRIVILEGES FOR ROLE OTHERS GRANT UPDATE ON SEQUENCES TO PUBLIC",
			[]string{`will have INSERT, SELECT on tables that`, `makes in schema "sales"`, `will have UPDATE on sequences that OTHERS makes, as everybody will`, "ALTER DEFAULT PRIVILEGES FOR ROLE OTHERS REVOKE UPDATE ON SEQUENCES FROM PUBLIC"}},
		{"tables to come for a group", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO OTHERS; GRANT OTHERS TO LOGIN", []string{"is a member of OTHERS, which will have SELECT on tables that"}},
		{"functions to come", "ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO LOGIN", nil},
		{"grants of another", "GRANT INSERT ON sales.orders TO OTHERS WITH GRANT OPTION; GRANT USAGE ON SCHEMA sales TO OTHERS; SET ROLE OTHERS; GRANT INSERT ON sales.orders TO LOGIN; RESET ROLE",
			[]string{"SET ROLE OTHERS", "RESET ROLE"}},
		{"a catalog", "GRANT SELECT ON pg_catalog.pg_authid TO LOGIN", []string{"pg_catalog.pg_authid"}},
		{"a sequence", "GRANT USAGE, SELECT, UPDATE ON SEQUENCE sales.numbers TO LOGIN", []string{"on sequence sales.numbers", "REVOKE UPDATE, USAGE ON SEQUENCE sales.numbers FROM LOGIN"}},
		{"many tables", `DO $$ BEGIN FOR i IN 1..40 LOOP EXECUTE format('CREATE TABLE sales.t%s ()', i); END LOOP; END $$;
			GRANT INSERT ON ALL TABLES IN SCHEMA sales TO LOGIN; GRANT UPDATE ON ALL SEQUENCES IN SCHEMA sales TO PUBLIC`,
			[]string{"and 35 more", `REVOKE INSERT ON ALL TABLES IN SCHEMA "sales" FROM LOGIN`}},
		{"reads of many tables", `DO $$ BEGIN FOR i IN 1..40 LOOP EXECUTE format('CREATE TABLE sales.t%s ()', i); END LOOP; END $$;
			GRANT SELECT ON ALL TABLES IN SCHEMA sales TO LOGIN`, []string{"reads what its roles don't"}},
		{"schemas", "GRANT CREATE ON SCHEMA sales TO LOGIN; GRANT CREATE ON SCHEMA public TO PUBLIC", []string{"CREATE on schema sales", "CREATE on schema public, as everybody may"}},
		{"database", "GRANT CREATE ON DATABASE DATABASE TO LOGIN; GRANT TEMPORARY ON DATABASE DATABASE TO PUBLIC", []string{"CREATE on database", "TEMPORARY on database"}},
		{"a builtin that initdb keeps", "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text), pg_catalog.pg_ls_dir(text) TO LOGIN",
			[]string{"pg_catalog.pg_read_file(text)", "pg_catalog.pg_ls_dir(text)", "which Postgres gives to nobody"}},
		{"a builtin that everybody got", "GRANT EXECUTE ON FUNCTION pg_catalog.pg_stat_file(text) TO PUBLIC", []string{"pg_catalog.pg_stat_file", "FROM PUBLIC"}},
		{"security definer", "GRANT EXECUTE ON FUNCTION sales.peek() TO PUBLIC", []string{"SECURITY DEFINER): sales.peek()"}},
		{"a procedure", `CREATE PROCEDURE sales."Do It"(a int, INOUT b sales.orders) LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN END$$`, []string{`ROUTINE sales."Do It"(`}},
		{"C", "CREATE FUNCTION sales.regexp(text) RETURNS text LANGUAGE internal AS 'upper'; CREATE FUNCTION sales.c(internal) RETURNS internal LANGUAGE c AS '$libdir/dict_snowball', 'dsnowball_init'", []string{"is C: sales.c(internal)"}},
		{"foreign servers", "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER far FOREIGN DATA WRAPPER w; GRANT USAGE ON FOREIGN DATA WRAPPER w TO LOGIN; GRANT USAGE ON FOREIGN SERVER far TO LOGIN",
			[]string{"USAGE on foreign server far", "USAGE on foreign data wrapper w"}},
		{"large objects", "SELECT lo_create(4711); SELECT lo_create(4712); GRANT SELECT, UPDATE ON LARGE OBJECT 4711, 4712 TO LOGIN", []string{"large object 4711, 4712"}},
		{"making large objects", "GRANT EXECUTE ON FUNCTION pg_catalog.lo_create(oid) TO PUBLIC", []string{"creates large objects: pg_catalog.lo_create(oid)"}},
		{"writing transactions", "ALTER ROLE LOGIN RESET default_transaction_read_only", []string{"default_transaction_read_only"}},
		{"everything at once", `ALTER ROLE LOGIN SUPERUSER CREATEDB; ALTER TABLE sales.orders OWNER TO LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA sales TO OTHERS, PUBLIC;
			GRANT OTHERS, pg_read_all_data TO LOGIN; GRANT ALL ON SCHEMA sales TO LOGIN; ALTER ROLE LOGIN RESET ALL`, []string{"owns 1 object"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			w.clean()
			w.fresh()
			names := strings.NewReplacer("LOGIN", w.login, "OTHERS", w.others, "DATABASE DATABASE", "DATABASE "+w.database)
			w.exec(names.Replace(c.setup))
			got := text(w.read())
			if c.want == nil && got != "" {
				t.Fatalf("found\n%s", got)
			}
			for _, want := range c.want {
				if !strings.Contains(got, names.Replace(want)) {
					t.Errorf("no %q in\n%s", names.Replace(want), got)
				}
			}
			for _, p := range w.read() {
				for _, sql := range p.SQL {
					w.exec(sql)
				}
			}
			// Nothing else is needed: one time is enough.
			if left := text(w.read()); c.want != nil && left != "" {
				t.Errorf("left after\n%s\nis\n%s", got, left)
			}
		})
	}
}

// Where a role reads some of a table's columns, they are granted and no more.
func TestKeepsColumns(t *testing.T) {
	w := newWorld(t)
	w.uses.Columns[catalog.Name{Schema: "sales", Table: "orders"}] = []string{"id"}
	w.exec("REVOKE SELECT ON sales.orders FROM " + w.login + "; GRANT SELECT, INSERT ON sales.orders TO " + w.others + "; GRANT " + w.others + " TO " + w.login)
	found := w.read()
	if got, want := text(found), `GRANT SELECT ("id") ON "sales"."orders" TO `+w.login+";"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	for _, p := range found {
		for _, sql := range p.SQL {
			w.exec(sql)
		}
	}
	if left := text(w.read()); left != "" {
		t.Errorf("left is\n%s", left)
	}
}

// What a role's functions.allow names is needed.
func TestAllowedFunctions(t *testing.T) {
	w := newWorld(t)
	w.exec("GRANT EXECUTE ON FUNCTION sales.peek() TO " + w.login)
	w.uses.Function = func(schema, name string) bool { return schema == "sales" && name == "peek" }
	if got := text(w.read()); got != "" {
		t.Error(got)
	}
}

// The first superuser can't be made weaker, and is told so alone.
func TestFirstSuperuser(t *testing.T) {
	w := newWorld(t)
	found, err := powers.Read(t.Context(), w.super, w.uses)
	if err != nil || len(found) != 1 || found[0].SQL != nil || !strings.Contains(found[0].What, "login of their own") {
		t.Errorf("%+v, %v", found, err)
	}
}
