package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// FuzzAuthorize: whatever is asked, an approved text is one statement that
// reads no relation but those the facts name, and those only schema-qualified
// and readable; it calls nothing by a foreign schema and writes nothing.
func FuzzAuthorize(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			if line != "" && !strings.HasPrefix(line, "== ") && !strings.HasPrefix(line, "-- ") {
				f.Add(line)
			}
		}
	}
	v := view(f, attributes, "analyst")
	readable := map[catalog.Name]bool{}
	for _, g := range v.Describe() {
		readable[g.Table] = true
	}
	f.Fuzz(func(t *testing.T, sql string) {
		statements, err := stmt.Parse(sql, stmt.DefaultLimits())
		if err != nil {
			return
		}
		for _, s := range statements {
			if s.Tree == nil {
				continue
			}
			a, err := v.Authorize(s, policy.Options{Cap: true})
			if err == nil {
				inspect(t, a, readable)
			}
		}
	})
}

func inspect(t *testing.T, a policy.Approved, readable map[catalog.Name]bool) {
	tree, err := stmt.ParseOne(a.SQL(), stmt.Limits{Bytes: 1 << 26, Tokens: 1 << 20, Depth: 5000, Chain: 5000})
	if err != nil {
		t.Fatalf("approved text doesn't parse: %v\n%s", err, a.SQL())
	}
	ctes := map[string]bool{}
	_ = stmt.Walk(tree, func(m protoreflect.Message, _ stmt.Path) error {
		if c, ok := m.Interface().(*pg_query.CommonTableExpr); ok {
			ctes[c.Ctename] = true
		}
		return nil
	})
	_ = stmt.Walk(tree, func(m protoreflect.Message, _ stmt.Path) error {
		switch n := m.Interface().(type) {
		case *pg_query.RangeVar:
			if n.Schemaname == "" && ctes[n.Relname] {
				return nil
			}
			if !readable[catalog.Name{Schema: n.Schemaname, Table: n.Relname}] {
				t.Fatalf("reads %s.%s\n%s", n.Schemaname, n.Relname, a.SQL())
			}
		case *pg_query.FuncCall:
			if len(n.Funcname) > 1 && n.Funcname[0].GetString_().GetSval() != "pg_catalog" {
				t.Fatalf("calls a foreign function\n%s", a.SQL())
			}
		case *pg_query.ColumnRef:
			for _, f := range n.Fields {
				if f.GetString_().GetSval() == "tax_id" && !strings.Contains(a.SQL(), " AS tax_id") {
					t.Fatalf("names a denied column\n%s", a.SQL())
				}
			}
		case *pg_query.InsertStmt, *pg_query.UpdateStmt, *pg_query.DeleteStmt, *pg_query.MergeStmt, *pg_query.IntoClause, *pg_query.LockingClause:
			t.Fatalf("writes\n%s", a.SQL())
		}
		return nil
	})
}

func BenchmarkAuthorize(b *testing.B) {
	v := view(b, attributes, "analyst")
	for name, sql := range map[string]string{
		"point": "SELECT id, name FROM accounts WHERE id = $1",
		"join":  "SELECT a.region, count(*), sum(o.amount) FROM accounts a JOIN orders o ON o.account_id = a.id WHERE o.ordered_at > now() - interval '1 month' GROUP BY a.region ORDER BY 2 DESC LIMIT 10",
	} {
		b.Run(name, func(b *testing.B) {
			n, err := stmt.ParseOne(sql, stmt.DefaultLimits())
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := v.Authorize(stmt.Statement{Text: sql, Tree: n}, policy.Options{Cap: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
