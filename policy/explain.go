package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// explain allows the plan of a judged SELECT without costs: estimates come
// from all rows' statistics, whoever may see those. Where it holds row rules,
// masks or the word of a cap, only its structure is shown; the names of what is
// scanned are part of that, so it is refused where these would tell of
// something the role may not know. ANALYZE would run the query.
func (j *judge) explain(n *pg_query.Node, e *pg_query.ExplainStmt) (*pg_query.Node, Facts, error) {
	var kept []*pg_query.Node
	for _, o := range e.Options {
		d := o.GetDefElem()
		value := optionText(d.GetArg())
		switch d.GetDefname() {
		case "format":
			kept = append(kept, o)
		case "costs", "timing", "summary", "verbose", "buffers", "analyze", "settings", "wal", "generic_plan", "memory", "serialize":
			if d.Defname == "costs" || falsehood(value) {
				continue // off is what it will be
			}
			return nil, Facts{}, unsupported("EXPLAIN with "+d.Defname, "Use plain EXPLAIN.")
		default:
			return nil, Facts{}, unsupported("this EXPLAIN option", "Use plain EXPLAIN.")
		}
	}
	switch e.Query.GetNode().(type) {
	case *pg_query.Node_ExecuteStmt, *pg_query.Node_DeclareCursorStmt:
		return nil, Facts{}, unsupported("EXPLAIN of this kind of statement", "EXPLAIN SELECT …")
	}
	query, f, err := j.inner(e.Query)
	if err != nil {
		return nil, Facts{}, err
	}
	if err := j.explainable(); err != nil {
		return nil, Facts{}, err
	}
	tells := j.planTells(f)
	if tells && !isPlanText(kept) {
		return nil, Facts{}, unsupported("EXPLAIN in another format than text", "Use plain EXPLAIN.")
	}
	costs := &pg_query.DefElem{Defname: "costs", Arg: stmt.String("off"), Defaction: pg_query.DefElemAction_DEFELEM_UNSPEC}
	e.Options = append(kept, &pg_query.Node{Node: &pg_query.Node_DefElem{DefElem: costs}})
	e.Query = query
	f.Tag, f.Rows, f.Cap, f.PlanTells = "EXPLAIN", false, 0, tells
	return n, f, nil
}

// isPlanText tells whether a plan with these options comes line by line.
func isPlanText(options []*pg_query.Node) bool {
	for _, o := range options {
		if optionText(o.GetDefElem().GetArg()) != "text" {
			return false
		}
	}
	return true
}

// explainable refuses plans that would name partitions, child tables, hidden
// columns, or relations that only a rule reads.
func (j *judge) explainable() error {
	if len(j.systems) > 0 {
		return unsupported("EXPLAIN of the system catalogs", "Run the statement itself.") // its conditions are lists of OIDs
	}
	for n := range j.used {
		g := j.view.grants[n]
		if g.table.Kind != catalog.KindTable || j.view.hasChildren(n) || g.namesHidden() {
			return unsupported("EXPLAIN of this statement", "Run the statement itself.")
		}
	}
	return nil
}

func (v *View) hasChildren(n catalog.Name) bool {
	for _, t := range v.snapshot.Tables {
		if t.Parent == n {
			return true
		}
	}
	return false
}

// namesHidden tells whether the row rule or a mask reads a column that the view
// doesn't show, or another relation: that would be a node of the plan.
func (g *grant) namesHidden() bool {
	exprs := []*pg_query.Node{g.scope}
	for _, c := range g.columns {
		exprs = append(exprs, c.mask)
	}
	for _, e := range exprs {
		if e != nil && walk(e, g.hiddenName) != nil {
			return true
		}
	}
	return false
}

func (g *grant) hiddenName(m any) error {
	switch n := m.(type) {
	case *pg_query.ColumnRef:
		if len(n.Fields) == 1 && g.denied[n.Fields[0].GetString_().GetSval()] {
			return errMismatch
		}
	case *pg_query.RangeVar:
		return errMismatch
	}
	return nil
}
