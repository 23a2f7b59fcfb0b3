package policy

import (
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// emit prints a judged tree and proves the text: it must parse to one
// statement, to the same tree, and that tree must pass the judge again, now
// with every relation inside a subselect of the view's own making.
func (j *judge) emit(n *pg_query.Node) (string, error) {
	text, err := print(n)
	if err != nil {
		return "", unprovable()
	}
	back, err := stmt.ParseOne(text, wide())
	if err != nil || !stmt.Equal(n, back) {
		return "", unprovable()
	}
	second := newJudge(j.view, j.opts)
	second.verify, second.fence = true, j.fence
	if _, _, err := second.statement(back); err != nil {
		return "", unprovable()
	}
	if err := second.complete(back); err != nil {
		return "", unprovable()
	}
	if !slices.Equal(j.tables(), second.tables()) {
		return "", unprovable()
	}
	return text, nil
}

// wide are limits for texts of our own: what was judged was small, the rules
// added to it are the policy's.
func wide() stmt.Limits {
	return stmt.Limits{Bytes: 64 << 20, Tokens: 1 << 20, Depth: 2000, Chain: 4000}
}

// print prints a statement. SET is printed here: the printer writes its value
// as an identifier, which can be neither empty nor long.
func print(n *pg_query.Node) (string, error) {
	s := n.GetVariableSetStmt()
	if s == nil || s.Kind != pg_query.VariableSetKind_VAR_SET_VALUE {
		return stmt.Print(n)
	}
	local := ""
	if s.IsLocal {
		local = "LOCAL "
	}
	value := s.Args[0].GetAConst().GetSval().GetSval()
	return "SET " + local + s.Name + " TO '" + strings.ReplaceAll(value, "'", "''") + "'", nil
}

// unprovable refuses a statement whose printed text can't be shown to mean
// what was judged.
func unprovable() *Denied {
	return deny(stateUnsupported, "this statement can't be rewritten safely").
		withHint("Write it with plain names: no quoted window, cursor or argument names, no unusual syntax.")
}

// complete walks the whole tree without knowing any places: what names or
// calls something must have been judged, or be inside a recognised subselect.
func (j *judge) complete(m proto.Message) error {
	if j.sealed[m] {
		return nil
	}
	switch m.(type) {
	case *pg_query.RangeVar, *pg_query.RangeSubselect, *pg_query.RangeFunction, *pg_query.RangeTableSample, *pg_query.SelectStmt,
		*pg_query.FuncCall, *pg_query.ColumnRef, *pg_query.TypeName, *pg_query.TypeCast, *pg_query.A_Expr, *pg_query.SubLink,
		*pg_query.CollateClause, *pg_query.SQLValueFunction, *pg_query.ParamRef, *pg_query.WindowDef, *pg_query.SortBy,
		*pg_query.ColumnDef, *pg_query.CommonTableExpr, *pg_query.NamedArgExpr, *pg_query.JoinExpr:
		if !j.seen[m] {
			return fmt.Errorf("a %s was not judged", nodeName(m))
		}
	}
	return children(m, func(c proto.Message) error { return j.complete(c) })
}

// tables are the relations that the statement reads, sorted.
func (j *judge) tables() []catalog.Name {
	out := make([]catalog.Name, 0, len(j.used))
	for n := range j.used {
		out = append(out, n)
	}
	slices.SortFunc(out, compareNames)
	return out
}
