package semantic_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

func dimension(d configs.Dimension) configs.Semantic {
	d.Pos = configs.Pos{File: "semantic.yaml", Line: 7}
	if d.Name == "" {
		d.Name = "d"
	}
	if d.Table == (configs.Name{}) {
		d.Table = cname("items")
	}
	return configs.Semantic{Dimensions: []configs.Dimension{d}}
}

func TestDimensionFaults(t *testing.T) {
	for _, test := range []struct {
		name string
		file configs.Semantic
		key  string // behind dimensions.
		want string
	}{
		{"an aggregate", dimension(configs.Dimension{Expr: "sum(price)"}), "d.expr", "an aggregate can't stand here"},
		{"a window", dimension(configs.Dimension{Expr: "rank() OVER (ORDER BY price)"}), "d.expr", "no window functions"},
		{"a sub-select", dimension(configs.Dimension{Expr: "price > (SELECT 1)"}), "d.expr", "without sub-selects"},
		{"another table's column", dimension(configs.Dimension{Expr: "orders.status > 1"}), "d.expr", "has no column orders.status"},
		{"no column", dimension(configs.Dimension{Expr: "prize > 1"}), "d.expr", "has no column prize"},
		{"a constant", dimension(configs.Dimension{Expr: "1 + 1"}), "d.expr", "it reads no column"},
		{"not SQL", dimension(configs.Dimension{Expr: "case when"}), "d.expr", "syntax"},
		{"a place", dimension(configs.Dimension{Expr: "price > :least"}), "d.expr", "no values here for :least"},
		{"volatile", dimension(configs.Dimension{Expr: "price * random()"}), "d.expr", "random isn't among the functions that a dimension may call"},
		{"somebody's function", dimension(configs.Dimension{Expr: "shop.class(price)"}), "d.expr", "class isn't among the functions"},
		{"who asks", dimension(configs.Dimension{Expr: "current_user || price"}), "d.expr", "what it says of the session isn't a row's"},
		{"mixed values", dimension(configs.Dimension{Expr: "case when n > 1 then n::text else n end"}), "d.expr", "some of its values are text, others integer"},
		{"another type", dimension(configs.Dimension{Expr: "n::money"}), "d.expr", "a cast to money isn't known here"},
		{"a list", dimension(configs.Dimension{Expr: "array[n, price]"}), "d.expr", "its values are a list, by which rows aren't grouped"},
		{"an unknown operator", dimension(configs.Dimension{Expr: "n # 3"}), "d.expr", "what integer # integer gives isn't known here"},
		{"the name of a column", dimension(configs.Dimension{Name: "Price", Expr: "n > 1"}), "Price", "a column of public.items is called so too"},
		{"no table", dimension(configs.Dimension{Expr: "n", Table: cname("nowhere")}), "d.table", "there is no table public.nowhere"},
		{"a long name", dimension(configs.Dimension{Name: strings.Repeat("x", 64), Expr: "n > 1"}), strings.Repeat("x", 64), "at most 63 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, faults := semantic.Build(test.file, shop())
			if len(faults) != 1 || !strings.Contains(faults[0].Msg, test.want) || faults[0].Key != "dimensions."+test.key || faults[0].Pos.Line != 7 {
				t.Fatalf("%+v, want %q", faults, test.want)
			}
			if len(m.Dimensions) > 0 {
				t.Error("it is taken in spite of that")
			}
		})
	}
}

