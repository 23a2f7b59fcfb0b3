package plan_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example is one plan of LANGUAGE.md and the SQL that means the same.
type example struct{ plan, sql string }

var fences = regexp.MustCompile("(?s)```json\n(.*?)```\n```sql\n(.*?)```")

func examples(t testing.TB) []example {
	t.Helper()
	b, err := os.ReadFile("LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	for _, m := range fences.FindAllStringSubmatch(string(b), -1) {
		out = append(out, example{m[1], m[2]})
	}
	if n := strings.Count(string(b), "```json"); n != len(out) || n == 0 {
		t.Fatalf("%d plans, of which %d have their SQL", n, len(out))
	}
	return out
}

// database is the star schema on a real server, and its snapshot.
func database(t testing.TB) (*pgx.Conn, plan.Context) {
	t.Helper()
	srv := postgres.ForTest(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, srv.DSN(srv.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	script, err := os.ReadFile("testdata/star.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, string(script)+"; SET timezone = 'Asia/Kolkata'"); err != nil {
		t.Fatal(err)
	}
	s, err := catalog.Read(ctx, conn, catalog.Options{Samples: true})
	if err != nil {
		t.Fatal(err)
	}
	m, faults := semantic.Build(meaning(), s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return conn, plan.Context{Catalog: s, Semantic: m, Today: "2026-06-30"}
}

// table is a result: column names and types, then rows in text form.
func table(t testing.TB, conn *pgx.Conn, sql string) [][]string {
	t.Helper()
	out, err := query(conn, sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	return out
}

func query(conn *pgx.Conn, sql string) ([][]string, error) {
	rr := conn.PgConn().ExecParams(context.Background(), sql, nil, nil, nil, nil)
	var out [][]string
	for rr.NextRow() {
		var values []string
		for _, v := range rr.Values() {
			text := string(v)
			if v == nil {
				text = "∅"
			}
			values = append(values, trimZeros(text))
		}
		out = append(out, values)
	}
	var names []string
	for _, f := range rr.FieldDescriptions() {
		names = append(names, f.Name)
	}
	_, err := rr.Close()
	return append([][]string{names}, out...), err
}

var number = regexp.MustCompile(`^-?\d+\.\d+$`)

// trimZeros makes numerics of different scale equal.
func trimZeros(s string) string {
	if !number.MatchString(s) {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Every example gives the rows of its hand-written SQL, over the fixed date as
// over CURRENT_DATE, and columns of the names and types that it promised.
func TestExamplesRun(t *testing.T) {
	conn, c := database(t)
	d := &describer{conn: conn, names: map[[2]int64]string{}}
	for i, x := range examples(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			checked, sql := sqlOf(t, x.plan, c)
			if diff := cmp.Diff(table(t, conn, x.sql), table(t, conn, sql)); diff != "" {
				t.Errorf("%s\n(-by hand +plan):\n%s", sql, diff)
			}
			d.check(t, checked, sql)
			symbolic := c
			symbolic.Today = ""
			if _, sql = sqlOf(t, x.plan, symbolic); strings.Contains(x.plan, `"date":`) || strings.Contains(x.plan, `"period":`) {
				if !strings.Contains(strings.ToLower(sql), "current_date") {
					t.Errorf("a date became a constant: %s", sql)
				}
				table(t, conn, sql)
			}
		})
	}
}

// fatal is what testing's and rapid's T have in common.
type fatal interface {
	Helper()
	Fatalf(format string, args ...any)
}

// describer compares promised columns with Postgres's own description.
type describer struct {
	conn  *pgx.Conn
	names map[[2]int64]string
}

func (d *describer) check(t fatal, checked *plan.Checked, sql string) {
	t.Helper()
	described, err := d.conn.Prepare(context.Background(), "", sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	var got, want []plan.Column
	for _, f := range described.Fields {
		got = append(got, plan.Column{Name: f.Name, Type: d.name(t, f.DataTypeOID, f.TypeModifier)})
	}
	for _, col := range checked.Columns() {
		want = append(want, plan.Column{Name: col.Name, Type: strings.TrimPrefix(col.Type, "public.")})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s\n(-promised +described):\n%s", sql, diff)
	}
}

// name is format_type's, asked once for each type.
func (d *describer) name(t fatal, oid uint32, modifier int32) string {
	t.Helper()
	k := [2]int64{int64(oid), int64(modifier)}
	if d.names[k] == "" {
		var name string
		if err := d.conn.QueryRow(context.Background(), "SELECT format_type($1, $2)", oid, modifier).Scan(&name); err != nil {
			t.Fatalf("%v", err)
		}
		d.names[k] = name
	}
	return d.names[k]
}

func TestExamplesGolden(t *testing.T) {
	var b strings.Builder
	for i, x := range examples(t) {
		checked, sql := sqlOf(t, x.plan, testContext(t))
		a, err := json.Marshal(checked.Annotations())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "-- %d %s\n%s\n%s\n%s\n", i, checked.Hash()[:12], stmt.Pretty(sql), checked.Columns(), a)
		for _, q := range checked.Qualifiers() {
			fmt.Fprintf(&b, "! %s\n", q)
		}
	}
	golden(t, "testdata/examples.golden", b.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// The canonical form means the same as the plan, and is its own canonical form.
func TestCanonicalIsStable(t *testing.T) {
	c := testContext(t)
	regions := `{"version": 1, "from": {"table": "public.accounts"}, "select": [{"expr": {"column": "region"}}], "group_by": [{"column": "region"}]}`
	for _, x := range append(examples(t), example{plan: regions}) { // which nothing but group_by makes one row each
		first, sql := sqlOf(t, x.plan, c)
		b, err := json.Marshal(first.Plan())
		if err != nil {
			t.Fatal(err)
		}
		second, again := sqlOf(t, string(b), c)
		if sql != again || first.Hash() != second.Hash() {
			t.Errorf("%s\n%s\n%s", b, sql, again)
		}
	}
}

// The list of functions and codes in LANGUAGE.md is the code's own.
func TestLanguageIsComplete(t *testing.T) {
	b, err := os.ReadFile("LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Functions() {
		if row := fmt.Sprintf("| `%s` | %s | %s | %s |", f.Name, f.Args, f.Result, f.Doc); !strings.Contains(string(b), row) {
			t.Errorf("LANGUAGE.md lacks %s", row)
		}
	}
	src, err := os.ReadFile("reject.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Code = "([A-Z_]+)"`).FindAllStringSubmatch(string(src), -1) {
		if !strings.Contains(string(b), m[1]) {
			t.Errorf("LANGUAGE.md lacks code %s", m[1])
		}
	}
}
