package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pgask/pgask/integration/postgres"
)

// undeclared is a shop that declares no foreign key. Of the refunds, one is of nobody's order.
const undeclared = `
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, city text NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int, amount int NOT NULL);
CREATE TABLE refunds (id int PRIMARY KEY, order_id int NOT NULL, shop int NOT NULL, paid int NOT NULL);
CREATE TABLE couriers (id int PRIMARY KEY, nickname text NOT NULL);
CREATE TABLE visits (id int PRIMARY KEY, customer_id int, pages int NOT NULL);
INSERT INTO customers VALUES (1, 'Ada', 'Turin'), (2, 'Ben', 'Graz'), (3, 'Cleo', 'Turin');
INSERT INTO orders VALUES (10, 1, 5), (11, 1, 7), (12, 3, 1), (13, 2, 4), (14, NULL, 100);
INSERT INTO refunds VALUES (1, 10, 1, 2), (2, 12, 1, 1), (3, 99, 2, 50);
INSERT INTO couriers VALUES (1, 'Swift'), (2, 'Slow');
INSERT INTO visits VALUES (1, NULL, 3);
`

// TestInferred: where no foreign key leads from what is asked for to what it is asked by, names
// and the asker's own rows do, and the answer says so. What a scope hides
// refutes nothing; a mask, a value without its row, or no value at all bears nothing out.
func TestInferred(t *testing.T) {
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	direct := connect(t, dsn)
	if _, err := direct.Exec(t.Context(), undeclared); err != nil {
		t.Fatal(err)
	}
	role := func(name, rules string) string {
		return fmt.Sprintf("  %s:\n    mode: governed\n    ask: true\n    tables: {allow: [\"*.*\"]}\n%s    limits: {rows: 0, explain_rows: 0}\n", name, rules)
	}
	var users strings.Builder
	for _, name := range []string{"all", "first", "masked"} {
		fmt.Fprintf(&users, "  - {name: %s, password: %q, role: %s}\n", name, verifier(t), name)
	}
	p := serveFiles(t, "planner: {order: [builtin]}\ndatabases:\n  shop: {dsn: "+quoted(dsn)+"}", map[string]string{
		"policy.yaml": "version: 1\nroles:\n" + role("all", "") +
			role("first", "    scopes:\n      - {table: public.refunds, where: \"shop = 1\"}\n") +
			role("masked", "    columns:\n      - {table: public.orders, mask: {customer_id: \"1\"}}\n"),
		"users.yaml": "users:\n" + users.String(),
	})
	const byCity = "total order amount per customer city"
	const byOrder = "total refund paid per customer name"
	for _, test := range []struct{ user, question, want, qualifier string }{
		{"all", byCity, "SELECT c.city, sum(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1 ORDER BY 1", "public.orders.customer_id = public.customers.id"},
		{"first", byCity, "SELECT c.city, sum(o.amount) FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY 1 ORDER BY 1", "public.orders.customer_id = public.customers.id"},
		{"masked", byCity, "", ""},
		{"all", byOrder, "", ""},
		{"first", byOrder, "SELECT c.name, sum(r.paid) FROM refunds r JOIN orders o ON o.id = r.order_id JOIN customers c ON c.id = o.customer_id WHERE r.shop = 1 GROUP BY 1 ORDER BY 1",
			"public.refunds.order_id = public.orders.id"},
		{"all", "total order amount per courier nickname", "", ""},
		{"all", "total visit pages per customer city", "", ""},
	} {
		conn := connect(t, "postgres://"+test.user+":analyst@"+p.addr+"/shop?sslmode=disable")
		if test.want == "" {
			if e := failure(t, conn, "ASK '"+test.question+"'"); e.Code != "PA002" || !strings.Contains(e.Message, "connect") {
				t.Errorf("%s: %s: %s %s", test.user, test.question, e.Code, e.Message)
			}
			continue
		}
		got, err := tryTable(conn, "ASK '"+test.question+"'")
		if err != nil {
			t.Errorf("%s: %s: %v", test.user, test.question, err)
			continue
		}
		slices.Sort(got)
		if want := table(t, direct, test.want); !slices.Equal(got, want) {
			t.Errorf("%s: %s: %v, want %v", test.user, test.question, got, want)
		}
		if says := "joined by " + test.qualifier + ", which no foreign key declares"; !strings.Contains(receipt(t, conn)["qualifiers"], says) {
			t.Errorf("%s: %s: qualifiers %s lack %q", test.user, test.question, receipt(t, conn)["qualifiers"], says)
		}
	}
}
