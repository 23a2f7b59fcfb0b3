package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// Whether a statement fails tells nothing of rows that may not be seen, though
// Postgres takes an equality with a constant, such as a scope, last among conditions
// of the same cost. Each of these conditions fails on the rows that may not be seen,
// many on any row.
func TestErrorsTellNothing(t *testing.T) {
	o := newOracle(t)
	setup := `
CREATE TYPE pair AS (a int, b json);
CREATE TABLE mines (id int PRIMARY KEY, tenant_id int, side int, nought int, code text, raw json, raws json[], nums int[], more int[], day date, clock time, p pair,
  big bigint, ring circle, de text COLLATE "de-x-icu", c text COLLATE "C");
INSERT INTO mines SELECT i, 1 + i %% 2, i %% 2, 1 - i %% 2, 'c' || i, (CASE i %% 2 WHEN 0 THEN '{"a": 1}' ELSE '{"a": "\u0000"}' END)::json, '{1}', '{1}',
  (CASE i %% 2 WHEN 0 THEN '{1,2}' ELSE '{{1,2,3},{4,5,6}}' END)::int[], '2024-01-01', '10:00', (1, '{}'::json)::pair, i %% 2 * 5000000000, circle(point(1, 1), 1), 'a', 'b' FROM generate_series(1, 40) i;
ANALYZE mines;
ALTER TABLE mines ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON mines USING (%s);
GRANT SELECT ON mines TO PUBLIC;`
	for _, scope := range []string{"tenant_id = 1", "tenant_id < 2", "abs(tenant_id) + 0 = 1"} {
		t.Run(scope, func(t *testing.T) {
			if _, err := o.super.Exec(context.Background(), "DROP TABLE IF EXISTS mines; DROP TYPE IF EXISTS pair; "+fmt.Sprintf(setup, scope)); err != nil {
				t.Fatal(err)
			}
			o.view = mineView(t, o, scope)
			for _, condition := range strings.Split(strings.TrimSpace(`
(10 / nought) IS NOT NULL
(10 / nought) = (10 / nought)
(10 / nought) IS DISTINCT FROM NULL
(10 / nought, id) IS NOT NULL
coalesce(10 / nought, 1) IS NULL
(ARRAY[true])[10 / nought]
(ARRAY[true])[1:10 / nought] IS NULL
(raw ->> 'a') IS NULL
(raw ->> 'a') = 'x'
to_jsonb(raw) IS NULL
(nums || more) IS NULL
(ARRAY[ARRAY[true]] || ARRAY[ARRAY[id > 3, true]])[1][1]
raws = raws AND raws < raws
raws @> raws
ARRAY[raw] <= ARRAY[raw]
ARRAY[CASE WHEN id > 3 THEN '{}'::json END] <= ARRAY['{}'::json]
ARRAY[CASE WHEN id > 3 THEN point(1, 2) END] <= ARRAY[point(1, 2)]
m <= m
m IN (m) AND m >= m
CASE m WHEN m THEN false ELSE true END
p <= p
de < c
de LIKE c
extract(hour FROM day) IS NULL
extract(year FROM clock) IS NULL
date_trunc('week', clock) IS NULL
date_trunc(code, day) IS NULL
split_part(code, ',', nought - 1) IS NULL
(code::int) IS NULL
length(code::bytea, 'UTF8') IS NULL
array_position(more, 1) IS NULL
age(day) IS NULL AND (code || NULL)::int IS NULL
EXISTS (SELECT 1 FROM (SELECT 10 / nought AS q) x WHERE q IS NOT NULL)
m NOT IN (SELECT n FROM mines n)
(id, m) IN (SELECT n.id, n FROM mines n)
CASE WHEN id > 3 THEN circle '<(0,0),1e200>' END < circle '<(0,0),1e200>'
CASE WHEN id > 3 THEN box '((0,0),(1e200,1e200))' END = box '((0,0),(1e200,1e200))'
big = 5::oid
ring < circle '<(0,0),1e200>'`), "\n") {
				o.tellsNothing(t, "mines m", condition)
			}
			for _, x := range []struct{ from, condition string }{
				{"(SELECT side, 10 / nought AS q FROM mines) x", "q IS NOT NULL"},
				{"(SELECT side, 10 / nought AS q FROM mines) x", "x IS NOT NULL"},
				{"(SELECT side, 10 / nought AS q, 10 / nought AS r FROM mines) x", "q = r"},
				{"(SELECT y.side, z FROM (SELECT side, 10 / nought FROM mines) y (side, z)) x", "z IS NULL"},
				{"(SELECT side, 1 AS q FROM mines WHERE id = 0 UNION ALL SELECT side, 10 / nought FROM mines) x", "q IS NULL"},
				{`(SELECT side, 10 / nought FROM mines) x`, `"?column?" IS NULL`},
				{"(SELECT m.side, l.q AS z, m.nought FROM mines m, LATERAL (SELECT 10 / m.nought AS q) l) x", "z = 10 / nought"},
				{`(SELECT side, code COLLATE "C" AS a, code COLLATE "POSIX" AS b FROM mines) x`, "a < b"},
				{"(SELECT side, '{}'::json AS j FROM mines) x", "x <= x"},
				{"(SELECT side, m AS r FROM mines m) x", "r <= r"},
				{"(SELECT side, ROW(id, '{}'::json) AS r FROM mines) x", "r <= r"},
				{"(SELECT m.side, v.q FROM mines m, LATERAL (VALUES (10 / m.nought)) v (q)) x", "q IS NULL"},
				{"(SELECT max(side) AS side, 10 / nought AS q FROM mines GROUP BY 2) x", "q IS NULL"},
				{"(SELECT side, rank() OVER (PARTITION BY 10 / nought) AS n, 10 / nought AS q FROM mines) x", "q IS NULL"},
				{"mines m JOIN jsonb_to_record('{}') AS r(j json) ON true", "ARRAY[CASE WHEN id > 3 THEN j END] <= ARRAY[j]"},
				{"(SELECT side, CASE WHEN id > 3 THEN '{}'::json END AS j FROM mines) x", "ARRAY[j] <= ARRAY[j]"},
			} {
				o.tellsNothing(t, x.from, x.condition)
			}
		})
	}
}

