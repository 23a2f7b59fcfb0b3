package policy

import (
	"slices"
	"strconv"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"google.golang.org/protobuf/proto"
)

// flow is how rows, and operations that can fail, go further out in a statement:
// under the names of tables and sub-selects, and of the columns of sub-selects.
// It goes by names alone, so it may find too many.
type flow struct {
	partiality
	// items are the names that stand for whole rows.
	items map[string]bool
	// columns are those of sub-selects, by name, that aren't just total.
	columns map[string]carried
	// lists are the lists of names that go by position.
	lists [][]*pg_query.Node
	// nested tells that there are sub-selects in FROM or WITH queries, shared that one
	// thing may go by two names of FROM.
	nested, shared bool
}

// carried is what a column brings along.
type carried struct {
	hazards hazard
	row     bool
}

func (a carried) with(b carried) carried { return carried{a.hazards | b.hazards, a.row || b.row} }

func (p partiality) flow(m proto.Message) flow {
	f := flow{partiality: p, items: map[string]bool{}, columns: map[string]carried{}}
	var inner []*pg_query.SelectStmt
	_ = walk(m, func(m any) error {
		switch n := m.(type) {
		case *pg_query.RangeVar:
			f.item(n.Relname, n.Alias)
		case *pg_query.RangeSubselect:
			f.item("", n.Alias)
			f.shared = f.shared || n.Lateral
			inner = append(inner, n.Subquery.GetSelectStmt())
		case *pg_query.JoinExpr:
			f.item("", n.Alias)
			f.item("", n.JoinUsingAlias)
			f.shared = f.shared || n.JoinUsingAlias != nil
		case *pg_query.RangeFunction:
			f.function(n)
		case *pg_query.CommonTableExpr:
			inner = append(inner, n.Ctequery.GetSelectStmt())
			f.lists = append(f.lists, n.Aliascolnames)
		}
		return nil
	})
	f.nested = len(inner) > 0
	for more := true; more; {
		more = false
		all := carried{}
		for _, s := range slices.Backward(inner) { // those further in first
			learnt, brought := f.outputs(s)
			more, all = more || learnt, all.with(brought)
		}
		more = f.rename(all) || more
	}
	return f
}

// item notes what stands in FROM.
func (f *flow) item(relation string, a *pg_query.Alias) {
	if a != nil {
		relation = a.Aliasname
		f.lists = append(f.lists, a.Colnames)
	}
	if relation != "" {
		f.items[relation] = true
	}
}

// function notes one in FROM. Where it gives one scalar, its name means that.
func (f *flow) function(n *pg_query.RangeFunction) {
	row := n.Ordinality || len(n.Functions) != 1 || len(n.Coldeflist) > 0
	for _, list := range n.Functions {
		for _, x := range list.GetList().GetItems() {
			row = row || f.row(x)
		}
	}
	if row {
		f.item("", n.Alias)
	}
}

// outputs learns the columns of a sub-select. It tells whether any is new, and what
// they bring together. Those of the arms of a set operation go by position: what one
// brings, all may.
func (f *flow) outputs(s *pg_query.SelectStmt) (more bool, all carried) {
	names, brought := f.arms(s)
	for _, c := range brought {
		all = all.with(c)
	}
	for i, name := range names {
		c := all
		if s.Larg == nil {
			c = brought[i]
		}
		more = f.learn(name, c) || more
	}
	return more, all
}

// rename learns that any name of a list may be that of such a column.
func (f *flow) rename(c carried) (more bool) {
	for _, list := range f.lists {
		for _, n := range list {
			more = f.learn(n.GetString_().GetSval(), c) || more
		}
	}
	return more
}

func (f *flow) learn(name string, c carried) bool {
	known := f.columns[name]
	if c = known.with(c); c == known {
		return false
	}
	f.columns[name] = c
	return true
}

// arms are the names of all columns of a query's arms, and what they bring.
func (f *flow) arms(s *pg_query.SelectStmt) (names []string, brought []carried) {
	if s == nil {
		return nil, nil
	}
	if s.Larg != nil {
		names, brought = f.arms(s.Larg)
		n, b := f.arms(s.Rarg)
		return append(names, n...), append(brought, b...)
	}
	for _, n := range s.TargetList {
		t := n.GetResTarget()
		name := t.GetName()
		if name == "" {
			name = orUnnamed(new(judge).figure(t.GetVal()))
		}
		names, brought = append(names, name), append(brought, f.carried(t.GetVal()))
	}
	for _, row := range s.ValuesLists {
		for i, n := range row.GetList().GetItems() {
			names, brought = append(names, "column"+strconv.Itoa(i+1)), append(brought, f.carried(n))
		}
	}
	return names, brought
}

