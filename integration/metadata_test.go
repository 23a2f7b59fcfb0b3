package integration

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pgask/pgask/integration/postgres"
)

// toolNames adds what tools trip over to the database of policy/testdata, in
// which all that the clerk may not see has hush in its name or text.
const toolNames = `
CREATE SCHEMA "Odd ""Schema"" é";
CREATE TABLE "Odd ""Schema"" é"."Täble.1" ("Schlüssel" int PRIMARY KEY, "a.b" text, "hush col" text, "select" sales.shown_status);
CREATE TABLE "Odd ""Schema"" é"."Child" (id int PRIMARY KEY, "Parent" int REFERENCES "Odd ""Schema"" é"."Täble.1");
CREATE INDEX "An Index" ON "Odd ""Schema"" é"."Täble.1" ("a.b" DESC, "Schlüssel");
COMMENT ON COLUMN "Odd ""Schema"" é"."Täble.1"."a.b" IS 'a shown comment';
CREATE TABLE sales.shown_events_2021 PARTITION OF sales.shown_events FOR VALUES FROM ('2021-01-01') TO ('2022-01-01');
`

const toolPolicy = `version: 1
roles:
  clerk:
    mode: governed
    databases: [shop]
    search_path: [sales, public]
    tables: {allow: ['sales.shown_*', sales.shown_view, sales.shown_totals, '"Odd ""Schema"" é".*']}
    functions: {allow: [sales.shown_year]}
    columns:
      - {table: sales.shown_orders, deny: [hush_column], mask: {note: "'***'"}}
      - {table: '"Odd ""Schema"" é"."Täble.1"', deny: ['"hush col"']}
`

// toolsWorld is such a database behind a pgask, whose login may see everything.
type toolsWorld struct {
	server   *postgres.Server
	database string
	addr     string
}

func newToolsWorld(t *testing.T) *toolsWorld {
	t.Helper()
	w := &toolsWorld{server: postgres.ForTest(t)}
	w.database = w.server.CreateDatabase(t)
	admin := connect(t, w.server.DSN(w.database))
	load(t, admin, "../policy/testdata/catalogs.sql")
	if _, err := admin.Exec(t.Context(), toolNames); err != nil {
		t.Fatal(err)
	}
	w.addr = serveFiles(t, fmt.Sprintf("databases:\n  shop: {dsn: %s, pool: {mode: session, size: 20}}\n", quoted(w.server.DSN(w.database))), map[string]string{
		"policy.yaml": toolPolicy,
		"users.yaml":  fmt.Sprintf("users:\n  - {name: ana, password: %q, role: clerk}\n", verifier(t)),
	}).addr
	return w
}

// ask runs a tool's program as the clerk and gives its lines.
func (w *toolsWorld) ask(t *testing.T, command []string, rest ...string) []string {
	t.Helper()
	host, port, err := net.SplitHostPort(w.addr)
	if err != nil {
		t.Fatal(err)
	}
	return w.run(t, append(append(command, host, port, "shop", "ana", "analyst"), rest...))
}

// direct runs it as the superuser.
func (w *toolsWorld) direct(t *testing.T, command []string, rest ...string) []string {
	t.Helper()
	u, err := url.Parse(w.server.DSN(w.database))
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	return w.run(t, append(append(command, u.Hostname(), u.Port(), w.database, u.User.Username(), password), rest...))
}

func (w *toolsWorld) run(t *testing.T, command []string) []string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8", "LC_ALL=C.UTF-8")
	out, err := output(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out), "\n")
}

// check wants no hidden word, no error, and a line with each of the parts.
func (w *toolsWorld) check(t *testing.T, lines []string, wanted ...string) {
	t.Helper()
	for _, l := range lines {
		for _, secret := range []string{"hush", w.database} {
			if strings.Contains(strings.ToLower(l), secret) && !strings.HasPrefix(l, "has_table ") {
				t.Errorf("a hidden word: %s", l)
			}
		}
		if strings.HasPrefix(l, "error|") {
			t.Error(l)
		}
	}
	all := strings.Join(lines, "\n")
	for _, want := range wanted {
		if !strings.Contains(all, want) {
			t.Errorf("nothing says %q", want)
		}
	}
}

// TestMetadataJDBC calls every method of DatabaseMetaData. What the driver
// itself doesn't implement fails direct too.
func TestMetadataJDBC(t *testing.T) {
	w := newToolsWorld(t)
	program := []string{"java", "-cp", "/usr/share/java/postgresql.jar", "testdata/Metadata.java"}
	query := "SELECT o.id, o.status, c.name AS customer FROM sales.shown_orders o JOIN sales.shown_customers c ON c.id = o.customer"
	faulty := map[string]bool{}
	for _, l := range w.direct(t, program, "sales", "shown_orders", query) {
		if strings.HasPrefix(l, "error|") {
			faulty[l] = true
		}
	}
	var lines []string
	for _, l := range w.ask(t, program, "sales", "shown_orders", query) {
		if !faulty[l] {
			lines = append(lines, l)
		}
	}
	w.check(t, lines, "getTables|null|sales|shown_orders|TABLE", "getTables|null|sales|shown_view|VIEW", "getColumns|null|sales|shown_orders|status|",
		`getTables|null|Odd "Schema" é|Täble.1|TABLE`, `getColumns|null|Odd "Schema" é|Täble.1|a.b|12|text`, "|a shown comment|",
		"getPrimaryKeys|null|sales|shown_orders|id|1|shown_orders_pkey", "getImportedKeys|null|sales|shown_customers|id|null|sales|shown_orders|customer|",
		"getExportedKeys|null|sales|shown_customers|id", "getIndexInfo|null|sales|shown_orders|t|null|shown_index|3|1|customer|A",
		"getSchemas|sales", `getSchemas|Odd "Schema" é`, "getCatalogs|shop", "getTypeInfo|int4", "getTypeInfo|shown_status", "getFunctions|shop|sales|shown_year",
		"getTablePrivileges|", "getColumnPrivileges|", "getUserName|ana", "getTableTypes|TABLE", "getBestRowIdentifier|2|id|",
		"result|id|int4|", "result|status|")
}

func TestMetadataODBC(t *testing.T) {
	w := newToolsWorld(t)
	lines := w.ask(t, []string{"/usr/bin/python3", "testdata/metadata_odbc.py"}, "sales", "shown_orders")
	w.check(t, lines, "tables|shop|sales|shown_orders|TABLE", "tables|shop|sales|shown_view|VIEW", "columns|shop|sales|shown_orders|status|",
		"primaryKeys|shop|sales|shown_orders|id|1|shown_orders_pkey", "foreignKeys|shop|sales|shown_customers|id|shop|sales|shown_orders|customer|1",
		"statistics|shop|sales|shown_orders|1|sales|shown_index|3|1|customer|A", "getTypeInfo|int4", "Täble.1", "procedures|", "rowVerColumns|")
}

func TestMetadataSQLAlchemy(t *testing.T) {
	w := newToolsWorld(t)
	lines := w.ask(t, []string{"/usr/bin/python3", "testdata/metadata_sqlalchemy.py"}, "sales", "shown_orders")
	w.check(t, lines, "get_table_names|()|shown_orders", "get_view_names|()|shown_view", `get_table_names|()|Täble.1`, "get_pk_constraint|('shown_orders',)|",
		"'referred_table': 'shown_customers'", "'name': 'shown_index'", "'name': 'An Index'", "get_enums|()|", "has_table None True False",
		"reflected sales.shown_orders ['id', 'customer', 'status'", "get_table_comment|('shown_orders',)|{'text': 'shown comment'}", "row ")
}
