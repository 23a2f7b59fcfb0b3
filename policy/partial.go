package policy

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// An operation is partial when it can raise an error on some values. Postgres
// may evaluate it before a row rule, so that whether a statement fails would
// tell about rows that the role may not see. Operations are total only where
// listed here.

func totalOperators() string {
	return `= <> < > <= >= || -> ->> #> #>> @> <@ ? ?| ?& &&`
}

func totalFunctions() string {
	return `lower upper length char_length character_length octet_length btrim ltrim rtrim concat concat_ws left right
initcap reverse replace strpos position starts_with md5 quote_ident quote_literal quote_nullable split_part
now date_trunc date_part extract age to_char clock_timestamp statement_timestamp transaction_timestamp isfinite
to_json to_jsonb row_to_json json_typeof jsonb_typeof array_length cardinality array_to_string array_position
num_nulls num_nonnulls pg_typeof unnest generate_subscripts isempty lower_inc upper_inc lower_inf upper_inf timezone`
}

// partiality knows the lists.
type partiality struct {
	operators, functions map[string]bool
	builtins             builtins
}

func newPartiality(b builtins) partiality {
	p := partiality{operators: map[string]bool{}, functions: map[string]bool{}, builtins: b}
	for _, o := range strings.Fields(totalOperators()) {
		p.operators[o] = true
	}
	for _, f := range strings.Fields(totalFunctions()) {
		p.functions[f] = true
	}
	return p
}

// in tells whether the tree holds any partial operation.
func (p partiality) in(m proto.Message) bool {
	return walk(m, func(n any) error {
		if p.raises(n) {
			return errMismatch
		}
		return nil
	}) != nil
}

// raises tells whether the node itself can raise an error on data.
func (p partiality) raises(m any) bool {
	switch n := m.(type) {
	case *pg_query.A_Expr:
		return p.operatorRaises(n)
	case *pg_query.FuncCall:
		_, name := functionParts(n.Funcname)
		kind := p.builtins[name]
		return !p.functions[name] && kind != functionAggregate && kind != functionWindow
	case *pg_query.TypeCast:
		return n.Arg.GetAConst() == nil && !toText(n.TypeName)
	}
	return false
}

func (p partiality) operatorRaises(e *pg_query.A_Expr) bool {
	switch e.Kind {
	case pg_query.A_Expr_Kind_AEXPR_LIKE, pg_query.A_Expr_Kind_AEXPR_ILIKE:
		// A pattern from data may be malformed.
		return e.Rexpr.GetAConst() == nil
	case pg_query.A_Expr_Kind_AEXPR_SIMILAR:
		return true
	case pg_query.A_Expr_Kind_AEXPR_BETWEEN, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg_query.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg_query.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return false
	}
	_, op, _ := nameParts(e.Name)
	return !p.operators[op]
}

func toText(t *pg_query.TypeName) bool {
	_, name, _ := nameParts(t.Names)
	return name == "text" && len(t.ArrayBounds) == 0
}

// constantComparison tells whether a bound row rule is nothing but comparisons
// of built-in columns with constants, joined by AND. Postgres evaluates these
// before any user's condition: conditions run by cost, none can be cheaper, and
// on a tie the inner one goes first.
func constantComparison(n *pg_query.Node) bool {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_BoolExpr:
		if x.BoolExpr.Boolop != pg_query.BoolExprType_AND_EXPR {
			return false
		}
		for _, a := range x.BoolExpr.Args {
			if !constantComparison(a) {
				return false
			}
		}
		return true
	case *pg_query.Node_NullTest:
		return x.NullTest.Arg.GetColumnRef() != nil
	case *pg_query.Node_AExpr:
		_, op, _ := nameParts(x.AExpr.Name)
		return x.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_OP && strings.Contains(" = <> < > <= >= ", " "+op+" ") &&
			x.AExpr.Lexpr.GetColumnRef() != nil && isConstant(x.AExpr.Rexpr)
	}
	return false
}

// isConstant tells whether the node is a literal, cast to a built-in type
// without a length or not at all.
func isConstant(n *pg_query.Node) bool {
	if n.GetAConst() != nil {
		return true
	}
	c := n.GetTypeCast()
	if c == nil || c.Arg.GetAConst() == nil || len(c.TypeName.Typmods) > 0 || len(c.TypeName.ArrayBounds) > 0 {
		return false
	}
	_, ok := builtinType(c.TypeName)
	return ok
}