// TestErrorsOfParameters wants a fence where a parameter's type makes the
// comparison fail.
func TestErrorsOfParameters(t *testing.T) {
	v := view(t, attributes, "analyst")
	for _, x := range []struct {
		sql    string
		types  []uint32
		fenced bool
	}{
		{"SELECT id FROM orders WHERE ARRAY[CASE WHEN id > 3 THEN $1 END] <= ARRAY[$1]", []uint32{114}, true},
		{"SELECT id FROM orders WHERE ARRAY[CASE WHEN id > 3 THEN $1 END] <= ARRAY[$1] AND json_typeof($1) = 'object'", nil, true},
		{"SELECT id FROM orders WHERE CASE WHEN id > 3 THEN $1 END < $1", []uint32{718}, true},
		{"SELECT id FROM orders WHERE $1 <= $1", []uint32{199}, true},
		{"SELECT id FROM orders WHERE id = ANY ($1)", []uint32{1007}, false},
		{"SELECT id FROM orders WHERE ARRAY[id] <= $1", []uint32{1007}, false},
		{"SELECT id FROM orders WHERE id = $1", []uint32{0}, false},
	} {
		a, err := authorize(v, x.sql, policy.Options{ParamTypes: x.types})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(a.SQL(), "OFFSET 0") != x.fenced {
			t.Errorf("%s\n%s", x.sql, a.SQL())
		}
	}
}

// tellsNothing plays a condition behind one that only rows meet that may not be
// seen. Postgres's own row level security fails where it takes comparisons of
// texts and circles for leakproof that aren't.
func (o *oracle) tellsNothing(t *testing.T, from, condition string) {
	t.Helper()
	sql := fmt.Sprintf("SELECT count(*) FROM %s WHERE side > 0 AND %s", from, condition)
	a, err := authorize(o.view, sql, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rows(o.reader, a.SQL()); err != nil || got[len(got)-1] != `["0"]` {
		t.Errorf("%s\n%s\n%v %v", sql, a.SQL(), got, err)
	}
	if _, err := rows(o.analyst, sql); err != nil && state(err) != "42P22" && state(err) != "22003" {
		t.Errorf("%s: Postgres fails: %v", sql, err)
	}
}

func mineView(t *testing.T, o *oracle, scope string) *policy.View {
	t.Helper()
	snapshot, err := catalog.Read(context.Background(), o.super, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"analyst": {Name: "analyst", Mode: "governed", SearchPath: []string{"public"},
		Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.mines")}, Scopes: []configs.Scope{{Tables: patterns(t, "public.mines"), Where: scope}}}}})
	if p == nil {
		t.Fatal(faults)
	}
	r, err := p.RoleFor(auth.Principal{User: "ana", Roles: []string{"analyst"}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := r.View(snapshot, nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
