package semantic

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// SQL is a SELECT of the dimension for each row of its table, as v.
func (d *Dimension) SQL() (string, error) { return reads(d.Table, d.Expr, nil) }

// SQL are SELECTs that hold all SQL of the metric's definition, by the key that says it. A derived
// metric has none of its own.
func (x *Metric) SQL() (map[string]string, error) {
	out := map[string]string{}
	if x.Derived() {
		return out, nil
	}
	var err error
	if out["expr"], err = reads(x.Table, x.Expr, nil); err != nil {
		return nil, fmt.Errorf("expr: %w", err)
	}
	for _, f := range x.Filters {
		key := fmt.Sprintf("filter.%s.%s", f.Table.Schema, f.Table.Table)
		if out[key], err = reads(f.Table, stmt.BoolConst(true), f.Cond); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return out, nil
}

// reads is an expression over a table's rows where a condition holds.
func reads(table catalog.Name, expr, where *pg_query.Node) (string, error) {
	return stmt.Print(stmt.SelectNode(&pg_query.SelectStmt{TargetList: []*pg_query.Node{stmt.Target(expr, "v")},
		FromClause: []*pg_query.Node{stmt.Table(table.Schema, table.Table, "")}, WhereClause: where}))
}