func (f *flow) carried(n *pg_query.Node) carried {
	return carried{f.within(n), !isStar(n) && f.row(n)}
}

// within are the hazards of the operations in the tree, and of those that its
// names stand for.
func (f *flow) within(n *pg_query.Node) hazard {
	var out hazard
	_ = walk(n, func(m any) error {
		if h, l := f.of(m); l > riskNone {
			out |= h
		}
		if c, ok := m.(*pg_query.ColumnRef); ok {
			name, _ := lastString(c.Fields)
			out |= f.columns[name].hazards
		}
		return nil
	})
	return out
}

// apart tells that two expressions surely take their columns from different
// items of FROM.
func (f *flow) apart(a, b *pg_query.Node) bool {
	of := func(n *pg_query.Node) (names map[string]bool, all bool) {
		names, all = map[string]bool{}, true
		_ = walk(n, func(m any) error {
			if c, ok := m.(*pg_query.ColumnRef); ok {
				all = all && len(c.Fields) == 2
				names[c.Fields[0].GetString_().GetSval()] = true
			}
			return nil
		})
		return names, all
	}
	left, ok := of(a)
	right, ok2 := of(b)
	for name := range left {
		ok = ok && !right[name]
	}
	return ok && ok2 && !f.shared
}

// row tells that a node may be a row, or hold one to be compared.
func (f *flow) row(n *pg_query.Node) bool {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		name, _ := lastString(x.ColumnRef.Fields)
		last := x.ColumnRef.Fields[len(x.ColumnRef.Fields)-1]
		return last.GetAStar() != nil || f.columns[name].row || len(x.ColumnRef.Fields) == 1 && f.items[name]
	case *pg_query.Node_RowExpr:
		return true
	case *pg_query.Node_AIndirection:
		return x.AIndirection.Indirection[len(x.AIndirection.Indirection)-1].GetAIndices() != nil && f.row(x.AIndirection.Arg)
	case *pg_query.Node_FuncCall:
		_, name := functionParts(x.FuncCall.Funcname)
		return f.rowFunctions[name] || !scalarOfRows(name) && f.anyRow(x.FuncCall.Args...)
	case *pg_query.Node_CaseExpr:
		for _, w := range x.CaseExpr.Args {
			if f.row(w.GetCaseWhen().GetResult()) {
				return true
			}
		}
		return f.row(x.CaseExpr.Defresult)
	case *pg_query.Node_CoalesceExpr:
		return f.anyRow(x.CoalesceExpr.Args...)
	case *pg_query.Node_MinMaxExpr:
		return f.anyRow(x.MinMaxExpr.Args...)
	case *pg_query.Node_AArrayExpr:
		return f.anyRow(x.AArrayExpr.Elements...)
	case *pg_query.Node_AExpr:
		_, op, _ := nameParts(x.AExpr.Name)
		return (op == "||" || x.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_NULLIF) && f.anyRow(x.AExpr.Lexpr, x.AExpr.Rexpr)
	case *pg_query.Node_SubLink:
		s := x.SubLink.Subselect.GetSelectStmt()
		return s != nil && len(s.TargetList) == 1 && f.row(s.TargetList[0].GetResTarget().GetVal())
	}
	return false
}

func (f *flow) anyRow(nodes ...*pg_query.Node) bool {
	for _, n := range nodes {
		if f.row(n) {
			return true
		}
	}
	return false
}

// scalarOfRows tells of functions that make something else of rows.
func scalarOfRows(name string) bool {
	return contains([]string{"to_json", "to_jsonb", "row_to_json", "json_agg", "jsonb_agg", "json_build_object", "jsonb_build_object",
		"json_build_array", "jsonb_build_array", "json_object_agg", "jsonb_object_agg", "count", "concat", "concat_ws", "format",
		"num_nulls", "num_nonnulls", "pg_typeof", "pg_column_size"}, name)
}
