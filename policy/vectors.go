package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
)

// vectorType is pgvector's type of embeddings, in whatever schema it was put.
const vectorType = "vector"

// distance tells whether an operator is one of pgvector's distances in the one form
// whose signature is certain: a readable column of the type vector, and a constant that is
// cast to the same type, with the operator out of that type's schema. There only whoever made
// the type has put one of this signature. The constant's type is cleared then; it can be named nowhere
// else.
func (j *judge) distance(n *pg_query.A_Expr, l *level) (bool, error) {
	schema, op, _ := nameParts(n.Name)
	if n.Kind != pg_query.A_Expr_Kind_AEXPR_OP || schema == "" || schema == builtinSchema || !slices.Contains([]string{"<=>", "<->", "<#>"}, op) {
		return false, nil
	}
	to := n.Rexpr.GetTypeCast()
	ref := n.Lexpr.GetColumnRef()
	if ref == nil || to.GetArg().GetAConst().GetSval() == nil {
		return false, nil
	}
	t := to.TypeName
	typeSchema, name, ok := nameParts(t.Names)
	if !ok || typeSchema != schema || name != vectorType || t.Setof || t.PctType || len(t.Typmods)+len(t.ArrayBounds) > 0 {
		return false, nil
	}
	c, err := j.columnRef(ref, l)
	if err != nil {
		return false, err
	}
	if !c.isOf(catalog.Name{Schema: schema, Table: vectorType}) {
		return false, nil
	}
	j.cleared[t] = true
	return true, nil
}

// isOf tells whether a column is one of a real relation, of that type.
func (c *column) isOf(t catalog.Name) bool {
	if c == nil || c.src == nil || c.src.grant == nil {
		return false
	}
	g := c.src.grant.column(c.base)
	return g != nil && g.column.Type.Schema == t.Schema && g.column.Type.Name == t.Table
}
