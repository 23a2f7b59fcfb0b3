package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// objectSet is a kind of the database's objects, of which a view may know some.
type objectSet byte

const (
	setNone objectSet = iota
	// setSystem are the objects that Postgres made itself.
	setSystem
	// setRelations are relations with the indexes on them, setTables those
	// without a hidden column.
	setRelations
	setTables
	setIndexes
	setConstraints
	setTypes
	// setFunctions are functions, setSignatures those of whose types the view
	// may know.
	setFunctions
	setSignatures
	setSchemas
)

// publicSchema is the OID of the schema public, which is nobody's own but may
// be hidden.
const publicSchema = 2200

// objects are the permitted ones of a set that Postgres didn't make, sorted.
func (v *View) objects(set objectSet) []uint32 {
	seen := v.visible()
	switch set {
	case setRelations:
		return v.names().relationsAndIndexes
	case setTables:
		return v.names().wholeTables
	case setIndexes:
		return seen.indexes
	case setConstraints:
		return seen.constraints
	case setTypes:
		return seen.types
	case setFunctions:
		return seen.functions
	case setSignatures:
		return v.names().plainFunctions
	case setSchemas:
		return seen.schemas
	}
	return nil
}

// among is the condition that an OID is of the set: a small one is Postgres's
// own.
func (v *View) among(oid *pg_query.Node, set objectSet) *pg_query.Node {
	own := stmt.Op("<", oid, stmt.IntConst(int64(v.visible().builtin)))
	if set == setSchemas {
		own = stmt.And(own, stmt.Op("<>", stmt.Clone(oid), stmt.IntConst(publicSchema)))
	}
	list := v.objects(set)
	if len(list) == 0 {
		return own
	}
	return stmt.Or(own, anyOf(stmt.Clone(oid), oidsConst(list)))
}

// anyOf is value = ANY (list).
func anyOf(value, list *pg_query.Node) *pg_query.Node {
	return pg_query.MakeAExprNode(pg_query.A_Expr_Kind_AEXPR_OP_ANY, stmt.Names("="), value, list, 0)
}

// guard is the OID x where it is of the set, else null:
//
//	(SELECT CASE WHEN g.a < 16384 OR g.a = ANY ('{…}'::oid[]) THEN g.a END
//	 FROM (SELECT x::oid AS a OFFSET 0) AS g)
//
// x is evaluated once, and OFFSET 0 keeps the planner from copying it into both
// places: a copy of a sub-select with TABLESAMPLE may give another value.
func (v *View) guard(x *pg_query.Node, set objectSet) *pg_query.Node {
	value := stmt.Column("g", "a")
	return once(caseWhen(v.among(value, set), stmt.Clone(value), nil), stmt.Cast(x, typeNamed("oid")))
}

// once is (SELECT result FROM (SELECT x AS a, y AS b OFFSET 0) AS g).
func once(result *pg_query.Node, values ...*pg_query.Node) *pg_query.Node {
	inner := &pg_query.SelectStmt{LimitOffset: stmt.IntConst(0)}
	for i, x := range values {
		inner.TargetList = append(inner.TargetList, stmt.Target(x, string(rune('a'+i))))
	}
	return stmt.Scalar(stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(result, "")},
		FromClause: []*pg_query.Node{stmt.Subselect(stmt.SelectNode(inner), "g")}}))
}

// isGuard tells whether a node is exactly the view's guard of the set around
// something.
func (v *View) isGuard(n *pg_query.Node, set objectSet) bool {
	from := n.GetSubLink().GetSubselect().GetSelectStmt().GetFromClause()
	if len(from) != 1 {
		return false
	}
	targets := from[0].GetRangeSubselect().GetSubquery().GetSelectStmt().GetTargetList()
	if len(targets) != 1 {
		return false
	}
	x := targets[0].GetResTarget().GetVal().GetTypeCast().GetArg()
	return x != nil && stmt.Equal(n, v.guard(x, set))
}
