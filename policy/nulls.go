package policy

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
)

// neverNull are functions that are null for a null and for nothing else.
const neverNull = `lower upper initcap left right substr split_part md5 length char_length repeat lpad rpad replace reverse btrim ltrim rtrim translate
abs round trunc floor ceil ceiling date_trunc sha256`

// NullsKept are the masked columns by relation of which it can be told that the mask is null just
// where the column is, so that a test for null and a count mean the same of both.
func (v *View) NullsKept() map[catalog.Name][]string {
	out := map[catalog.Name][]string{}
	for n, g := range v.grants {
		for _, c := range g.columns {
			if c.mask == nil {
				continue
			}
			if reads, kept := keepsNulls(c.mask.GetTypeCast().GetArg(), c.column); reads && kept {
				out[n] = append(out[n], c.column.Name)
			}
		}
	}
	return out
}

// keepsNulls tells whether an expression reads the column, and whether it is null where that is
// (where it reads it) and never else.
func keepsNulls(n *pg_query.Node, column *catalog.Column) (reads, kept bool) {
	var args []*pg_query.Node
	switch x := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		name, plain := bareName(n)
		return true, plain && name == column.Name
	case *pg_query.Node_AConst:
		return false, !x.AConst.Isnull
	case *pg_query.Node_TypeCast:
		args = []*pg_query.Node{x.TypeCast.Arg}
	case *pg_query.Node_AExpr:
		_, op, _ := nameParts(x.AExpr.Name)
		operators := map[byte]string{'S': " || ", 'N': " + - * "}[column.Type.Category] // || of arrays and JSON isn't strict
		if x.AExpr.Kind != pg_query.A_Expr_Kind_AEXPR_OP || x.AExpr.Lexpr == nil || !strings.Contains(operators, " "+op+" ") {
			return true, false
		}
		args = []*pg_query.Node{x.AExpr.Lexpr, x.AExpr.Rexpr}
	case *pg_query.Node_FuncCall:
		schema, name := functionParts(x.FuncCall.Funcname)
		if schema != "" && schema != builtinSchema || !slices.Contains(strings.Fields(neverNull), name) {
			return true, false
		}
		args = x.FuncCall.Args
	default:
		return true, false
	}
	kept = true
	for _, a := range args {
		r, k := keepsNulls(a, column)
		reads, kept = reads || r, kept && k
	}
	return reads, kept
}
