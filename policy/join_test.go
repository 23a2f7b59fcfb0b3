package policy_test

import (
	"fmt"
	"testing"

	"github.com/pgask/pgask/policy"
)

// joinForms stand once for each kind of join. What is merged comes first, which
// a list of aliases, * and the names above a raising cap go by.
var joinForms = []string{
	"SELECT * FROM orders NATURAL %s JOIN traps",
	"SELECT * FROM orders %s JOIN traps USING (tenant_id, id)",
	"SELECT * FROM products AS p (price, id) NATURAL %s JOIN orders, items",
	"SELECT * FROM products NATURAL %s JOIN (SELECT amount, status AS s, id FROM orders) AS o",
	"SELECT * FROM traps NATURAL %s JOIN orders NATURAL %[1]s JOIN products",
	"SELECT * FROM items AS i (id) %s JOIN (orders NATURAL %[1]s JOIN products) USING (id)",
	"SELECT * FROM items AS i (id) NATURAL %s JOIN (orders %[1]s JOIN traps USING (id) AS u) AS j",
	"SELECT o.*, products.* FROM orders AS o NATURAL %s JOIN products",
	"SELECT j.* FROM (traps %s JOIN orders USING (tenant_id)) AS j (a, b, c)",
	"SELECT j.d, j.a, status, j.c FROM (traps %s JOIN orders USING (tenant_id)) AS j (a, b, c, d)",
	"SELECT j.a, b FROM (SELECT * FROM traps NATURAL %s JOIN orders) AS j (a, b)",
	"WITH j (a, b) AS (SELECT * FROM traps %s JOIN orders USING (tenant_id)) SELECT a, b, j.* FROM j",
	"SELECT j, to_jsonb(j), (j).k, (j).price FROM (orders NATURAL %s JOIN products) AS j (k)",
	"SELECT (j).* FROM (orders NATURAL %s JOIN products) AS j (k)",
	"SELECT u.*, u, to_jsonb(u), u.id, (u).id FROM orders %s JOIN products USING (id) AS u",
	`SELECT "order".*, "order", "order".id FROM orders %s JOIN products USING (id) AS "order"`,
	"SELECT (SELECT u.qty + count(*) FROM (orders %s JOIN products USING (id) AS u) AS j) FROM items AS u",
	"SELECT u.id FROM (orders %s JOIN products USING (id) AS u) AS j",
	// The merged column stands before the alias list's first, two joins below it.
	`SELECT x.c, x.id, x.d, o.amount FROM orders AS o %s JOIN (SELECT * FROM (SELECT DISTINCT amount, account_id AS z, id FROM orders) AS t (c)
		NATURAL LEFT JOIN products RIGHT JOIN items AS i ON i.order_id = t.id) AS x (id, c, d) USING (id)`,
	"SELECT id, amount, count(*) FROM orders %s JOIN products USING (id) GROUP BY id",
	"SELECT id, price, count(*) FROM orders %s JOIN products USING (id) GROUP BY 1",
	"SELECT *, count(*) FROM orders NATURAL %s JOIN products GROUP BY 1, price",
	"SELECT j.a, j.b, count(*) FROM (orders %s JOIN products USING (id)) AS j (a, b) GROUP BY j.a",
	"SELECT u.id, amount, count(*) FROM orders %s JOIN products USING (id) AS u GROUP BY u.id",
	"SELECT id, amount, count(*) FROM orders %s JOIN (SELECT id::bigint FROM products) AS p USING (id) GROUP BY id",
	"SELECT (p).*, o.id, o.amount, count(*) FROM orders AS o %s JOIN products AS p ON p.id = o.id GROUP BY 1, 3",
}

// TestJoinColumns holds the order and the names of joined columns against
// Postgres's.
func TestJoinColumns(t *testing.T) {
	o := newOracle(t)
	for _, form := range joinForms {
		for _, kind := range []string{"INNER", "LEFT", "RIGHT", "FULL"} {
			sql := fmt.Sprintf(form, kind)
			t.Run(sql, func(t *testing.T) {
				o.compare(t, sql)
				verdict, detail := o.verdict(sql, sql, false, policy.Options{Cap: true, OnTruncateError: "denied_0123456789abcdef0123456789abcdef"})
				if want, err := rows(o.analyst, sql); err == nil && verdict != "same" {
					t.Errorf("%s\n%s\n%q", verdict, detail, want[0])
				}
			})
		}
	}
}
