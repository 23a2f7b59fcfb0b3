package policy

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/stmt"
)

// ToldPrepare is PREPARE name AS ToldLiteral: what is told is as old as the
// preparation, since an SQL-level EXECUTE can't bring new rows.
func ToldPrepare(name string, cols []ToldColumn, json string) (Approved, error) {
	a, err := ToldLiteral(cols, json)
	if err != nil {
		return Approved{}, err
	}
	query, err := stmt.ParseOne(a.sql, wide())
	if err != nil {
		return Approved{}, err
	}
	n := &pg_query.Node{Node: &pg_query.Node_PrepareStmt{PrepareStmt: &pg_query.PrepareStmt{Name: name, Query: query}}}
	text, _, err := roundTrip(n)
	if err != nil {
		return Approved{}, err
	}
	return Approved{sql: text, facts: Facts{Tag: "PREPARE", Prepared: name, Query: &a.facts}}, nil
}
