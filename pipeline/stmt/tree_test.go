package stmt

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func mustParse(t testing.TB, sql string) *pg_query.Node {
	t.Helper()
	n, err := ParseOne(sql, Limits{})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

func TestParseNamed(t *testing.T) {
	for _, c := range []struct {
		sql, want string
		names     []string
	}{
		{"SELECT :a, :b, :a", "SELECT $1, $2, $1", []string{"a", "b"}},
		{"SELECT x::int, x::text||:a::text", "SELECT x::int, x::text || $1::text", []string{"a"}},
		{"SELECT ':a', $$:a$$, E'\\':a', \":a\" /* :a */ -- :a\n", "SELECT ':a', ':a', ''':a', \":a\"", nil},
		{"SELECT a[1:n], a[:n], a[lo:hi], ARRAY[:x, :y], ARRAY[[:x], [:y]]", "SELECT a[1:n], a[:n], a[lo:hi], ARRAY[$1, $2], ARRAY[ARRAY[$1], ARRAY[$2]]", []string{"x", "y"}},
		{"SELECT a[(:n)], f(a := :v), f(a => :v)", "SELECT a[$1], f(a := $2), f(a := $2)", []string{"n", "v"}},
		{"SELECT 1 LIMIT :limit OFFSET :Größe", "SELECT 1 LIMIT $1 OFFSET $2", []string{"limit", "Größe"}},
		{"SELECT x FROM t WHERE y=:y AND z>:z", "SELECT x FROM t WHERE y = $1 AND z > $2", []string{"y", "z"}},
	} {
		n, names, err := ParseNamed(c.sql, Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got, err := Print(n); got != c.want || err != nil {
			t.Errorf("%s: %s (%v), want %s", c.sql, got, err, c.want)
		}
		if diff := cmp.Diff(c.names, names); diff != "" {
			t.Errorf("%s: %s", c.sql, diff)
		}
	}
	for _, sql := range []string{"SELECT $1", "SELECT : a", "SELECT :1", `SELECT :"a"`, "SELECT a:b", "SELECT 1; SELECT :a", "ASK 'x'", ""} {
		if n, _, err := ParseNamed(sql, Limits{}); err == nil {
			t.Errorf("%s: %v", sql, n)
		}
	}
}

func TestParseExpr(t *testing.T) {
	n, names, err := ParseExpr("tenant_id = ANY (:ids) AND note <> ':x' -- :y")
	if err != nil || n.GetBoolExpr() == nil || !cmp.Equal(names, []string{"ids"}) {
		t.Errorf("%v %v %v", n, names, err)
	}
	for _, sql := range []string{"", "a, b", "a AS b", "a b", "*", "t.*", "1 FROM t", "1; SELECT 2", "1 UNION SELECT 2", "DISTINCT a", "1 INTO t",
		"1 LIMIT 1", "1) FROM (SELECT 1", "a = ", "1 WHERE true", "1 FOR UPDATE"} {
		if n, _, err := ParseExpr(sql); err == nil {
			t.Errorf("%s: %v", sql, n)
		}
	}
}

func TestBind(t *testing.T) {
	n, names, err := ParseNamed("SELECT :a, f(:b) FROM t WHERE x = :a LIMIT :c", Limits{})
	if err != nil || len(names) != 3 {
		t.Fatal(err)
	}
	before := Clone(n)
	bound := Bind(n, []*pg_query.Node{StringConst("'; --"), IntConst(-5)})
	if got, _ := Print(bound); got != "SELECT '''; --', f(-5) FROM t WHERE x = '''; --' LIMIT $3" {
		t.Error(got)
	}
	if !Equal(n, before) {
		t.Error("Bind changed its argument")
	}
}

func TestConst(t *testing.T) {
	for _, c := range []struct {
		value any
		typ   string
		want  string
	}{
		{nil, "integer", "NULL::int"},
		{nil, "", "NULL"},
		{int64(7), "int4", "7::int"},
		{int64(7), "integer", "7::int"},
		{-7, "bigint", "'-7'::bigint"},
		{int64(math.MinInt64), "bigint", "'-9223372036854775808'::bigint"},
		{int64(5_000_000_000), "", "5000000000"},
		{2.5, "numeric(10,2)", "'2.5'::numeric(10, 2)"},
		{math.Inf(-1), "float8", "'-Infinity'::double precision"},
		{true, "boolean", "true"},
		{false, "text", "'false'::pg_catalog.text"},
		{`it's \`, "text", `E'it''s \\'::pg_catalog.text`},
		{"new", `public."Status"`, `'new'::public."Status"`},
		{time.Date(2026, 11, 30, 1, 2, 3, 4000, time.UTC), "timestamptz", "'2026-11-30T01:02:03.000004Z'::timestamp with time zone"},
		{[]any{int64(1), nil, int64(-2)}, "integer", `'{"1",NULL,"-2"}'::int[]`},
		{[]any{`a"b`, `c\`, "NULL", ""}, "text", `E'{"a\\"b","c\\\\","NULL",""}'::pg_catalog.text[]`},
		{[]any{}, "text[]", `'{}'::pg_catalog.text[]`},
		{"x", "character varying(20)", "'x'::varchar(20)"},
	} {
		n, err := Const(c.value, c.typ)
		if err != nil {
			t.Errorf("%v %s: %v", c.value, c.typ, err)
			continue
		}
		got, err := Print(selectOnly(n))
		if err != nil || strings.TrimPrefix(got, "SELECT ") != c.want {
			t.Errorf("%v %s: %s (%v), want %s", c.value, c.typ, got, err, c.want)
		}
		again := mustParse(t, got)
		if !Equal(again, selectOnly(n)) {
			t.Errorf("%v %s: %s parses to another tree", c.value, c.typ, got)
		}
	}
	for _, c := range []struct {
		value any
		typ   string
	}{{struct{}{}, "text"}, {[]any{[]any{1}}, "text"}, {"a\x00", "text"}, {1, "int; DROP"}, {1, "int)::text, (1"}, {1, "a b c"}, {1, ":x"}} {
		if n, err := Const(c.value, c.typ); err == nil {
			t.Errorf("%v %s: %v", c.value, c.typ, n)
		}
	}
}

func TestEqual(t *testing.T) {
	a := mustParse(t, "SELECT a, 1 FROM t WHERE x = 'y'")
	for sql, want := range map[string]bool{
		"SELECT   a ,\n 1 FROM t WHERE x='y'": true, "SELECT a, 2 FROM t WHERE x = 'y'": false, "SELECT a, 1 FROM t WHERE x = 'z'": false,
		"SELECT a, 1 FROM s.t WHERE x = 'y'": false, "SELECT a, 1 FROM ONLY t WHERE x = 'y'": false, "SELECT a FROM t WHERE x = 'y'": false,
	} {
		if got := Equal(a, mustParse(t, sql)); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
	if Equal(a, nil) || !Equal(nil, nil) {
		t.Error("nil")
	}
	if Equal(mustParse(t, "CREATE TABLESPACE a LOCATION '/x'"), mustParse(t, "CREATE TABLESPACE a LOCATION '/y'")) {
		t.Error("a tablespace's location is meant")
	}
}

func TestWalk(t *testing.T) {
	n := mustParse(t, "SELECT (SELECT 1 FROM a) FROM b JOIN c ON true UNION SELECT 1 FROM d")
	var seen []string
	err := Walk(n, func(m protoreflect.Message, p Path) error {
		if r, ok := m.Interface().(*pg_query.RangeVar); ok {
			seen = append(seen, r.Relname+" "+p.String())
		}
		return nil
	})
	want := []string{
		"b select_stmt.larg.from_clause[0].join_expr.larg.range_var",
		"c select_stmt.larg.from_clause[0].join_expr.rarg.range_var",
		"d select_stmt.rarg.from_clause[0].range_var",
	}
	if diff := cmp.Diff(want, withoutFirst(seen)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	stop := errors.New("stop")
	if err := Walk(n, func(protoreflect.Message, Path) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	calls := 0
	if err := Walk(n, func(protoreflect.Message, Path) error { calls++; return ErrSkip }); err != nil || calls != 1 {
		t.Error(calls, err)
	}
}

// withoutFirst leaves out the table of the sub-select, which comes first.
func withoutFirst(s []string) []string { return s[1:] }

func TestRewrite(t *testing.T) {
	n := mustParse(t, "SELECT * FROM a, (SELECT * FROM b) x WHERE y IN (SELECT z FROM a)")
	out, err := Rewrite(n, func(n *pg_query.Node) (*pg_query.Node, error) {
		if r := n.GetRangeVar(); r != nil {
			return Subselect(SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{Target(Star(), "")},
				FromClause: []*pg_query.Node{Table("s", r.Relname, "")}}), r.Relname), nil
		}
		return n, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "SELECT * FROM (SELECT * FROM s.a) a, (SELECT * FROM (SELECT * FROM s.b) b) x WHERE y IN (SELECT z FROM (SELECT * FROM s.a) a)"
	got, err := Print(out)
	if got != want || err != nil {
		t.Errorf("%s (%v)", got, err)
	}
	if !Equal(out, mustParse(t, got)) {
		t.Error("built nodes differ from parsed ones")
	}
}

// TestBuild wants every builder to build what the parser does.
func TestBuild(t *testing.T) {
	a, b := Column("t", "a"), Column("b")
	for want, n := range map[string]*pg_query.Node{
		"t.a = b AND b < 1":                And(Op("=", a, b), Op("<", b, IntConst(1))),
		"t.a = b AND b < 1 AND b > 2":      And(And(Op("=", a, b), Op("<", b, IntConst(1))), Op(">", b, IntConst(2))),
		"t.a OR b":                         Or(a, b),
		"NOT b":                            Not(b),
		"b IS NULL":                        IsNull(b),
		"pg_catalog.lower(b)":              Call([]string{"pg_catalog", "lower"}, b),
		"EXISTS (SELECT b)":                Exists(selectOnly(b)),
		"(SELECT b)":                       Scalar(selectOnly(b)),
		"true":                             And(),
		"false":                            Or(),
		"b":                                And(b),
		"3000000000":                       IntConst(3_000_000_000),
		"NULL":                             Null(),
		"pg_catalog.count(*) > 1.5":        Op(">", countStar(), FloatConst("1.5")),
		"EXISTS (SELECT 1 FROM s.t AS x)":  Exists(SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{Target(IntConst(1), "")}, FromClause: []*pg_query.Node{Table("s", "t", "x")}})),
		"EXISTS (SELECT FROM a.b LIMIT 5)": Exists(SelectNode(&pg_query.SelectStmt{FromClause: []*pg_query.Node{Table("a", "b", "")}, LimitCount: IntConst(5)})),
	} {
		parsed, err := ParseOne("SELECT "+want, Limits{})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if !Equal(selectOnly(n), parsed) {
			t.Errorf("%s:\nbuilt  %v\nparsed %v", want, selectOnly(n), parsed)
		}
	}
}

func countStar() *pg_query.Node {
	n := Call([]string{"pg_catalog", "count"})
	n.GetFuncCall().AggStar = true
	return n
}

// TestPrintRefuses wants an error, not the end of the process, for trees that
// the parser could not have made and for kinds that aren't printed.
// TestPrintExpr: what is printed is read as the same, or isn't printed.
func TestPrintExpr(t *testing.T) {
	for text, want := range map[string]string{
		"sum( a*2 )filter(where b=1)": "sum(a * 2) FILTER (WHERE b = 1)",
		`"A" :: numeric/ 2`:           `"A"::numeric / 2`,
		"case when x then 'y' end":    "CASE WHEN x THEN 'y' END",
	} {
		n, _, err := ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := PrintExpr(n); err != nil || got != want {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	if text, err := PrintExpr(Call([]string{"f"}, Star())); err == nil {
		t.Errorf("f(*) is another call: %q", text)
	}
}

func TestPrintRefuses(t *testing.T) {
	sel := func(s *pg_query.SelectStmt) *pg_query.Node { return SelectNode(s) }
	for name, n := range map[string]*pg_query.Node{
		"nil":            nil,
		"empty":          {},
		"explain":        {Node: &pg_query.Node_ExplainStmt{ExplainStmt: &pg_query.ExplainStmt{}}},
		"cast":           selectOnly(Cast(Column("a"), nil)),
		"cast of none":   selectOnly(Cast(nil, nil)),
		"column":         selectOnly(Column()),
		"empty node":     selectOnly(Call([]string{"f"}, &pg_query.Node{})),
		"no sides":       sel(&pg_query.SelectStmt{Op: pg_query.SetOperation_SETOP_UNION}),
		"no operand":     selectOnly(Op("+", nil, nil)),
		"no subquery":    sel(&pg_query.SelectStmt{FromClause: []*pg_query.Node{Subselect(nil, "a")}}),
		"copy of table":  mustParse(t, "COPY t TO STDOUT"),
		"copy in":        mustParse(t, "COPY t FROM STDIN"),
		"copy program":   mustParse(t, "COPY (SELECT 1) TO PROGRAM 'x'"),
		"copy without":   mustParse(t, "COPY (SELECT 1) TO STDOUT (DELIMITER)"),
		"copy format":    mustParse(t, "COPY (SELECT 1) TO STDOUT (FORMAT, csv)"),
		"copy number":    mustParse(t, "COPY (SELECT 1) TO STDOUT (NULL 5)"),
		"copy list":      mustParse(t, "COPY (SELECT 1) TO STDOUT (QUOTE (a, b))"),
		"copy star":      mustParse(t, "COPY (SELECT 1) TO STDOUT (ESCAPE *)"),
		"copy name":      mustParse(t, "COPY (SELECT 1) TO STDOUT (FORCE_QUOTE a)"),
		"copy nothing":   mustParse(t, "COPY (SELECT 1) TO STDOUT (FORCE_QUOTE)"),
		"copy header":    mustParse(t, "COPY (SELECT 1) TO STDOUT (HEADER (a))"),
		"copy unknown":   mustParse(t, "COPY (SELECT 1) TO STDOUT (x (a))"),
		"truncate":       mustParse(t, "TRUNCATE t"),
		"lock":           mustParse(t, "LOCK t"),
		"insert":         mustParse(t, "INSERT INTO t VALUES (1)"),
		"prepare insert": mustParse(t, "PREPARE p AS INSERT INTO t VALUES (1)"),
		"explain delete": mustParse(t, "EXPLAIN DELETE FROM t"),
	} {
		if text, err := Print(n); err == nil {
			t.Errorf("%s: printed %s", name, text)
		}
	}
}
