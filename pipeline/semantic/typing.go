package semantic

import (
	"fmt"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

// typing finds the type of an expression over a table's columns. A plan compares and
// shows it, so what it can't be sure of is refused.
type typing struct {
	snapshot *catalog.Snapshot
	table    *catalog.Table
	// wrong is the first that is; what follows from it isn't said.
	wrong string
}

// found is a type; sized tells that values have a length or precision, which what is
// computed of them needn't have. Without a name it is that of a bare literal.
type found struct {
	catalog.Type
	sized bool
}

func (x *typing) refuse(format string, args ...any) found {
	if x.wrong == "" {
		x.wrong = fmt.Sprintf(format, args...)
	}
	return known("text")
}

// result is the type of the whole expression.
func (x *typing) result(n *pg_query.Node) found {
	t := x.of(n)
	switch {
	case t.Name == "":
		return known("text")
	case t.Name == "bpchar" && n.GetColumnRef() == nil:
		return x.refuse("its values are filled up with blanks; cast them to text")
	case !strings.Contains("SNBDTE", string(t.Category)) && t.Name != "uuid":
		return x.refuse("its values are %s, by which rows aren't grouped; cast them, such as (…)::text", t.SQL)
	}
	return t
}

// of is the type of one node of those that a definition may hold.
func (x *typing) of(n *pg_query.Node) found {
	switch v := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		return x.column(v.ColumnRef)
	case *pg_query.Node_AConst:
		return constant(v.AConst)
	case *pg_query.Node_SqlvalueFunction:
		return x.moment(v.SqlvalueFunction)
	case *pg_query.Node_FuncCall:
		return x.call(v.FuncCall)
	case *pg_query.Node_AExpr:
		return x.operator(v.AExpr)
	case *pg_query.Node_TypeCast:
		return x.cast(v.TypeCast)
	case *pg_query.Node_CoalesceExpr:
		return x.common(v.CoalesceExpr.Args)
	case *pg_query.Node_MinMaxExpr:
		return x.common(v.MinMaxExpr.Args)
	case *pg_query.Node_CaseExpr:
		return x.caseOf(v.CaseExpr)
	case *pg_query.Node_BoolExpr:
		return x.truth(v.BoolExpr.Args...)
	case *pg_query.Node_NullTest:
		return x.truth(v.NullTest.Arg)
	case *pg_query.Node_BooleanTest:
		return x.truth(v.BooleanTest.Arg)
	case *pg_query.Node_List:
		return x.several(v.List.Items)
	case *pg_query.Node_AArrayExpr:
		return x.several(v.AArrayExpr.Elements)
	}
	return found{}
}

// truth is true or false, whatever is compared.
func (x *typing) truth(of ...*pg_query.Node) found {
	for _, n := range of {
		x.of(n)
	}
	return known("bool")
}

// several are values in a list, which is none itself.
func (x *typing) several(of []*pg_query.Node) found {
	x.truth(of...)
	return found{Type: catalog.Type{Schema: "pg_catalog", Name: "anyarray", SQL: "a list", Category: 'A'}}
}

func (x *typing) column(ref *pg_query.ColumnRef) found {
	c := x.table.Column(ref.Fields[len(ref.Fields)-1].GetString_().GetSval())
	t := c.Type
	for range 8 { // a domain may be over a domain
		u := x.snapshot.UserType(t.OID)
		if u == nil || u.Kind != 'd' {
			break
		}
		t = u.Base
	}
	return found{Type: t, sized: strings.Contains(t.SQL, "(") || t.OID != c.Type.OID}
}

func constant(a *pg_query.A_Const) found {
	switch {
	case a.GetIval() != nil:
		return known("int4")
	case a.GetBoolval() != nil:
		return known("bool")
	case a.GetFval() != nil:
		if _, err := strconv.ParseInt(a.GetFval().GetFval(), 10, 64); err == nil {
			return known("int8")
		}
		return known("numeric")
	}
	return found{}
}

func (x *typing) moment(v *pg_query.SQLValueFunction) found {
	switch v.Op {
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_DATE:
		return known("date")
	case pg_query.SQLValueFunctionOp_SVFOP_CURRENT_TIMESTAMP:
		return known("timestamptz")
	case pg_query.SQLValueFunctionOp_SVFOP_LOCALTIMESTAMP:
		return known("timestamp")
	}
	return x.refuse("what it says of the session isn't a row's")
}

func (x *typing) cast(c *pg_query.TypeCast) found {
	x.of(c.Arg)
	names := c.TypeName.GetNames()
	name := names[len(names)-1].GetString_().GetSval()
	t := known(name)
	if t.Name == "" || name == "bpchar" || len(c.TypeName.GetArrayBounds()) > 0 || len(names) == 2 && names[0].GetString_().GetSval() != "pg_catalog" {
		return x.refuse("a cast to %s isn't known here", name)
	}
	t.sized = len(c.TypeName.GetTypmods()) > 0
	return t
}

func (x *typing) caseOf(c *pg_query.CaseExpr) found {
	if c.Arg != nil {
		x.of(c.Arg)
	}
	var values []*pg_query.Node
	for _, w := range c.Args {
		x.of(w.GetCaseWhen().GetExpr())
		values = append(values, w.GetCaseWhen().GetResult())
	}
	if c.Defresult != nil {
		values = append(values, c.Defresult)
	}
	return x.common(values)
}

// common is the type that values of several expressions have together, as Postgres resolves
// it; literals take that of the others.
func (x *typing) common(of []*pg_query.Node) found {
	var out found
	for _, n := range of {
		t := x.of(n)
		switch {
		case t.Name == "":
		case out.Name == "":
			out = t
		default:
			both, ok := wider(out, t)
			if !ok {
				return x.refuse("some of its values are %s, others %s", out.SQL, t.SQL)
			}
			out = both
		}
	}
	return out
}
