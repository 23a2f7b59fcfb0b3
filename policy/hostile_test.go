package policy_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// TestHostileNames puts names that hold SQL into every place that takes a
// name. Either the statement is refused, or its text reads what it should.
func TestHostileNames(t *testing.T) {
	v := view(t, attributes, "analyst")
	readable := map[catalog.Name]bool{}
	for _, g := range v.Describe() {
		readable[g.Table] = true
	}
	names := []string{`x FROM payroll --`, `x"" FROM payroll --`, `; DELETE FROM orders; --`, `x', 'y`, `select`, `a.b`, `$1`, `É`, ` `, `x/*`, `*/ x`,
		`()) FROM payroll WINDOW w AS (--`, strings.Repeat("x", 70), `\`, `E'\'`, `--`, `"`}
	places := []string{
		`SELECT id AS "?" FROM orders`, `SELECT "?".id FROM orders AS "?"`, `SELECT x."?" FROM orders AS x("?")`,
		`SELECT sum(id) OVER "?" FROM orders WINDOW "?" AS (ORDER BY id)`, `SELECT sum(id) OVER (b ORDER BY id) FROM orders WINDOW "?" AS (), b AS ("?")`,
		`SELECT "?".id FROM orders JOIN accounts USING (id) AS "?"`, `SELECT make_interval("?" => 1)`, `WITH "?" AS (SELECT id FROM orders) SELECT id FROM "?"`,
		`WITH x("?") AS (SELECT id FROM orders) SELECT "?" FROM x`, `SELECT id FROM (SELECT id FROM orders) "?"`, `SELECT "?".a FROM jsonb_to_record('{}') AS "?"(a int)`,
		`SELECT a."?" FROM jsonb_to_record('{}') AS a("?" int)`, `SELECT id COLLATE "?" FROM orders`, `SELECT id::"?" FROM orders`, `SELECT "?"(id) FROM orders`,
		`SELECT (a)."?" FROM orders a`, `SELECT id FROM "?"`, `SELECT id FROM public."?"`, `SELECT id FROM "?".orders`, `SELECT id FROM orders TABLESAMPLE "?" (1)`,
		`WITH RECURSIVE t(id) AS (SELECT 1 UNION ALL SELECT id FROM t) SEARCH DEPTH FIRST BY id SET "?" SELECT id FROM t`,
		`WITH RECURSIVE t(id) AS (SELECT 1 UNION ALL SELECT id FROM t) CYCLE id SET "?" USING p SELECT id FROM t`,
		`DECLARE "?" CURSOR FOR SELECT id FROM orders`, `FETCH ALL FROM "?"`, `MOVE 1 FROM "?"`, `CLOSE "?"`, `PREPARE "?" AS SELECT 1`, `EXECUTE "?"(1)`, `DEALLOCATE "?"`,
		`SAVEPOINT "?"`, `ROLLBACK TO "?"`, `RELEASE "?"`, `SET "?" = 1`, `SET application_name = "?"`, `SHOW "?"`, `RESET "?"`,
		`COPY (SELECT id AS "?" FROM orders) TO STDOUT (FORMAT csv, FORCE_QUOTE ("?"))`, `COPY (SELECT 1) TO STDOUT ("?" 'x')`, `EXPLAIN ("?") SELECT 1`, `LISTEN "?"`,
	}
	approved := 0
	for _, place := range places {
		for _, n := range names {
			sql := strings.ReplaceAll(place, "?", strings.ReplaceAll(n, `"`, `""`))
			if a, err := authorize(v, sql, policy.Options{Cap: true}); err == nil {
				approved++
				inspect(t, a, readable)
			}
		}
	}
	if approved < len(names)*len(places)/4 {
		t.Errorf("only %d statements were approved", approved)
	}
}
