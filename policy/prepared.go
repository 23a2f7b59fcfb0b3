package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// prepare judges the statement inside PREPARE, with its parameter types.
func (j *judge) prepare(n *pg_query.Node, p *pg_query.PrepareStmt) (*pg_query.Node, Facts, error) {
	for _, t := range p.Argtypes {
		j.mark(t)
		if t.GetTypeName() == nil {
			return nil, Facts{}, j.view.deniedType("?")
		}
		if err := j.walk(t.GetTypeName(), &level{}); err != nil {
			return nil, Facts{}, err
		}
	}
	query, f, err := j.inner(p.Query)
	if err != nil {
		return nil, Facts{}, err
	}
	p.Query = query
	return n, Facts{Tag: "PREPARE", Prepared: p.Name, Query: &f}, nil
}

// execute judges the arguments of EXECUTE. What it runs was judged by PREPARE
// or Parse; whoever keeps those tells whether that still holds.
func (j *judge) execute(n *pg_query.Node, e *pg_query.ExecuteStmt) (*pg_query.Node, Facts, error) {
	if err := j.all(e.Params, &level{}); err != nil {
		return nil, Facts{}, err
	}
	return n, Facts{Tag: "EXECUTE", Rows: true, Prepared: e.Name, Cap: j.view.role.Limits.Rows}, nil
}

func (j *judge) deallocate(n *pg_query.Node, d *pg_query.DeallocateStmt) (*pg_query.Node, Facts, error) {
	return n, Facts{Tag: "DEALLOCATE", Prepared: d.Name}, nil
}

// bareCursor tells whether FETCH ALL name parses to just that name.
func bareCursor(name string) bool {
	n, err := stmt.ParseOne("MOVE ALL FROM "+name, stmt.DefaultLimits())
	return err == nil && n.GetFetchStmt().GetPortalname() == name
}
