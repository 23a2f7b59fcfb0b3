package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
)

// table is the query as a relation: its output columns, and its key where it
// has one. It has no schema, so that nothing takes it for one of the catalog's.
func (q *query) table() *catalog.Table {
	t := &catalog.Table{}
	for _, col := range q.columns {
		out := catalog.Column{Type: catalog.Type{SQL: col.typ.sql}}
		if col.source != nil {
			out = *col.source
		}
		out.Name, out.NotNull = col.name, col.notNull
		t.Columns = append(t.Columns, &out)
	}
	if q.key != nil && !slices.ContainsFunc(q.key, func(k string) bool { return !q.column(k).notNull }) {
		t.PrimaryKey = q.key
	}
	return t
}

// traceOf names a column of the catalog for comparison.
func traceOf(table catalog.Name, column string) string {
	return TableName(table) + "." + Ident(column)
}

// traces are what an expression stands for, as far as joins go: a plain column
// is itself; what is computed of columns is the same computation of the same
// columns, and the start or number of a calendar's period is that of any other date.
func (c *checker) traces(t *typed) []string {
	if t.rel != nil {
		return t.rel.traces(t.column.Name)
	}
	if t.aggregated() || t.constant() {
		return nil
	}
	var out []string
	if call := t.expr.Call; call != nil && len(t.parts) == 1 && t.parts[0].typ.moment() {
		switch call.Func {
		case "date", "date_trunc", "date_part", "dow", "hour", "hour_start", "fiscal_year", "fiscal_quarter":
			out = append(out, "calendar "+call.Func+" "+call.Unit)
		}
	}
	if whole := c.spelled(t); whole != "" {
		out = append(out, whole)
	}
	return out
}

// spelled is an expression with the catalog's names for its columns; "" where
// one has none.
func (c *checker) spelled(t *typed) string {
	b, err := json.Marshal(t.expr)
	if err != nil {
		return ""
	}
	s, ok := string(b), true
	t.walk(func(x *typed) {
		if x.sub != nil {
			ok = false
		}
		if x.expr.Dimension != "" {
			name, _ := json.Marshal(x.expr.Dimension) // a string always encodes
			s = strings.ReplaceAll(s, string(name), "<"+traceOf(x.parts[0].rel.table.Name, dimensionName(x))+">")
		}
		if x.rel == nil {
			return
		}
		traces := x.rel.traces(x.column.Name)
		if len(traces) == 0 {
			ok = false
			return
		}
		name, _ := json.Marshal(x.expr.Column) // a string always encodes
		s = strings.ReplaceAll(s, string(name), "<"+traces[0]+">")
	})
	if !ok {
		return ""
	}
	return s
}

func (r *rel) traces(column string) []string {
	if r.query != nil {
		return r.query.column(column).traces
	}
	return []string{traceOf(r.table.Name, column)}
}

// reached are traces, and the columns that relationships of one column lead to
// from them: order and invoice both know their account.
func (c *checker) reached(traces []string) []string {
	out := slices.Clone(traces)
	for i := 0; i < len(out) && len(out) < 32; i++ {
		for _, k := range c.Semantic.Relationships {
			if len(k.FromColumns) != 1 || traceOf(k.From, k.FromColumns[0]) != out[i] {
				continue
			}
			if to := traceOf(k.To, k.ToColumns[0]); !slices.Contains(out, to) {
				out = append(out, to)
			}
		}
	}
	return out
}
