package policy

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// risk is that of a statement. Besides its operations, one by one, it counts
// what makes them conditions at no further cost, also further out than where they
// stand, since Postgres merges sub-selects: a test for null, a subscript, and an
// equality of one thing with itself, which becomes a test for null. And
// comparisons that fail for what they compare: rows and arrays whose parts have
// no order, texts that got two collations further in.
func (p partiality) risk(m proto.Message) risk {
	f := findings{flow: p.flow(m), members: map[any]bool{}}
	_ = walk(m, func(n any) error {
		f.visit(n)
		return nil
	})
	return f.done()
}

// findings are those of one statement.
type findings struct {
	flow
	risk risk
	// odd tells that it makes values that can't be compared.
	odd bool
	// params, takesOdd: it has parameters; it calls functions of values that can't
	// be compared, so that those may be some.
	params, takesOdd bool
	// members are arrays whose elements are compared, not they themselves.
	members map[any]bool
}

func (f *findings) visit(m any) {
	f.risk.raise(f.of(m))
	switch n := m.(type) {
	case *pg_query.NullTest:
		f.test(n.Arg)
	case *pg_query.A_Indices:
		f.test(n.Lidx, n.Uidx)
	case *pg_query.A_Indirection:
		if n.Indirection[0].GetAIndices() != nil {
			f.test(n.Arg)
		}
	case *pg_query.A_Expr:
		f.compare(n)
	case *pg_query.CaseExpr:
		f.compareRows(n.Arg)
	case *pg_query.MinMaxExpr:
		f.compareRows(n.Args...)
	case *pg_query.CollateClause:
		if _, c, _ := nameParts(n.Collname); c != "default" && f.nested {
			f.risk.raise(always, riskCheap)
		}
	case *pg_query.SubLink:
		f.compareRows(parts(n.Testexpr)...)
		f.risk.arrays = f.risk.arrays || n.SubLinkType == pg_query.SubLinkType_ARRAY_SUBLINK
	case *pg_query.FuncCall:
		_, name := functionParts(n.Funcname)
		f.makes(name, strings.HasPrefix(name, "array_"))
		f.takesOdd = f.takesOdd || strings.HasPrefix(name, "json_")
	case *pg_query.ParamRef:
		f.params = true
	case *pg_query.TypeName: // of a cast, a parameter or a function's column
		_, name, _ := nameParts(n.Names)
		element := strings.TrimPrefix(name, "_")
		f.makes(element, !f.members[n] && (len(n.ArrayBounds) > 0 || element != name))
	case *pg_query.A_ArrayExpr:
		f.makes("", !f.members[n])
	}
}

// makes notes that the statement makes values of a type, or an array. Functions
// that make values of a type out of constants have its name. Shapes are compared by
// their areas and the like, which may be too large; a number that is compared with
// an OID is made one, if it isn't too large.
func (f *findings) makes(typ string, array bool) {
	f.risk.arrays = f.risk.arrays || array
	f.odd = f.odd || baseType(typ) != 0 && !comparableType(typ)
	switch {
	case shape(typ):
		f.risk.raise(always, riskCheap)
	case typ == "oid":
		f.risk.raise(onBig, riskPartial)
	}
}

// withParams is the risk where a message says the types of some parameters.
func (r risk) withParams(types []uint32) risk {
	f := findings{risk: r}
	for _, oid := range types {
		if i := slices.IndexFunc(baseTypes[:], func(t builtinOID) bool { return t.oid == oid }); i >= 0 {
			f.makes(baseTypes[i].name, false)
		} else if slices.Contains(incomparableArrays(), oid) {
			f.risk.raise(always, riskCheap)
		}
	}
	return f.done()
}

// incomparableArrays are the OIDs of json[], point[], lseg[], path[], box[],
// polygon[], line[], circle[] and jsonpath[].
func incomparableArrays() []uint32 {
	return []uint32{199, 1017, 1018, 1019, 1020, 1027, 629, 719, 4073}
}

// done adds what only all findings together tell.
func (f *findings) done() risk {
	if f.risk.arrays && (f.odd || f.params && f.takesOdd) {
		f.risk.raise(always, riskCheap)
	}
	return f.risk
}

// test raises the risk of what is tested for null or the like.
func (f *findings) test(nodes ...*pg_query.Node) {
	for _, n := range nodes {
		h := f.within(n)
		if f.row(n) {
			for _, c := range f.columns {
				h |= c.hazards
			}
		}
		f.risk.raise(h, riskCheap)
	}
}

// compare looks at both sides of an operator.
func (f *findings) compare(e *pg_query.A_Expr) {
	a, b := e.Lexpr, e.Rexpr
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		if a.GetAConst().GetIsnull() || b.GetAConst().GetIsnull() {
			f.test(a, b)
		}
	case pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL:
		f.members[b.GetAArrayExpr()], f.members[b.GetTypeCast().GetTypeName()] = true, true
		f.members[b.GetTypeCast().GetArg().GetAArrayExpr()] = true
		f.compareRows(a, b)
		return
	}
	if _, op, _ := nameParts(e.Name); op == "=" && !f.apart(a, b) {
		f.risk.raise(f.within(a)&f.within(b), riskCheap)
	}
	f.compareRows(parts(a)...)
	f.compareRows(parts(b)...)
}

// parts are what is compared: ROW(a, b) = ROW(c, d) compares a with c and b
// with d, and a list's members are compared one by one.
func parts(n *pg_query.Node) []*pg_query.Node {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_RowExpr:
		return x.RowExpr.Args
	case *pg_query.Node_List:
		var out []*pg_query.Node
		for _, item := range x.List.Items {
			out = append(out, parts(item)...)
		}
		return out
	}
	return []*pg_query.Node{n}
}

// compareRows raises the risk where one of the nodes is a row: whether its
// columns can be compared is found out then.
func (f *findings) compareRows(nodes ...*pg_query.Node) {
	if f.anyRow(nodes...) {
		f.risk.raise(always, riskCheap)
	}
}

// shape tells of the geometric types.
func shape(name string) bool {
	return contains([]string{"point", "lseg", "path", "box", "polygon", "line", "circle"}, name)
}

// comparableType tells of built-in types, by name, that have an order, so that
// arrays and rows of them have one.
func comparableType(name string) bool {
	return contains([]string{"bool", "bytea", "char", "name", "int8", "int2", "int4", "text", "oid", "cidr", "float4", "float8", "macaddr8", "money",
		"macaddr", "inet", "bpchar", "varchar", "date", "time", "timestamp", "timestamptz", "interval", "timetz", "bit", "varbit", "numeric", "uuid",
		"tsvector", "tsquery", "jsonb", "int4range", "numrange", "tsrange", "tstzrange", "daterange", "int8range", "int4multirange",
		"nummultirange", "tsmultirange", "tstzmultirange", "datemultirange", "int8multirange"}, name)
}
