package policy

import (
	"errors"
	"fmt"
	"maps"
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
	text, back, err := roundTrip(n)
	if err != nil {
		return "", unprovable(err)
	}
	second := newJudge(j.view, j.opts)
	second.verify, second.risk = true, j.risk
	if _, _, err := second.statement(back); err != nil {
		return "", unprovable(err)
	}
	if err := second.complete(back); err != nil {
		return "", unprovable(err)
	}
	if !slices.Equal(j.tables(), second.tables()) || !maps.Equal(j.systems, second.systems) {
		return "", unprovable(errors.New("the text reads other relations"))
	}
	return text, nil
}

// roundTrip prints a tree and parses the text back to the very same tree, with
// more brackets where the printer leaves out some that are needed.
func roundTrip(n *pg_query.Node) (string, *pg_query.Node, error) {
	text, back, err := printed(n, print)
	if err == nil || n.GetVariableSetStmt() != nil {
		return text, back, err
	}
	return printed(n, stmt.PrintBracketed)
}

func printed(n *pg_query.Node, print func(*pg_query.Node) (string, error)) (string, *pg_query.Node, error) {
	text, err := print(n)
	if err != nil {
		return "", nil, err
	}
	back, err := stmt.ParsePrinted(text, wide())
	if err != nil {
		return "", nil, fmt.Errorf("parse the printed text: %w", err)
	}
	if !stmt.Equal(n, back) {
		return "", nil, errors.New("the printed text parses to another tree")
	}
	return text, back, nil
}

// wide are limits for texts of our own: what was judged was small, the rules
// added to it are the policy's.
func wide() stmt.Limits {
	return stmt.Limits{Bytes: 64 << 20, Tokens: 1 << 20, Depth: 2000, Chain: 4000}
}

// print prints a statement. SET is printed here: the printer writes its value
// as an identifier, which can be neither empty nor long. So is UNLISTEN, whose *
// the printer takes for a name.
func print(n *pg_query.Node) (string, error) {
	if u := n.GetUnlistenStmt(); u != nil && u.Conditionname == "" {
		return "UNLISTEN *", nil
	}
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
func unprovable(cause error) *Denied {
	d := unsupported("this way of writing the statement", "Write it in simpler terms.")
	d.cause = cause
	return d
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
	return stmt.Children(m, func(c proto.Message) error { return j.complete(c) })
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