func TestDimensionNames(t *testing.T) {
	file := dimension(configs.Dimension{Name: "size class", Expr: "n > 1"})
	file.Dimensions = append(file.Dimensions, configs.Dimension{Name: "Size_Class", Table: cname("orders"), Expr: "status > 1"},
		configs.Dimension{Name: "m", Table: cname("orders"), Expr: "status > 1"})
	file.Metrics = metric(configs.Metric{Expr: "sum(price)"}).Metrics
	_, faults := semantic.Build(file, shop())
	var got []string
	for _, f := range faults {
		got = append(got, f.Key+": "+f.Msg)
	}
	if want := []string{"dimensions.Size_Class: the dimension is defined twice", "dimensions.m: a metric is called so too"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// TestDimensionTypes holds what is known of the type of an expression against what Postgres makes of it.
func TestDimensionTypes(t *testing.T) {
	srv, ctx := postgres.ForTest(t), context.Background()
	conn, err := pgx.Connect(ctx, srv.DSN(srv.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN code AS varchar(8); CREATE TABLE things (id int8 PRIMARY KEY, name text,
  short varchar(10), fixed char(3), part code, mood mood, n int4, small int2, amount numeric(12,2), rate float8, real float4, ok bool, day date, at timestamp, seen timestamptz(0),
  took interval, clock time, mark uuid, doc jsonb)`); err != nil {
		t.Fatal(err)
	}
	snapshot, err := catalog.Read(ctx, conn, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, expr := range []string{
		"name", "short", "fixed", "part", "mood", "n", "small", "amount", "rate", "real", "ok", "day", "at", "seen", "took", "clock", "mark",
		"case when amount >= 1000 then 'large' else 'small' end", "case mood when 'ok' then 1 end", "case when ok then n else amount end", "case when ok then small else id end",
		"case when ok then rate else n end", "case when ok then short else name end", "case when ok then short else 'x' end", "case when ok then day else at end", "case when ok then at else seen end",
		"case when ok then null else short end", "case when ok then mood else null end", "coalesce(short, part)", "coalesce(name, 'none')", "coalesce(n, 0)", "coalesce(n, 0.5)", "greatest(n, amount)", "least(day, '2026-01-01')",
		"nullif(short, 'x')", "nullif(n, 0)", "short || '!'", "n || name", "name || n", "'#' || n", "upper(short)", "left(name, 2)", "trim(both ' ' from short)", "substring(name from 1 for 2)",
		"length(name)", "position('a' in name)", "concat(n, name)", "split_part(name, '-', 1)", "regexp_replace(name, 'a', 'b')", "to_char(day, 'YYYY')", "starts_with(name, 'a')",
		"n + 1", "n + small", "small + small", "small * 2", "n / 2", "n + id", "id % 7", "n * 1.5", "amount * 2", "amount / n", "rate * n", "real * n", "real + real", "real + rate", "-amount", "- n", "n + 12345678901", "amount - '3'",
		"abs(n)", "abs(amount)", "round(amount)", "round(n)", "round(rate)", "round(amount, 1)", "round(n, -1)", "floor(amount)", "floor(n)", "ceil(rate)", "trunc(amount, 1)", "sign(n)", "sqrt(n)", "sqrt(amount)", "power(n, 2)", "power(amount, 2)",
		"power(n, 2.0)", "mod(n, 3)", "mod(amount, 3)", "width_bucket(amount, 0, 100, 10)", "width_bucket(rate, 0, 100, 10)", "ln(amount)", "log(amount)", "log(2, amount)", "div(amount, 3)",
		"day + 1", "day - day", "day - 3", "day + took", "day - interval '1 month'", "at - at", "at + took", "seen - took", "seen - seen", "took * 2", "took / 2.5", "took + took", "day - at", "at - day",
		"date_trunc('month', day)", "date_trunc('month', at)", "date_trunc('month', seen)", "date_trunc('month', day)::date", "extract(year from day)", "date_part('year', at)", "extract(year from day)::int", "age(at)", "age(at, at)",
		"seen at time zone 'UTC'", "at at time zone 'UTC'", "to_date(name, 'YYYY')", "make_date(n, 1, 1)", "current_date - day", "now() - seen", "justify_days(took)",
		"amount::int", "n::text", "name::varchar(5)", "amount::numeric(10,1)", "amount::numeric", "n::float8", "n::real", "day::timestamp", "at::date", "n::bool", "name::uuid",
		"n > 1", "n between 1 and 3", "name like 'a%'", "n in (1, 2)", "name is null", "ok is true", "n > 1 and ok", "not ok", "name is distinct from 'x'", "n = any(array[1, 2])", "name ~ 'a'", "name similar to 'a'",
		"doc->>'a'", "doc->'a'->>'b'", "(doc->>'a')::int4",
	} {
		m, faults := semantic.Build(dimension(configs.Dimension{Name: "tested", Table: cname("things"), Expr: expr}), snapshot)
		if len(faults) > 0 {
			t.Errorf("%s: %v", expr, faults)
			continue
		}
		d := m.Dimension("tested")
		text, err := stmt.Print(stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(d.Expr, "v")},
			FromClause: []*pg_query.Node{pg_query.MakeSimpleRangeVarNode("things", 0)}}))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := conn.Query(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		field := slices.Clone(rows.FieldDescriptions())
		rows.Close()
		if err := rows.Err(); err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		var want string
		if err := conn.QueryRow(ctx, fmt.Sprintf("SELECT format_type(%d, %d)", field[0].DataTypeOID, field[0].TypeModifier)).Scan(&want); err != nil {
			t.Fatal(err)
		}
		if expr == "part" {
			want = "character varying(8)" // a domain counts as what it is based on
		}
		if got := d.Column.Type; strings.TrimPrefix(got.SQL, "public.") != want || got.OID != field[0].DataTypeOID {
			t.Errorf("%s: %s (%d), Postgres says %s (%d), from %s", expr, got.SQL, got.OID, want, field[0].DataTypeOID, text)
		}
	}
}

func TestDimensionVisible(t *testing.T) {
	file := dimension(configs.Dimension{Expr: "price * n > 9"})
	m, faults := semantic.Build(file, shop())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for column, want := range map[string]int{"product": 1, "price": 0, "n": 0, "": 0} {
		if got := len(m.Visible(without(shop(), "items", column)).Dimensions); got != want {
			t.Errorf("without %q there are %d dimensions, want %d", column, got, want)
		}
	}
}

// A model hears no more of a dimension than of what it is made of.
func TestDimensionExposure(t *testing.T) {
	for columns, want := range map[[2]string]semantic.Exposure{{"full", "full"}: "full", {"name_only", "full"}: "name_only", {"full", "hidden"}: "hidden"} {
		file := dimension(configs.Dimension{Expr: "price * n", LLM: "full"})
		file.Tables = []configs.SemanticTable{{Table: cname("items"), Columns: map[string]configs.SemanticColumn{"price": {LLM: columns[0]}, "n": {LLM: columns[1]}}}}
		m, _ := semantic.Build(file, shop())
		if got := m.Dimension("d").LLM; got != want {
			t.Errorf("%v: %s, want %s", columns, got, want)
		}
		file.Dimensions[0].LLM = "hidden"
		if m, _ = semantic.Build(file, shop()); m.Dimension("d").LLM != semantic.Hidden {
			t.Error("its own exposure isn't kept")
		}
	}
}

func TestDimensionSamples(t *testing.T) {
	m, _ := semantic.Build(dimension(configs.Dimension{Expr: "case when n > 1 then 'large' else 'small' end"}), shop())
	seen := m.WithSamples([]catalog.Sample{{Table: name("items"), Column: "d", Values: []string{"large", "small"}, All: true}, {Table: name("orders"), Column: "d", Values: []string{"x"}}})
	if got := seen.Dimension("d").Column; !slices.Equal(got.Values, []string{"large", "small"}) || !got.AllValues {
		t.Errorf("%+v", got)
	}
	if len(m.Dimension("d").Column.Values) > 0 {
		t.Error("the model was changed")
	}
}
