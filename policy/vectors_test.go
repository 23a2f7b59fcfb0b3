package policy_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// TestVectors: a column of embeddings can be compared with a constant, in the one form whose operator
// is certain, and what comes out is within the rule on rows.
func TestVectors(t *testing.T) {
	ctx := context.Background()
	srv := postgres.ForTest(t)
	conn, err := pgx.Connect(ctx, srv.DSN(srv.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `CREATE SCHEMA ext; CREATE EXTENSION vector SCHEMA ext; CREATE TYPE ext.pair AS (a int, b int);
		CREATE TABLE docs (id int PRIMARY KEY, tenant int, said text, near ext.vector(2), pair ext.pair);
		INSERT INTO docs VALUES (1, 1, 'a', '[1,0]'), (2, 2, 'b', '[1,0.1]'), (3, 1, 'c', '[0,1]')`); err != nil {
		t.Fatal(err)
	}
	v, _ := clerkView(t, conn, &configs.Role{Name: "clerk", Mode: "governed", SearchPath: []string{"public"}, Refusals: "explicit",
		Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.docs")}, Scopes: []configs.Scope{{Tables: patterns(t, "public.docs"), Where: "tenant = 1"}}})
	const to = " '[1,0]'::ext.vector"
	for _, c := range []struct {
		sql     string
		allowed bool
	}{
		{"SELECT id FROM docs ORDER BY near OPERATOR(ext.<=>)" + to + " LIMIT 2", true},
		{"SELECT id FROM docs d ORDER BY d.near OPERATOR(ext.<->)" + to + ", id", true},
		{"SELECT id FROM docs WHERE near OPERATOR(ext.<#>)" + to + " < 5 ORDER BY near OPERATOR(ext.<=>)" + to, true},
		{"SELECT id FROM docs ORDER BY near <=>" + to, false},
		{"SELECT id FROM docs ORDER BY near OPERATOR(public.<=>)" + to, false},
		{"SELECT id FROM docs ORDER BY near OPERATOR(ext.<+>)" + to, false},
		{"SELECT id FROM docs ORDER BY near OPERATOR(ext.+)" + to, false},
		{"SELECT id FROM docs ORDER BY said OPERATOR(ext.<=>)" + to, false},
		{"SELECT id FROM docs ORDER BY near OPERATOR(ext.<=>) said::ext.vector", false},
		{"SELECT id FROM docs ORDER BY near OPERATOR(ext.<=>) '[1,0]'::ext.halfvec", false},
		{"SELECT id FROM docs ORDER BY near OPERATOR(ext.<=>) '[1,0]'", false},
		{"SELECT id FROM docs ORDER BY" + to + " OPERATOR(ext.<=>) near", false},
		{"SELECT id FROM (SELECT id, said AS near FROM docs) d ORDER BY near OPERATOR(ext.<=>)" + to, false},
		{"SELECT" + to + " FROM docs", false},
	} {
		st, err := stmt.Parse(c.sql, stmt.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		a, err := v.Authorize(st[0], policy.Options{})
		if (err == nil) != c.allowed {
			t.Errorf("%s: %v, want allowed %v", c.sql, err, c.allowed)
		}
		if err != nil || !c.allowed {
			continue
		}
		rows, err := conn.Query(ctx, a.SQL())
		if err != nil {
			t.Fatal(err)
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int])
		if err != nil || !slices.Equal(ids, []int{1, 3}) {
			t.Errorf("%s: %v, %v", a.SQL(), ids, err)
		}
	}
}
