package policy_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

const rlsSchema = `
CREATE TYPE public.order_status AS ENUM ('new', 'paid', 'refunded');
CREATE TABLE public.accounts (id int PRIMARY KEY, tenant_id int, name text, region text, secret int);
CREATE TABLE public.orders (id int PRIMARY KEY, account_id int, tenant_id int, amount int, status public.order_status);
CREATE TABLE public.items (order_id int, product_id int, qty int);
CREATE TABLE public.products (id int PRIMARY KEY, price int);
INSERT INTO accounts SELECT i, nullif(i % 3, 0), 'account ' || i % 7, (ARRAY['EMEA','APAC'])[1 + i % 2], i * 10 FROM generate_series(1, 14) i;
INSERT INTO orders SELECT i, 1 + i * 7 % 17, nullif(1 + i % 4, 4), CASE WHEN i % 9 > 0 THEN i * 3 END, (ARRAY['new','paid','refunded']::order_status[])[1 + i % 3] FROM generate_series(1, 25) i;
INSERT INTO items SELECT 1 + i % 29, 1 + i % 12, i % 5 FROM generate_series(1, 40) i;
INSERT INTO products SELECT i, i * 5 FROM generate_series(1, 5) i;
CREATE TABLE public.traps (id int, tenant_id int, code text, doc jsonb, nums int[]);
INSERT INTO traps SELECT i, 1 + i % 2, CASE i % 2 WHEN 0 THEN i::text ELSE '(\' END, CASE i % 2 WHEN 0 THEN 'true' ELSE '{}' END::jsonb, ARRAY[i, 2] FROM generate_series(1, 12) i;
ALTER TABLE traps ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON traps USING (tenant_id = 1);
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
ALTER TABLE orders ENABLE ROW LEVEL SECURITY;
ALTER TABLE items ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON accounts USING (tenant_id = 1);
CREATE POLICY p ON orders USING (tenant_id = 1);
CREATE POLICY p ON items USING (EXISTS (SELECT 1 FROM orders o WHERE o.id = items.order_id));
ANALYZE;`

// oracle is one database seen by two roles: the reader, which may see
// everything and gets approved SQL, and the analyst, whom Postgres's own row
// level security and column grants keep to tenant 1.
type oracle struct {
	view                   *policy.View
	super, reader, analyst *pgx.Conn
}

