package integration

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// plannedWorld has a scope, a mask and a cap whose words no plan may show.
func plannedWorld(t *testing.T, mode string) *governedWorld {
	return newGovernedWorld(t, mode, indented("search_path: [public]", "tables: {allow: [public.things, public.kinds, public.parts]}",
		"columns:", "  - {table: public.things, mask: {code: \"'zebra_mask' || code\"}}",
		"scopes:", "  - {table: public.things, where: \"tenant_id = :tenant_id AND owner = 'zebra_owner'\"}",
		"  - {table: public.parts, via: {public.things: {thing_id: id}}}",
		"limits: {rows: 20, on_truncate: error, statement_timeout: 5s}"),
		`CREATE TABLE things (id int PRIMARY KEY, tenant_id int, owner text, code text, kind int, word text)`,
		`CREATE TABLE kinds (id int PRIMARY KEY, word text)`,
		`CREATE TABLE parts (thing_id int)`,
		`INSERT INTO things SELECT i, 1 + i % 2, 'zebra_owner', 'c' || i, i % 3, 'w' || i FROM generate_series(1, 500) AS i`,
		`INSERT INTO kinds SELECT i, 'k' || i FROM generate_series(0, 2) AS i`,
		`ANALYZE`)
}

// plannedStatements are statements with nodes that their plan has to name.
var plannedStatements = map[string][]string{
	"SELECT * FROM things":                                                                          {"Seq Scan on things"},
	"SELECT word FROM kinds":                                                                        {"Seq Scan on kinds"},
	"SELECT id FROM things WHERE id = 7":                                                            {"Scan using things_pkey on things"},
	"SELECT code FROM things ORDER BY code":                                                         {"Sort", "Seq Scan on things"},
	"SELECT code, count(*) FROM things t GROUP BY 1":                                                {"Aggregate", "Seq Scan on things"},
	"SELECT k.word FROM things t JOIN kinds k ON k.id = t.kind":                                     {"Seq Scan on things", "kinds"},
	"SELECT id FROM things WHERE kind = (SELECT max(id) FROM kinds)":                                {"InitPlan", "Seq Scan on things"},
	"WITH m AS MATERIALIZED (SELECT code FROM things) SELECT * FROM m UNION SELECT word FROM kinds": {"CTE m", "CTE Scan on m", "Append"},
	// Line breaks of the client's in what is planned.
	"SELECT id FROM things WHERE word <> E'a\n  ->  Seq Scan on ' AND id > 3":                               {"Seq Scan on things"},
	"SELECT id FROM things WHERE word <> E'a\n  ->  Seq Scan on \"' AND word <> E'\"\n' AND id > 3":         {"Seq Scan on things"},
	"SELECT id FROM things WHERE word <> 'a' || chr(10) || '  ->  Seq Scan on \"b' AND code <> '\"'":        {"Seq Scan on things"},
	"SELECT \"x\n  ->  Seq Scan on \".id FROM things \"x\n  ->  Seq Scan on \" JOIN kinds k ON k.id = kind": {"kinds"},
}

// TestPlanLines: EXPLAIN shows the nodes of the client's statement, and nothing of
// row rules, masks and the cap's word, whatever way its lines come.
func TestPlanLines(t *testing.T) {
	for _, mode := range []string{"session", "transaction"} {
		c := plannedWorld(t, mode).connect(t)
		for sql, nodes := range plannedStatements {
			for way, lines := range planWays(t, c, "EXPLAIN "+sql) {
				plan := strings.Join(lines, "\n")
				for _, node := range nodes {
					if !strings.Contains(plan, node) {
						t.Errorf("%s, %s, %s: %q is missing in\n%s", mode, way, sql, node, plan)
					}
				}
				for _, word := range []string{"zebra", "tenant", "owner", "denied_", ":", "WHEN"} {
					if strings.Contains(plan, word) {
						t.Errorf("%s, %s, %s: %q is in\n%s", mode, way, sql, word, plan)
					}
				}
			}
		}
		for _, sql := range []string{"EXPLAIN (FORMAT JSON) SELECT id FROM things", "EXPLAIN (FORMAT XML) SELECT id FROM kinds", "EXPLAIN SELECT * FROM parts"} {
			if _, err := tryTable(c, sql); sqlState(err) != "0A000" {
				t.Errorf("%s, %s: %v", mode, sql, err)
			}
		}
	}
}

// planWays are the lines by each way that they can come.
func planWays(t *testing.T, c *pgx.Conn, sql string) map[string][]string {
	t.Helper()
	ways := map[string][]string{"simple": table(t, c, sql), "behind another": nil}
	results, err := c.PgConn().Exec(t.Context(), "SELECT 1; "+sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	ways["behind another"] = textRows(results[1])
	extended := func(way string, r *pgconn.Result) {
		if r.Err != nil {
			t.Fatalf("%s, %s: %v", way, sql, r.Err)
		}
		ways[way] = textRows(r)
	}
	extended("extended", c.PgConn().ExecParams(t.Context(), sql, nil, nil, nil, nil).Read())
	extended("binary", c.PgConn().ExecParams(t.Context(), sql, nil, nil, nil, []int16{1}).Read())
	if _, err := c.PgConn().Prepare(t.Context(), "planned", sql, nil); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	extended("prepared", c.PgConn().ExecPrepared(t.Context(), "planned", nil, nil, nil).Read())
	ways["EXECUTE"] = table(t, c, "EXECUTE planned")
	extended("EXECUTE, extended", c.PgConn().ExecParams(t.Context(), "EXECUTE planned", nil, nil, nil, nil).Read())
	ways["in pieces"] = inPieces(t, c, "planned")
	if _, err := c.Exec(t.Context(), "DEALLOCATE planned"); err != nil {
		t.Fatal(err)
	}
	return ways
}

// inPieces reads a prepared statement by a portal with a name, two rows at a time.
func inPieces(t *testing.T, c *pgx.Conn, statement string) []string {
	t.Helper()
	f := c.PgConn().Frontend()
	f.SendQuery(&pgproto3.Query{String: "BEGIN"})
	f.SendBind(&pgproto3.Bind{DestinationPortal: "pieces", PreparedStatement: statement})
	for range 20 {
		f.SendExecute(&pgproto3.Execute{Portal: "pieces", MaxRows: 2})
	}
	f.SendSync(&pgproto3.Sync{})
	f.SendQuery(&pgproto3.Query{String: "COMMIT"})
	rows, errs := framesUntil(t, f, 3)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return rows
}
