package integration

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/integration/postgres"
)

// namesakes is a shop with two customers of one name, and products of one price.
const namesakes = `
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, city text NOT NULL);
CREATE TABLE products (id int PRIMARY KEY, name text NOT NULL UNIQUE, price numeric NOT NULL);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customers, product_id int NOT NULL REFERENCES products, paid int NOT NULL);
INSERT INTO customers VALUES (1, 'Ada', 'Turin'), (2, 'Ada', 'Graz'), (3, 'Cleo', 'Turin');
INSERT INTO products VALUES (1, 'lamp', 30), (2, 'chair', 20), (3, 'desk', 30), (4, 'shelf', 10);
INSERT INTO orders VALUES (1, 1, 1, 30), (2, 2, 2, 20), (3, 3, 1, 25), (4, 3, 2, 20), (5, 3, 4, 10);
`

// asShopkeeper serves a database that holds these statements' tables. through leads there for a
// governed user who sees all of it; direct is Postgres itself.
func asShopkeeper(t *testing.T, statements, limits string) (through string, direct *pgx.Conn) {
	t.Helper()
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	direct = connect(t, dsn)
	if _, err := direct.Exec(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
	p := serveFiles(t, "planner: {order: [builtin]}\ndatabases:\n  shop: {dsn: "+quoted(dsn)+"}", map[string]string{
		"policy.yaml": "version: 1\nroles:\n  keeper:\n    mode: governed\n    ask: true\n    tables: {allow: [\"*.*\"]}\n    limits: " + limits + "\n",
		"users.yaml":  "users:\n  - {name: keeper, password: " + quoted(verifier(t)) + ", role: keeper}\n",
	})
	return "postgres://keeper:analyst@" + p.addr + "/shop?sslmode=disable", direct
}

// TestNamesakes: what is asked of rows by their names isn't mixed up where two are called alike.
func TestNamesakes(t *testing.T) {
	dsn, direct := asShopkeeper(t, namesakes, "{rows: 0}")
	through := connect(t, dsn)
	for question, want := range map[string]string{
		"customers that ordered both lamp and chair": "VALUES ('Cleo')",
		"total paid by customer":                     "SELECT c.name, sum(paid) FROM orders o JOIN customers c ON c.id = customer_id GROUP BY c.id",
		"total paid by customer name":                "SELECT c.name, sum(paid) FROM orders o JOIN customers c ON c.id = customer_id GROUP BY c.id",
		"total paid by customer city":                "SELECT c.city, sum(paid) FROM orders o JOIN customers c ON c.id = customer_id GROUP BY 1",
		"number of customers by name":                "SELECT name, count(*) FROM customers GROUP BY 1",
	} {
		got, err := tryTable(through, "ASK '"+strings.ReplaceAll(question, "'", "''")+"'")
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		expected := table(t, direct, want)
		slices.Sort(got)
		slices.Sort(expected)
		if !slices.Equal(got, expected) {
			t.Errorf("%s: %v, want %v", question, got, expected)
		}
	}
}

// TestReadAs: an answer to a word that isn't the schema's says in every form what the word was
// read as, and a follow-up of it does too.
func TestReadAs(t *testing.T) {
	dsn, _ := asShopkeeper(t, namesakes, "{rows: 0}")
	conn, notices := noticing(t, dsn)
	const says = `"clients" was read as table customers`
	for _, statement := range []string{"ASK 'how many clients'", "ASK MORE 'by city'", "SELECT * FROM ask('how many clients') AS a", "ASK NARRATE 'how many clients'", "ASK CHART 'how many clients' WITH (format = text)"} {
		*notices = nil
		table(t, conn, statement)
		if len(*notices) != 1 || strings.Count((*notices)[0], says) != 1 {
			t.Errorf("%s: notices %q", statement, *notices)
		}
		if got := receipt(t, conn)["qualifiers"]; !strings.Contains(got, "was read as table customers") {
			t.Errorf("%s: qualifiers %s", statement, got)
		}
	}
	for _, statement := range []string{"ASK NARRATE 'how many clients'", "ASK CHART 'how many clients'", "ASK PLAN 'how many clients'"} {
		if got := strings.Join(table(t, conn, statement), ""); !strings.Contains(got, "was read as table customers") {
			t.Errorf("%s: %s", statement, got)
		}
	}
	*notices = nil
	table(t, conn, "ASK 'how many customers'")
	if len(*notices) != 1 || strings.Contains((*notices)[0], "was read as") {
		t.Errorf("notices %q", *notices)
	}
}

// TestSeveral: the first of several, of which nobody said how many, are some, and the answer and
// its follow-ups say so until one says how many.
func TestSeveral(t *testing.T) {
	dsn, _ := asShopkeeper(t, namesakes, "{rows: 0}")
	conn, notices := noticing(t, dsn)
	for _, c := range []struct {
		statement string
		rows      int
		says      bool
	}{{"ASK 'most expensive products'", 4, true}, {"ASK MORE 'only with price above 10'", 3, true}, {"ASK MORE 'top 2'", 2, false}, {"ASK 'the most expensive product'", 1, false}} {
		*notices = nil
		if got := table(t, conn, c.statement); len(got) != c.rows {
			t.Errorf("%s: %v", c.statement, got)
		}
		if says := strings.Contains(strings.Join(*notices, "\n"), "the first 10, since no number was asked for"); says != c.says {
			t.Errorf("%s: notices %q", c.statement, *notices)
		}
	}
}
