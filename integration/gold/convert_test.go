package gold

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
)

// statements over testdata/orchard.sql: what people write, in every form that
// the converter reads. No list of a NOT IN holds a null: in a plan it doesn't
// count, where in SQL nothing would be left.
var statements = []string{
	"SELECT * FROM trees",
	"SELECT t.* FROM trees t, growers g WHERE g.id = t.grower_id AND g.region = 'north'",
	"SELECT DISTINCT kind FROM trees",
	"SELECT kind AS k, height FROM trees ORDER BY k DESC, 2 LIMIT 3 OFFSET 1",
	"SELECT kind, planted FROM trees WHERE planted IS NOT NULL ORDER BY planted DESC",
	"SELECT id FROM trees WHERE planted IS NULL OR NOT (kind = 'apple' AND height > 4)",
	"SELECT id FROM trees WHERE kind LIKE 'a%' OR kind NOT LIKE '%e%' OR kind ILIKE 'Q%'",
	"SELECT id FROM trees WHERE height BETWEEN 3 AND 5 AND height NOT BETWEEN 4 AND 4.6 AND kind IN ('apple', 'pear') AND id NOT IN (9, 10)",
	"SELECT id, -height + 2 * 3 FROM trees ORDER BY height - id",
	"SELECT count(*), count(planted), count(DISTINCT kind), sum(height), avg(height), min(planted), max(kind) FROM trees",
	"SELECT g.name, count(*) FROM growers g JOIN trees t ON t.grower_id = g.id GROUP BY g.id HAVING count(*) > 1 ORDER BY g.region",
	"SELECT g.region, count(g.region) FROM trees t JOIN growers g ON t.grower_id = g.id GROUP BY g.region",
	"SELECT kind FROM trees GROUP BY kind ORDER BY count(*) DESC, kind LIMIT 1",
	"SELECT child.id, mother.id FROM trees child JOIN trees mother ON child.mother_id = mother.id",
	"SELECT mother.id, count(*) FROM trees mother JOIN trees child ON mother.id = child.mother_id GROUP BY 1",
	"SELECT g.name, c.season, c.kilos FROM crops c JOIN trees t ON c.tree_id = t.id JOIN growers g ON t.grower_id = g.id AND g.name <> t.kind",
	"SELECT label, region FROM tools JOIN growers ON owner = name",
	"SELECT count(*) FROM tools JOIN growers ON owner = name WHERE price > 26",
	"SELECT avg(t.height), max(t.height) FROM trees t JOIN crops c ON c.tree_id = t.id",
	"SELECT sum(t.height) FROM trees t JOIN crops c ON c.tree_id = t.id JOIN growers g ON t.grower_id = g.id WHERE g.region = 'south'",
	"SELECT name FROM growers WHERE id IN (SELECT grower_id FROM trees WHERE kind = 'pear')",
	"SELECT name FROM growers WHERE id NOT IN (SELECT grower_id FROM trees)",
	"SELECT id FROM trees WHERE id NOT IN (SELECT mother_id FROM trees WHERE mother_id IS NOT NULL)",
	"SELECT name FROM growers g WHERE EXISTS (SELECT 1 FROM trees t WHERE t.grower_id = g.id AND t.height > 5)",
	"SELECT name FROM growers g WHERE NOT EXISTS (SELECT 1 FROM trees t WHERE t.grower_id = g.id)",
	"SELECT id FROM trees WHERE height > (SELECT avg(height) FROM trees)",
	"SELECT name FROM growers WHERE id = (SELECT grower_id FROM trees ORDER BY height DESC LIMIT 1)",
	"SELECT id FROM trees WHERE kind <> (SELECT kind FROM trees GROUP BY kind ORDER BY count(*), kind LIMIT 1)",
	"SELECT name FROM growers WHERE id IN (SELECT grower_id FROM trees WHERE height < (SELECT max(height) FROM trees WHERE kind = 'apple'))",
	"SELECT region FROM growers WHERE id < 3 UNION SELECT kind FROM trees",
	"SELECT kind FROM trees UNION ALL SELECT kind FROM trees WHERE height > 3",
	"SELECT kind FROM trees WHERE height > 4 INTERSECT SELECT kind FROM trees WHERE height < 3",
	"SELECT name FROM growers EXCEPT SELECT g.name FROM growers g JOIN trees t ON t.grower_id = g.id GROUP BY g.id HAVING count(*) = 2",
	"SELECT id FROM growers EXCEPT SELECT grower_id FROM trees UNION SELECT id FROM trees WHERE id > (SELECT min(id) + 2 FROM trees)",
}

func orchard(t *testing.T) *Set {
	t.Helper()
	server := postgres.ForTest(t)
	conn, err := pgx.Connect(t.Context(), server.DSN(server.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	script, err := os.ReadFile("testdata/orchard.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Rows(t.Context(), conn.PgConn(), string(script)+"; SET search_path TO orchard"); err != nil {
		t.Fatal(err)
	}
	s := &Set{Conn: conn}
	for _, sql := range statements {
		s.Questions = append(s.Questions, Question{DB: "orchard", SQL: sql, Ordered: strings.Contains(sql, "ORDER BY")})
	}
	if err := s.understand(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStatements wants the rows of every statement's plan to be its own.
func TestStatements(t *testing.T) {
	s := orchard(t)
	for _, q := range s.Questions {
		var err error
		if q.Rows, err = Rows(t.Context(), s.Conn.PgConn(), q.SQL); err != nil {
			t.Fatalf("%s: %v", q.SQL, err)
		}
		got, sql, err := answer(t.Context(), s, q)
		if err != nil {
			t.Errorf("%s: %v", q.SQL, err)
			continue
		}
		if admitted, err := s.Admits(t.Context(), q, got); err != nil || !admitted && !q.Same(got) {
			t.Errorf("%s: %d rows, want %d: %s", q.SQL, len(got), len(q.Rows), sql)
		}
	}
}

// TestUnsupported wants what isn't read to be named.
func TestUnsupported(t *testing.T) {
	s := orchard(t)
	for sql, construct := range map[string]string{
		"DELETE FROM trees": "*pg_query.Node_DeleteStmt",
		"SELECT 1":          "SELECT without FROM",
		"WITH x AS (SELECT 1) SELECT id FROM trees":             "WITH, FOR UPDATE, VALUES or WINDOW",
		"SELECT DISTINCT ON (kind) id FROM trees":               "DISTINCT ON",
		"SELECT id FROM trees LIMIT 1 + 1":                      "LIMIT that is no number",
		"SELECT upper(kind) FROM trees":                         "function upper",
		"SELECT count(*) FROM trees LEFT JOIN crops ON true":    "join that is not inner, or with USING",
		"SELECT count(*) FROM trees, tools":                     "join without a relationship",
		"SELECT x.id FROM (SELECT id FROM trees) x":             "*pg_query.Node_RangeSubselect in FROM",
		"SELECT id FROM trees UNION SELECT 1 FROM t ORDER BY 1": "set operation that is ordered or cut",
		"SELECT id FROM trees WHERE id < ALL (SELECT 1)":        "SELECT without FROM",
		"SELECT kind::varchar FROM trees":                       "*pg_query.Node_TypeCast",
	} {
		_, err := s.Plan(Question{DB: "orchard", SQL: sql})
		var u Unsupported
		if !errors.As(err, &u) || string(u) != construct {
			t.Errorf("%s: %v, want %s", sql, err, construct)
		}
	}
}
