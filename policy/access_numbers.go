package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// Where a value of a reg type is wanted as a number is told beforehand, by the
// expression around it.

// asNumber notes that the reg values which an expression results in are wanted
// as numbers.
func (j *judge) asNumber(n *pg_query.Node) {
	results(n, func(r *pg_query.Node) {
		if c := r.GetTypeCast(); c != nil {
			j.numbers[c] = true
		}
		if f := r.GetFuncCall(); f != nil {
			j.numbers[f] = true
		}
	})
}

// results calls f for the expressions that a node's value may come from.
func results(n *pg_query.Node, f func(*pg_query.Node)) {
	each := func(list []*pg_query.Node) {
		for _, x := range list {
			results(x, f)
		}
	}
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AArrayExpr:
		each(x.AArrayExpr.Elements)
	case *pg_query.Node_List:
		each(x.List.Items)
	case *pg_query.Node_RowExpr:
		each(x.RowExpr.Args)
	case *pg_query.Node_CoalesceExpr:
		each(x.CoalesceExpr.Args)
	case *pg_query.Node_MinMaxExpr:
		each(x.MinMaxExpr.Args)
	case *pg_query.Node_CaseExpr:
		for _, w := range x.CaseExpr.Args {
			results(w.GetCaseWhen().GetResult(), f)
		}
		results(x.CaseExpr.Defresult, f)
	case *pg_query.Node_SubLink:
		if x.SubLink.SubLinkType == pg_query.SubLinkType_EXPR_SUBLINK || x.SubLink.SubLinkType == pg_query.SubLinkType_ARRAY_SUBLINK {
			outputsOf(x.SubLink.Subselect.GetSelectStmt(), f)
		}
	case nil:
	default:
		f(n)
	}
}

// outputsOf calls f for the expressions that a query's columns come from.
func outputsOf(s *pg_query.SelectStmt, f func(*pg_query.Node)) {
	if s == nil {
		return
	}
	outputsOf(s.Larg, f)
	outputsOf(s.Rarg, f)
	for _, row := range s.ValuesLists {
		results(row, f)
	}
	for _, t := range s.TargetList {
		results(t.GetResTarget().GetVal(), f)
	}
}

// lookedUpKind is the reg type of a node's value, or of the elements of an array;
// empty where it isn't one.
func lookedUpKind(n *pg_query.Node) (found string, array bool) {
	note := func(r *pg_query.Node) {
		if c := r.GetTypeCast(); c != nil {
			if kind, many := lookupType(c.TypeName); kind != "" {
				found, array = kind, many
			}
		}
		schema, name, ok := nameParts(r.GetFuncCall().GetFuncname())
		if kind, cut := cutPrefix(name, "to_"); ok && cut && (schema == "" || schema == builtinSchema) && lookedUpName(kind) {
			found, array = kind, false
		}
	}
	results(n, note)
	return found, array || n.GetAArrayExpr() != nil
}

// compared notes that operands which are compared with each other are wanted
// as numbers, and writes out the cast of a literal that is compared with a
// value of a reg type.
func (j *judge) compared(e *pg_query.A_Expr) {
	if !compares(e) && e.Kind != pg_query.A_Expr_Kind_AEXPR_NULLIF {
		return
	}
	if e.Kind == pg_query.A_Expr_Kind_AEXPR_OP_ANY || e.Kind == pg_query.A_Expr_Kind_AEXPR_OP_ALL {
		kind, _ := kindOf([]*pg_query.Node{e.Lexpr, e.Rexpr})
		if textual(e.Lexpr) || textual(e.Rexpr) {
			return
		}
		j.alike([]*pg_query.Node{e.Lexpr}, kind, false)
		j.alike([]*pg_query.Node{e.Rexpr}, kind, true)
		return
	}
	j.comparison(e.Lexpr, e.Rexpr)
}

// compares tells of an operator that compares its operands and results in a truth
// value.
func compares(e *pg_query.A_Expr) bool {
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_OP, pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL, pg_query.A_Expr_Kind_AEXPR_IN,
		pg_query.A_Expr_Kind_AEXPR_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		_, op, _ := nameParts(e.Name)
		return slices.Contains([]string{"=", "<>", "<", ">", "<=", ">="}, op)
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return true
	}
	return false
}

// comparison takes rows apart, so that each field is compared with its own.
func (j *judge) comparison(a, b *pg_query.Node) {
	row, others := a.GetRowExpr(), []*pg_query.Node{b}
	if list := b.GetList(); list != nil {
		others = list.Items
	}
	if row == nil {
		j.sameType(append(others[:len(others):len(others)], a))
		return
	}
	for i, x := range row.Args {
		fields := []*pg_query.Node{x}
		for _, o := range others {
			if args := o.GetRowExpr().GetArgs(); i < len(args) {
				fields = append(fields, args[i])
			}
		}
		j.sameType(fields)
	}
}

// sameType judges values that are compared with each other.
func (j *judge) sameType(list []*pg_query.Node) {
	kind, array := kindOf(list)
	if !slices.ContainsFunc(list, textual) {
		j.alike(list, kind, array)
	}
}

