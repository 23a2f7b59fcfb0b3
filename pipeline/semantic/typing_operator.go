package semantic

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

// known is one of pg_catalog's types that a dimension may have; without a name where it isn't one.
func known(name string) found {
	t, ok := map[string]catalog.Type{
		"text": {OID: 25, SQL: "text", Category: 'S'}, "varchar": {OID: 1043, SQL: "character varying", Category: 'S'},
		"bpchar": {OID: 1042, SQL: "bpchar", Category: 'S'}, "bool": {OID: 16, SQL: "boolean", Category: 'B'},
		"int2": {OID: 21, SQL: "smallint", Category: 'N'}, "int4": {OID: 23, SQL: "integer", Category: 'N'},
		"int8": {OID: 20, SQL: "bigint", Category: 'N'}, "numeric": {OID: 1700, SQL: "numeric", Category: 'N'},
		"float4": {OID: 700, SQL: "real", Category: 'N'}, "float8": {OID: 701, SQL: "double precision", Category: 'N'},
		"date": {OID: 1082, SQL: "date", Category: 'D'}, "timestamp": {OID: 1114, SQL: "timestamp without time zone", Category: 'D'},
		"timestamptz": {OID: 1184, SQL: "timestamp with time zone", Category: 'D'}, "time": {OID: 1083, SQL: "time without time zone", Category: 'D'},
		"interval": {OID: 1186, SQL: "interval", Category: 'T'}, "uuid": {OID: 2950, SQL: "uuid", Category: 'U'},
	}[name]
	if !ok {
		return found{}
	}
	t.Schema, t.Name = "pg_catalog", name
	return found{Type: t}
}

// plain is a type without length or precision.
func plain(t catalog.Type) catalog.Type {
	if t.Schema == "pg_catalog" {
		if k := known(t.Name); k.Name != "" {
			return k.Type
		}
	}
	return t
}

// numbers are the types of numbers, each of which Postgres takes for those behind it.
var numbers = []string{"int2", "int4", "int8", "numeric", "float4", "float8"}

// wider is the type that values of both have together.
func wider(a, b found) (found, bool) {
	sized := a.sized || b.sized
	switch {
	case a.OID == b.OID:
		return found{a.Type, sized}, true
	case a.Category == 'S' && b.Category == 'S' && a.Schema == "pg_catalog" && b.Schema == "pg_catalog":
		return known("text"), true
	}
	for _, order := range [][]string{numbers, {"date", "timestamp", "timestamptz"}} {
		i, j := slices.Index(order, a.Name), slices.Index(order, b.Name)
		if i >= 0 && j >= 0 {
			return known(order[max(i, j)]), true
		}
	}
	return found{}, false
}

func (x *typing) operator(e *pg_query.A_Expr) found {
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_NULLIF:
		x.of(e.Rexpr)
		return x.of(e.Lexpr)
	case pg_query.A_Expr_Kind_AEXPR_OP:
	default: // IN, BETWEEN, LIKE, IS DISTINCT FROM, ANY …
		return x.truth(e.Lexpr, e.Rexpr)
	}
	op := e.Name[len(e.Name)-1].GetString_().GetSval()
	if len(e.Name) > 1 {
		return x.refuse("the operator %s of a schema isn't known here", op)
	}
	right := x.of(e.Rexpr)
	if e.Lexpr == nil {
		return x.signed(op, right)
	}
	left := x.of(e.Lexpr)
	switch op {
	case "=", "<>", "<", "<=", ">", ">=", "~", "~*", "!~", "!~*", "~~", "~~*", "!~~", "!~~*", "^@", "@>", "<@", "?":
		return known("bool")
	case "||":
		if (left.Category == 'S' || left.Name == "") && right.Category != 'A' || right.Category == 'S' && left.Category != 'A' {
			return known("text")
		}
	case "->>", "#>>":
		return known("text")
	case "->", "#>":
		return found{Type: left.Type}
	case "+", "-", "*", "/", "%":
		return x.arithmetic(op, left, right)
	}
	return x.refuse("what %s %s %s gives isn't known here; cast the parts", shown(left), op, shown(right))
}

func shown(t found) string {
	if t.Name == "" {
		return "a literal"
	}
	return t.SQL
}

func (x *typing) signed(op string, t found) found {
	if (op == "-" || op == "+") && (t.Category == 'N' || t.Name == "interval") {
		return found{Type: plain(t.Type)}
	}
	return x.refuse("what %s %s gives isn't known here", op, shown(t))
}

// arithmetic is what calculating with two values gives; a literal is taken for what the other is.
func (x *typing) arithmetic(op string, left, right found) found {
	i, j := slices.Index(numbers, left.Name), slices.Index(numbers, right.Name)
	switch {
	case i >= 0 && j >= 0:
		return known(numbers[max(i, j)]).float(i, j)
	case i >= 0 && right.Name == "":
		return found{Type: plain(left.Type)}
	case j >= 0 && left.Name == "":
		return found{Type: plain(right.Type)}
	}
	days := func(t found) bool { return t.Name == "int4" || t.Name == "int2" }
	instant := func(t found) bool { return t.Name == "timestamp" || t.Name == "timestamptz" }
	switch {
	case op == "-" && left.Name == "date" && right.Name == "date":
		return known("int4")
	case op == "-" && instant(left) && (instant(right) || right.Name == "date"), op == "-" && left.Name == "date" && instant(right):
		return known("interval")
	case (op == "+" || op == "-") && left.Name == "date" && days(right), op == "+" && days(left) && right.Name == "date":
		return known("date")
	case (op == "+" || op == "-") && left.Name == "date" && right.Name == "interval":
		return known("timestamp")
	case (op == "+" || op == "-") && (instant(left) || left.Name == "interval") && right.Name == "interval":
		return found{Type: plain(left.Type)}
	case (op == "*" || op == "/") && left.Name == "interval" && j >= 0:
		return known("interval")
	}
	return x.refuse("what %s %s %s gives isn't known here; cast the parts", shown(left), op, shown(right))
}

// float corrects what Postgres makes of a real and another number, of positions i and j.
func (t found) float(i, j int) found {
	if t.Name == "float4" && i != j {
		return known("float8")
	}
	return t
}
