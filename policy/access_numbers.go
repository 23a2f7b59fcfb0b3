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

// lookedUpKind is the reg type of a node's value, empty where it isn't one.
func lookedUpKind(n *pg_query.Node) string {
	found := ""
	note := func(r *pg_query.Node) {
		if c := r.GetTypeCast(); c != nil {
			if kind, _ := lookupType(c.TypeName); kind != "" {
				found = kind
			}
		}
		schema, name, ok := nameParts(r.GetFuncCall().GetFuncname())
		if kind, cut := cutPrefix(name, "to_"); ok && cut && (schema == "" || schema == builtinSchema) && lookedUpName(kind) {
			found = kind
		}
	}
	results(n, note)
	return found
}

// compared notes that operands which are compared with each other are wanted
// as numbers, and writes out the cast of a literal that is compared with a
// value of a reg type.
func (j *judge) compared(e *pg_query.A_Expr) {
	_, op, _ := nameParts(e.Name)
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_OP, pg_query.A_Expr_Kind_AEXPR_OP_ANY, pg_query.A_Expr_Kind_AEXPR_OP_ALL, pg_query.A_Expr_Kind_AEXPR_IN,
		pg_query.A_Expr_Kind_AEXPR_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NOT_DISTINCT, pg_query.A_Expr_Kind_AEXPR_NULLIF:
		if !slices.Contains([]string{"=", "<>", "<", ">", "<=", ">="}, op) {
			return
		}
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN:
	default:
		return
	}
	j.comparison(e.Lexpr, e.Rexpr)
}

func (j *judge) comparison(a, b *pg_query.Node) {
	kind := lookedUpKind(a)
	if kind == "" {
		kind = lookedUpKind(b)
	}
	if kind == "" || textual(a) || textual(b) {
		return
	}
	for _, side := range []*pg_query.Node{a, b} {
		results(side, func(r *pg_query.Node) {
			if r.GetAConst().GetSval() != nil {
				r.Node = stmt.Cast(stmt.Clone(r), typeNamed(kind)).Node
			}
		})
		j.asNumber(side)
	}
}

// comparedIn is compared for x IN (SELECT …) and its like.
func (j *judge) comparedIn(s *pg_query.SubLink) {
	if s.Testexpr == nil || textual(s.Testexpr) {
		return
	}
	j.asNumber(s.Testexpr)
	outputsOf(s.Subselect.GetSelectStmt(), func(r *pg_query.Node) { j.asNumber(r) })
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

// numberCast notes that a value of a reg type is cast to a number.
func (j *judge) numberCast(c *pg_query.TypeCast) {
	_, name, _ := nameParts(c.TypeName.Names)
	name, _ = cutPrefix(name, "_")
	if slices.Contains([]string{"oid", "int4", "int8"}, name) {
		j.asNumber(c.Arg)
	}
}