// alike judges values that are compared, where one of them is of a reg type: all
// are wanted as numbers, and a literal among them is one of its names.
func (j *judge) alike(list []*pg_query.Node, kind string, array bool) {
	if kind == "" {
		return
	}
	for _, n := range list {
		named(n, kind, array)
		j.asNumber(n)
	}
}

// kindOf is the reg type of the first value of a list that has one.
func kindOf(list []*pg_query.Node) (kind string, array bool) {
	for _, n := range list {
		if kind, array := lookedUpKind(n); kind != "" {
			return kind, array
		}
	}
	return "", false
}

// named writes out the casts of literals that meet values of a reg type.
func named(n *pg_query.Node, kind string, array bool) {
	if a := n.GetAArrayExpr(); a != nil {
		for _, e := range a.Elements {
			named(e, kind, false)
		}
		return
	}
	typ := kind
	if array {
		typ += "[]"
	}
	results(n, func(r *pg_query.Node) {
		if r.GetAConst().GetSval() != nil {
			r.Node = stmt.Cast(stmt.Clone(r), typeNamed(typ)).Node
		}
	})
}

// comparedIn is compared for x IN (SELECT …) and its like.
func (j *judge) comparedIn(s *pg_query.SubLink) {
	if s.Testexpr == nil || textual(s.Testexpr) {
		return
	}
	outputs := []*pg_query.Node{}
	outputsOf(s.Subselect.GetSelectStmt(), func(r *pg_query.Node) { outputs = append(outputs, r) })
	if kind, array := kindOf(outputs); kind != "" {
		named(s.Testexpr, kind, array)
	}
	for _, n := range append(outputs, s.Testexpr) {
		j.asNumber(n)
	}
}

// textual tells whether a value surely is a text.
func textual(n *pg_query.Node) bool {
	if c := n.GetTypeCast(); c != nil {
		_, name, _ := nameParts(c.TypeName.Names)
		return slices.Contains([]string{"text", "varchar", "bpchar", "name"}, name)
	}
	_, name := functionParts(n.GetFuncCall().GetFuncname())
	return name == "pg_typeof"
}

// numberType tells of a cast to what a value of a reg type is as a number.
func numberType(c *pg_query.TypeCast) bool {
	_, name, _ := nameParts(c.TypeName.Names)
	name, _ = cutPrefix(name, "_")
	return slices.Contains([]string{"oid", "int4", "int8"}, name)
}

// numberCast notes that a value of a reg type is cast to a number. A column that is a
// text for one is made a number again, and the cast is judged with that.
func (j *judge) numberCast(c *pg_query.TypeCast, l *level) (judged bool, err error) {
	j.asNumber(c.Arg)
	column := j.columnAt(c.Arg, l)
	if column == nil || column.reg == "" || len(c.TypeName.ArrayBounds) > 0 {
		return false, nil
	}
	if err := j.walk(c.Arg, l); err != nil {
		return true, err
	}
	c.Arg = j.view.byName(c.Arg, column.reg)
	if err := j.charge(j.view.names().nameBytes); err != nil {
		return true, err
	}
	return true, j.walk(c.TypeName, l)
}

// isNumber tells whether an expression, judged already, surely is a number or
// an OID.
func (j *judge) isNumber(n *pg_query.Node, l *level) bool {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_AConst:
		return x.AConst.GetIval() != nil || x.AConst.GetFval() != nil
	case *pg_query.Node_TypeCast:
		_, name, _ := nameParts(x.TypeCast.TypeName.Names)
		return len(x.TypeCast.TypeName.ArrayBounds) == 0 && slices.Contains([]string{"oid", "int2", "int4", "int8"}, name)
	case *pg_query.Node_ColumnRef:
		return slices.Contains([]string{"oid", "int2", "int4", "int8"}, j.typeOf(n, l)) || lookedUpName(j.typeOf(n, l))
	case *pg_query.Node_AIndirection:
		i := x.AIndirection.Indirection
		return len(i) == 1 && i[0].GetAIndices() != nil && !i[0].GetAIndices().IsSlice &&
			slices.Contains([]string{"oidvector", "int2vector", "_oid", "_int2", "_int4", "_int8"}, j.typeOf(x.AIndirection.Arg, l))
	}
	return false
}

func lookedUpName(name string) bool { _, ok := lookups()[name]; return ok }

// typeOf is the type of a column of a real relation, empty where it isn't known.
func (j *judge) typeOf(n *pg_query.Node, l *level) string {
	if g := j.grantedColumn(n, l); g != nil {
		return g.column.Type.Name
	}
	return ""
}

// grantedColumn is the column of a real relation that a node is, nil where it
// isn't known to be one.
func (j *judge) grantedColumn(n *pg_query.Node, l *level) *grantColumn {
	c := j.columnAt(n, l)
	if c == nil || c.src == nil || c.src.grant == nil {
		return nil
	}
	return c.src.grant.column(c.base)
}

// columnAt is columnOf at whatever level the name is found. It isn't known past
// a level that may have a column of that name.
func (j *judge) columnAt(n *pg_query.Node, l *level) *column {
	name, ok := bareName(n)
	if !ok {
		return j.columnOf(n, l)
	}
	for at := l; at != nil; at = at.parent {
		if c, _, open := at.local(name); c != nil || open {
			return c
		}
	}
	return nil
}
