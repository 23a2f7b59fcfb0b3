package pipeline

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// wanted is one column of WITH (columns = '…').
type wanted struct {
	name string
	typ  *pg_query.TypeName
}

// wantedColumns reads the list as the grammar reads a column definition list;
// an empty text wants nothing in particular.
func (s *Session) wantedColumns(ask *stmt.Ask) ([]wanted, error) {
	text := ask.Columns
	if text == "" {
		return nil, nil
	}
	bad := &Error{Code: "42601", Message: "columns is not a list of names and types", Details: "One is 'region text, revenue numeric'.", Advice: "ASK " + quoted(ask.Question)}
	n, err := stmt.ParseOne("SELECT FROM f() AS t("+text+")", s.p.limits)
	if err != nil {
		return nil, bad
	}
	from := n.GetSelectStmt().GetFromClause()
	// Whatever the text was, the tree must be this statement and nothing more.
	if len(from) != 1 || from[0].GetRangeFunction() == nil || n.GetSelectStmt().WhereClause != nil || n.GetSelectStmt().Op != pg_query.SetOperation_SETOP_NONE {
		return nil, bad
	}
	var out []wanted
	for _, c := range from[0].GetRangeFunction().GetColdeflist() {
		d := c.GetColumnDef()
		if d == nil || d.CollClause != nil || d.TypeName == nil || slices.ContainsFunc(out, func(w wanted) bool { return w.name == d.Colname }) {
			return nil, bad
		}
		if policy.LooksUp(d.TypeName) {
			return nil, &Error{Code: "42501", Message: "permission denied for the type of column " + plan.Ident(d.Colname), Advice: "ASK " + quoted(ask.Question)}
		}
		out = append(out, wanted{d.Colname, d.TypeName})
	}
	if out == nil {
		return nil, bad
	}
	return out, nil
}

// columnsOf is the list as planners know it.
func columnsOf(want []wanted) []plan.Column {
	var out []plan.Column
	for _, w := range want {
		parts := w.typ.GetNames()
		out = append(out, plan.Column{Name: w.name, Type: parts[len(parts)-1].GetString_().GetSval()})
	}
	return out
}

// shape puts an answer into the wanted columns, by name, cast to their types. An
// answer with other columns is none.
func shape(question string, tree *pg_query.Node, have []plan.Column, want []wanted) (*pg_query.Node, error) {
	if !planner.Fit(have, columnsOf(want)) {
		return nil, &Error{Code: "PA002", Message: "the question is not answerable in the columns " + listed(columnsOf(want)),
			Details: "The answer's columns are " + listed(have) + ".", Advice: "ASK " + quoted(question)}
	}
	targets := make([]*pg_query.Node, len(want))
	for i, w := range want {
		targets[i] = stmt.Target(stmt.Cast(stmt.Column("a", w.name), w.typ), w.name)
	}
	return stmt.SelectNode(&pg_query.SelectStmt{TargetList: targets, FromClause: []*pg_query.Node{stmt.Subselect(tree, "a")}}), nil
}

func listed(columns []plan.Column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = plan.Ident(c.Name)
	}
	return strings.Join(names, ", ")
}
