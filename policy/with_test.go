package policy_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/policy"
)

// TestSearchAndCycle holds what a name and * mean over a WITH query with SEARCH
// or CYCLE against Postgres, which leaves their columns out of * in sub-queries.
func TestSearchAndCycle(t *testing.T) {
	o := newOracle(t)
	const with = "WITH RECURSIVE r(v) AS (SELECT min(id) FROM orders UNION ALL SELECT v + 1 FROM r WHERE v < 6) SEARCH DEPTH FIRST BY v SET seq CYCLE v SET again USING path "
	for _, sql := range []string{
		"SELECT * FROM r",
		"SELECT q.*, q FROM r q (x)",
		"SELECT (q).*, (q).again FROM r q",
		"SELECT * FROM (SELECT * FROM r) a",
		"SELECT a.again FROM (SELECT q.* FROM r q) a",
		"SELECT (SELECT again FROM (SELECT (q).* FROM r q LIMIT 1) a) FROM (SELECT id AS again FROM orders) b",
		"SELECT * FROM (SELECT (q).again AS x, q.path, seq, to_jsonb(q) AS row FROM r q) a",
		"SELECT * FROM (SELECT again FROM r JOIN products p ON p.id = v) a",
		"SELECT * FROM (SELECT * FROM (r JOIN products p ON p.id = v) AS j (a, b, c, d, e)) a",
		"SELECT * FROM (SELECT j.e, j.id FROM (r CROSS JOIN products p) AS j (a, b, c, e)) a",
		"SELECT * FROM r q (a, b)",
		"SELECT * FROM r NATURAL JOIN (VALUES (3, false)) x (v, again)",
		"(TABLE r) UNION ALL SELECT v FROM r",
		"SELECT count(again) FROM (SELECT * FROM r) a",
		"SELECT * FROM (SELECT * FROM r GROUP BY 1) a",
	} {
		t.Run(sql, func(t *testing.T) {
			o.compare(t, with+sql)
			for _, word := range []string{"", "denied_0123456789abcdef0123456789abcdef"} {
				verdict, detail := o.verdict(with+sql, with+sql, false, policy.Options{Cap: true, OnTruncateError: word})
				if strings.HasPrefix(verdict, "WRONG") || strings.HasPrefix(verdict, "refused") {
					t.Errorf("%s\n%s", verdict, detail)
				}
			}
		})
	}
	const outside = "SELECT (WITH RECURSIVE r(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM r WHERE v < 3 AND again) CYCLE v SET again USING path SELECT max(v) FROM r) FROM (SELECT id > 3 AS again FROM orders) o"
	o.compare(t, outside)
	for _, sql := range []string{
		"SELECT * FROM (SELECT * FROM r NATURAL JOIN (VALUES (3, false)) x (v, again)) a",
		"SELECT * FROM (SELECT * FROM r JOIN (VALUES (3, false)) x (w, again) USING (again)) a",
	} {
		if _, err := authorize(o.view, with+sql, policy.Options{}); err == nil || !strings.Contains(err.Error(), "a join by a column of SEARCH or CYCLE") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
