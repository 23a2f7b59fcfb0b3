package policy

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// Expressions that give values from several places have one type for all of
// them: oid, where a reg type meets numbers.

// unite looks at an expression that has several results.
func (j *judge) unite(m proto.Message, l *level) {
	number := func(n *pg_query.Node) bool { return j.isNumber(n, l) }
	switch n := m.(type) {
	case *pg_query.CaseExpr:
		list := []*pg_query.Node{n.Defresult}
		compared := []*pg_query.Node{n.Arg}
		for _, w := range n.Args {
			list = append(list, w.GetCaseWhen().GetResult())
			compared = append(compared, w.GetCaseWhen().GetExpr())
		}
		if n.Arg != nil {
			j.sameType(compared)
		}
		j.oneType(list, number)
	case *pg_query.CoalesceExpr:
		j.oneType(n.Args, number)
	case *pg_query.MinMaxExpr:
		j.oneType(n.Args, number)
	case *pg_query.A_ArrayExpr:
		j.oneType(n.Elements, number)
	}
}

// oneType notes that values of reg types are wanted as numbers where one of the
// others surely is one. Literals beside them are names.
func (j *judge) oneType(list []*pg_query.Node, number func(*pg_query.Node) bool) {
	kind, array := kindOf(list)
	if kind == "" {
		return
	}
	wanted := false
	for _, n := range list {
		named(n, kind, array)
		results(n, func(r *pg_query.Node) { wanted = wanted || number(r) })
	}
	for _, n := range list {
		if wanted {
			j.asNumber(n)
		}
	}
}

// uniteRows is unite for the columns of VALUES.
func (j *judge) uniteRows(rows []*pg_query.Node, l *level) {
	for i := range rows[0].GetList().GetItems() {
		j.oneType(place(rows, i), func(n *pg_query.Node) bool { return j.isNumber(n, l) })
	}
}

// place is what stands at a place of each row that has it.
func place(rows []*pg_query.Node, i int) []*pg_query.Node {
	var out []*pg_query.Node
	for _, row := range rows {
		if items := row.GetList().GetItems(); i < len(items) {
			out = append(out, items[i])
		}
	}
	return out
}

// uniteArms is unite for the columns of a set operation, whose arms were not
// judged yet. A column is surely a number where its arm reads nothing but real
// relations, for Postgres has an error for whatever else meets a reg type.
func (j *judge) uniteArms(s *pg_query.SelectStmt, scope *cteScope) {
	var rows []*pg_query.Node
	numbers := map[*pg_query.Node]bool{}
	if !arms(s, scope, func(arm *pg_query.SelectStmt, scope *cteScope) bool {
		if slices.ContainsFunc(arm.TargetList, func(t *pg_query.Node) bool { return isStar(t.GetResTarget().GetVal()) }) {
			return false
		}
		items := make([]*pg_query.Node, len(arm.TargetList))
		real := onlyRelations(arm.FromClause, scope)
		for i, t := range arm.TargetList {
			items[i] = t.GetResTarget().GetVal()
			numbers[items[i]] = real && items[i].GetColumnRef() != nil
		}
		if len(items) > 0 {
			rows = append(rows, pg_query.MakeListNode(items))
		}
		rows = append(rows, arm.ValuesLists...)
		return true
	}) || len(rows) == 0 {
		return
	}
	unjudged := &level{}
	for i := range rows[0].GetList().GetItems() {
		j.oneType(place(rows, i), func(n *pg_query.Node) bool { return numbers[n] || j.isNumber(n, unjudged) })
	}
}

// arms calls f for the queries that a set operation is made of, with the WITH
// queries that each may name, until one gives false.
func arms(s *pg_query.SelectStmt, scope *cteScope, f func(*pg_query.SelectStmt, *cteScope) bool) bool {
	for _, n := range s.WithClause.GetCtes() {
		scope = scope.with(&cte{name: n.GetCommonTableExpr().GetCtename()})
	}
	if s.Larg == nil || s.Rarg == nil {
		return f(s, scope)
	}
	return arms(s.Larg, scope, f) && arms(s.Rarg, scope, f)
}

// onlyRelations tells whether everything in FROM is a relation, and none of it
// a WITH query.
func onlyRelations(from []*pg_query.Node, scope *cteScope) bool {
	for _, n := range from {
		switch x := n.GetNode().(type) {
		case *pg_query.Node_RangeVar:
			if x.RangeVar.Schemaname == "" && scope.find(x.RangeVar.Relname) != nil {
				return false
			}
		case *pg_query.Node_JoinExpr:
			if !onlyRelations([]*pg_query.Node{x.JoinExpr.Larg, x.JoinExpr.Rarg}, scope) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
