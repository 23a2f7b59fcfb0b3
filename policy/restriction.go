package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// Restriction is how the rows of a relation are restricted, as far as it can
// be told in a form that others may reason with. The zero Restriction is a
// scope of any other form.
type Restriction struct {
	// Equal holds, for a scope that is nothing but columns equal to constants,
	// each column's constant as SQL text.
	Equal map[string]string
	// Parent is set where a row is visible exactly when the parent row it
	// points to is; On maps the relation's own columns to the parent's.
	Parent catalog.Name
	On     map[string]string
}

// Restrictions describes the scopes of the view, by relation.
func (v *View) Restrictions() map[catalog.Name]Restriction {
	out := map[catalog.Name]Restriction{}
	for n, g := range v.grants {
		switch {
		case g.broken != nil:
			out[n] = Restriction{}
		case g.scope != nil && g.simple:
			out[n] = Restriction{Equal: equalities(g.scope)}
		case g.scope != nil:
			out[n] = v.follows(n)
		}
	}
	return out
}

// follows tells of a relation whose only scope is one parent's.
func (v *View) follows(n catalog.Name) Restriction {
	if len(v.role.rules) != 1 {
		return Restriction{}
	}
	scopes := v.role.rules[0].scopesOf(n)
	if len(scopes) != 1 || scopes[0].config.Via == nil {
		return Restriction{}
	}
	via := scopes[0].config.Via
	return Restriction{Parent: nameOf(via.Parent), On: via.Columns}
}

// equalities reads a scope that is a conjunction of column = constant; nil for
// any other.
func equalities(scope *pg_query.Node) map[string]string {
	conditions := []*pg_query.Node{scope}
	if b := scope.GetBoolExpr(); b != nil {
		if b.Boolop != pg_query.BoolExprType_AND_EXPR {
			return nil
		}
		conditions = b.Args
	}
	out := map[string]string{}
	for _, c := range conditions {
		column, constant, ok := equality(c)
		if !ok {
			return nil
		}
		out[column] = constant
	}
	return out
}

func equality(n *pg_query.Node) (column, constant string, ok bool) {
	e := n.GetAExpr()
	if e == nil || e.Kind != pg_query.A_Expr_Kind_AEXPR_OP || len(e.Name) != 1 || e.Name[0].GetString_().GetSval() != "=" {
		return "", "", false
	}
	fields := e.Lexpr.GetColumnRef().GetFields()
	if len(fields) == 0 || e.Rexpr.GetColumnRef() != nil {
		return "", "", false
	}
	text, err := stmt.Print(stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(e.Rexpr, "")}}))
	return fields[len(fields)-1].GetString_().GetSval(), text, err == nil
}