func newOracle(t *testing.T) *oracle {
	ctx := context.Background()
	srv := postgres.ForTest(t)
	db := srv.CreateDatabase(t)
	super := connect(t, srv.DSN(db), nil)
	reader, analyst := "reader_"+db, "analyst_"+db
	setup := rlsSchema + fmt.Sprintf(`
CREATE ROLE %[1]q LOGIN BYPASSRLS PASSWORD 'x'; CREATE ROLE %[2]q LOGIN PASSWORD 'x';
GRANT SELECT ON ALL TABLES IN SCHEMA public TO %[1]q;
GRANT SELECT ON orders, items, products, traps TO %[2]q; GRANT SELECT (id, tenant_id, name, region) ON accounts TO %[2]q;`, reader, analyst)
	if _, err := super.Exec(ctx, setup); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := super.Exec(ctx, fmt.Sprintf("DROP OWNED BY %[1]q, %[2]q; DROP ROLE %[1]q, %[2]q", reader, analyst))
		if err != nil {
			t.Error(err)
		}
	})
	snapshot, err := catalog.Read(ctx, super, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	role := rlsRole(t)
	v, err := role.View(snapshot, map[string]any{"tenant_id": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	return &oracle{view: v, super: super, reader: connect(t, srv.UserDSN(db, reader, "x"), policy.Pinned(role)),
		analyst: connect(t, srv.UserDSN(db, analyst, "x"), nil)}
}

func rlsRole(t *testing.T) *policy.Role {
	c := &configs.Role{Name: "analyst", Mode: "governed", SearchPath: []string{"public"},
		Tables:  configs.Access[configs.Pattern]{Allow: patterns(t, "public.*")},
		Columns: []configs.ColumnRule{{Table: name(t, "public.accounts"), Deny: []string{"secret"}}},
		Scopes: []configs.Scope{{Tables: patterns(t, "public.accounts", "public.orders", "public.traps"), Where: "tenant_id = :tenant_id"},
			{Tables: patterns(t, "public.items"), Via: &configs.Via{Parent: name(t, "public.orders"), Columns: map[string]string{"order_id": "id"}}}},
		Limits: configs.RoleLimits{Rows: 100_000, StatementTimeout: 20 * time.Second}}
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"analyst": c}})
	if p == nil {
		t.Fatal(faults)
	}
	r, err := p.RoleFor(auth.Principal{User: "ana", Roles: []string{"analyst"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func connect(t *testing.T, dsn string, settings map[string]string) *pgx.Conn {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range settings {
		c.RuntimeParams[k] = v
	}
	conn, err := pgx.ConnectConfig(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// rows runs a statement and returns its column names and rows in text form.
func rows(c *pgx.Conn, sql string) ([]string, error) {
	results, err := c.PgConn().Exec(context.Background(), sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range results {
		var names []string
		for _, f := range r.FieldDescriptions {
			names = append(names, f.Name)
		}
		out = append(out, strings.Join(names, "|"))
		for _, row := range r.Rows {
			out = append(out, fmt.Sprintf("%q", row))
		}
	}
	return out, nil
}

// compare runs a statement on both sides. What Postgres refuses to the analyst
// must not be approved with rows that it would not give.
func (o *oracle) compare(t interface {
	Fatalf(string, ...any)
}, sql string) {
	want, wantErr := rows(o.analyst, sql)
	a, err := authorize(o.view, sql, policy.Options{})
	if err != nil {
		if wantErr == nil {
			t.Fatalf("refused, but Postgres answers the analyst: %v\n%s", err, sql)
		}
		return
	}
	got, gotErr := rows(o.reader, a.SQL())
	if wantErr != nil {
		if gotErr == nil {
			t.Fatalf("Postgres refuses the analyst (%v), but this ran\n%s\n%s", wantErr, sql, a.SQL())
		}
		return
	}
	if gotErr != nil {
		t.Fatalf("approved SQL fails: %v\n%s\n%s", gotErr, sql, a.SQL())
	}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("rows differ (-Postgres +approved):\n%s\n%s\n%s", d, sql, a.SQL())
	}
}

// TestForms holds single forms of SQL against row level security.
func TestForms(t *testing.T) {
	o := newOracle(t)
	for _, sql := range []string{
		"SELECT * FROM orders NATURAL JOIN products",
		"SELECT secret FROM accounts",
		"SELECT name FROM accounts WHERE secret > 5",
		"SELECT 1 / (tenant_id - 2) FROM orders",
		"SELECT id FROM orders WHERE 1 / (tenant_id - 2) < 5",
		"SELECT order_id FROM items WHERE 1 / (order_id % 4 - 3) < 5",
		"SELECT a.id, a.name, a.region, count(*) FROM accounts a JOIN orders o ON o.account_id = a.id GROUP BY a.id",
		"SELECT j.name, count(*) FROM (accounts a JOIN items i ON i.order_id = a.id) AS j GROUP BY j.id",
		"SELECT j.name, count(*) FROM (accounts a JOIN items i ON i.order_id = a.id) AS j, accounts a WHERE a.id < 9 GROUP BY j.id",
		"SELECT k.m, count(*) FROM ((orders a JOIN items i ON i.order_id = a.id) AS j JOIN products AS p ON p.id = j.qty) AS k (n, t, m) GROUP BY n",
		"SELECT j.m, count(*) FROM (items i JOIN orders a ON i.order_id = a.id) AS j (o, p, q, n, k, t, m) GROUP BY n",
		"SELECT status, count(*) FROM orders WHERE status > 'new' GROUP BY status",
		"SELECT o FROM orders o",
		"SELECT to_jsonb(o) FROM orders o",
		"SELECT (o).amount FROM orders o",
		"SELECT id, sum(amount) OVER w FROM orders WINDOW w AS (PARTITION BY account_id ORDER BY id)",
		"SELECT public.orders.id FROM public.orders",
		"SELECT status::text, 'paid'::order_status FROM orders",
		"WITH RECURSIVE t(id, n) AS (SELECT id, 1 FROM accounts WHERE id < 5 UNION ALL SELECT o.id, n + 1 FROM orders o JOIN t ON o.account_id = t.id WHERE n < 3) SELECT * FROM t",
		"SELECT region, status, count(*) FROM accounts a JOIN orders o ON o.account_id = a.id GROUP BY GROUPING SETS ((region), (status), ())",
		"SELECT DISTINCT ON (account_id) account_id, id FROM orders ORDER BY account_id, id DESC",
		"SELECT l.id FROM accounts a CROSS JOIN LATERAL (SELECT o.id FROM orders o WHERE o.account_id = a.id ORDER BY o.id LIMIT 2) l",
		"SELECT count(*) FILTER (WHERE amount > 100), string_agg(id::text, ',' ORDER BY id) FROM orders",
		"SELECT id FROM orders TABLESAMPLE SYSTEM (100)",
		"SELECT t.s FROM accounts a, unnest(ARRAY[a.name, a.region]) AS t(s)",
		"SELECT extract(day FROM date '2024-05-06'), trim('  x '), substring('abc' FROM 2), overlay('abc' PLACING 'x' FROM 1), position('b' IN 'abc')",
		"SELECT id FROM orders ORDER BY id FETCH FIRST 3 ROWS WITH TIES",
		"SELECT id FROM orders ORDER BY id LIMIT (SELECT count(*) / 9 FROM orders) OFFSET 2",
		"VALUES (1, 'a'), (2, 'b')",
		"SELECT x.id FROM (orders o JOIN items i ON i.order_id = o.id) AS x",
		"SELECT j.id FROM accounts JOIN orders USING (id) AS j",
		`SELECT "order".id FROM orders JOIN items ON true JOIN products USING (id) AS "order"`,
		`SELECT id, rank() OVER "order" FROM orders WINDOW "order" AS (ORDER BY amount)`,
		"SELECT (SELECT min(id) FROM orders)::int, (SELECT max(amount) FROM orders)::numeric(10,2)",
		"SELECT (ARRAY[1, 2])[1], (SELECT 1)::text, (CASE WHEN true THEN 1 END)::text",
		"SELECT id FROM orders WHERE (amount IS DISTINCT FROM tenant_id) IS NOT TRUE",
		"SELECT id FROM orders WHERE ((amount, 1) IS NOT DISTINCT FROM (tenant_id, 2)) IS NOT FALSE",
		"SELECT (coalesce(nums, '{}'))[1:1], (CASE WHEN id > 3 THEN nums END)[1], (greatest(nums, '{5}'))[2] FROM traps",
		"SELECT id FROM traps WHERE (id IN (SELECT id FROM orders)) IS TRUE",
		"SELECT id FROM traps WHERE 'abc1' ~ code",
		"SELECT id FROM traps WHERE 'a' LIKE code",
		"SELECT id FROM traps WHERE 'a' !~* code OR 'a' SIMILAR TO code",
		"SELECT id FROM traps WHERE doc::bool",
		"SELECT id FROM traps WHERE (doc::bool) IS TRUE AND jsonb_path_match(doc, '$')",
		"SELECT id FROM traps WHERE code::int > 3",
		"SELECT a.id FROM traps a LEFT JOIN traps b ON a.id = b.id AND 'x' ~ b.code",
		"WITH products AS (SELECT 1 AS id) SELECT id FROM products TABLESAMPLE SYSTEM (100)",
		"TABLE products",
		"SELECT (ARRAY[10, 20, 30])[2], (ARRAY[ARRAY[1, 2], ARRAY[3, 4]])[2][1], (ARRAY['a', 'b'])[1:1], (ARRAY(SELECT id FROM orders ORDER BY id))[3]",
		"SELECT (ARRAY[id, amount])[2] FROM orders",
		"SELECT (VALUES (1)), (SELECT max(id) FROM orders), EXISTS (SELECT FROM orders), ARRAY(SELECT id FROM orders WHERE id < 9), CASE WHEN true THEN 1 END, NULLIF(1, 2), GREATEST(1, 2), (1, 2), TRUE",
		"SELECT COALESCE(max(o.amount), 0), now() IS NULL, 'a' || 'b', o.id::text FROM orders o GROUP BY o.id",
		"SELECT current_date IS NULL, session_user IS NULL, localtime IS NULL",
		"SELECT * FROM (orders CROSS JOIN products) AS j (a, b, c, d, e, f, g)",
		"SELECT * FROM orders o FULL JOIN items i ON i.order_id = o.id LEFT JOIN LATERAL (SELECT i.qty * 2 AS d) z ON true",
		"WITH orders AS (SELECT * FROM orders WHERE amount > 9) SELECT o.id FROM orders o JOIN public.orders p USING (id)",
		"SELECT id FROM orders WHERE (account_id, tenant_id) IN (SELECT id, tenant_id FROM accounts)",
		"SELECT id FROM orders WHERE amount > ALL (SELECT price FROM products WHERE price < 20)",
		"SELECT id AS amount FROM orders ORDER BY amount LIMIT 4",
		"SELECT account_id AS id, count(*) FROM orders GROUP BY id HAVING count(*) > 0",
		"SELECT rank() OVER (ORDER BY amount NULLS LAST), lag(id, 1) OVER (ORDER BY id) FROM orders",
		"SELECT k, v FROM orders o, jsonb_each_text(to_jsonb(o)) AS e(k, v)",
		"SELECT count(DISTINCT (account_id, status)) FROM orders",
		"(SELECT id FROM orders ORDER BY id DESC LIMIT 3) UNION ALL (SELECT id FROM accounts ORDER BY id LIMIT 2) ORDER BY 1",
	} {
		t.Run(sql, func(t *testing.T) { o.compare(t, sql) })
	}
}
