package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/stmt"
)

// Authorize judges one statement for the view. What it approves is a new text
// in which every relation is a subselect of what the view may read; the error,
// a *Denied unless something is broken, says why there is none. The statement
// itself is not changed.
func (v *View) Authorize(s stmt.Statement, o Options) (Approved, error) {
	if s.Tree == nil {
		return Approved{}, deny("42601", "this is not a statement that can be judged")
	}
	if err := v.checkParams(o.ParamTypes); err != nil {
		return Approved{}, err
	}
	j := newJudge(v, o)
	j.risk = v.partials.risk(s.Tree).withParams(o.ParamTypes)
	n, facts, err := j.statement(stmt.Clone(s.Tree))
	if err != nil {
		return Approved{}, err
	}
	text, err := j.emit(n)
	if err != nil {
		return Approved{}, err
	}
	return Approved{sql: text, facts: j.complement(facts)}, nil
}

// complement adds what the walk found to a statement's facts.
func (j *judge) complement(f Facts) Facts {
	f.Tables, f.Params, f.Routines = j.tables(), j.params, j.routines
	for _, n := range f.Tables {
		g := j.view.grants[n]
		if g.scopeText != "" {
			f.Scopes = append(f.Scopes, spell(n)+": "+g.scopeText)
		}
		for _, c := range g.masked() {
			f.Masked = append(f.Masked, spell(n)+"."+configs.Spell(c))
		}
	}
	if f.Query != nil {
		q := j.complement(*f.Query)
		f.Query = &q
	}
	return f
}

// statement judges a statement by its kind. A kind that isn't named is
// refused.
func (j *judge) statement(n *pg_query.Node) (*pg_query.Node, Facts, error) {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_SelectStmt:
		return j.topSelect(n)
	case *pg_query.Node_TransactionStmt:
		return j.transaction(n, x.TransactionStmt)
	case *pg_query.Node_VariableSetStmt:
		return j.set(n, x.VariableSetStmt)
	case *pg_query.Node_VariableShowStmt:
		return j.show(n, x.VariableShowStmt)
	case *pg_query.Node_DiscardStmt:
		return j.discard(n, x.DiscardStmt)
	case *pg_query.Node_UnlistenStmt:
		return unlisten()
	case *pg_query.Node_DeclareCursorStmt:
		return j.declare(n, x.DeclareCursorStmt)
	case *pg_query.Node_FetchStmt:
		return j.fetch(n, x.FetchStmt)
	case *pg_query.Node_ClosePortalStmt:
		return j.closeCursor(n, x.ClosePortalStmt)
	case *pg_query.Node_PrepareStmt:
		return j.prepare(n, x.PrepareStmt)
	case *pg_query.Node_ExecuteStmt:
		return j.execute(n, x.ExecuteStmt)
	case *pg_query.Node_DeallocateStmt:
		return j.deallocate(n, x.DeallocateStmt)
	case *pg_query.Node_CopyStmt:
		return j.copyOut(n, x.CopyStmt)
	case *pg_query.Node_ExplainStmt:
		return j.explain(n, x.ExplainStmt)
	}
	return nil, Facts{}, refusedKind(n)
}

// topSelect judges a query whose rows go to the client, and caps it.
func (j *judge) topSelect(n *pg_query.Node) (*pg_query.Node, Facts, error) {
	out, err := j.query(n, &level{}, nil)
	if err != nil {
		return nil, Facts{}, err
	}
	if err := j.asksOnlyWithheld(); err != nil {
		return nil, Facts{}, err
	}
	f := Facts{Tag: "SELECT", Rows: true}
	if !out.open {
		f.Columns = out.names
	}
	if j.verify {
		return n, f, nil
	}
	if j.opts.Cap && !j.onlyCatalogs() {
		f.Cap = j.view.role.Limits.Rows
		most, word := f.Cap, j.opts.OnTruncateError
		if w := j.opts.Watched; w > 0 && (most == 0 || w <= most) {
			f.Watched, most, word = w, w, ""
		}
		if n, err = j.capRows(n, out, most, word); err != nil {
			return nil, f, err
		}
	}
	if g := j.opts.Gather; g != nil {
		n, err = gathered(n, out, *g)
		f.Gathered, f.Columns = f.Columns, []string{g.Name}
	}
	return n, f, err
}
