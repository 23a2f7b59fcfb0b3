package semantic

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// Dimension is a registered expression over the columns of one table: a value for each
// of its rows, to group and choose them by.
type Dimension struct {
	Name        string
	Description string
	Table       catalog.Name
	// Expr is the expression over unqualified columns of Table.
	Expr *pg_query.Node
	// ExprText is Expr as the file spells it.
	ExprText string
	Synonyms []string
	Owner    string
	// LLM is how much a model may learn of it: no more than of any of its columns.
	LLM Exposure
	// Column is the dimension as if it were a column of Table, with its name, its type
	// and, for an asker, values that the rows show.
	Column *catalog.Column
}

// Dimension finds a dimension by its exact name; nil when there is none.
func (m *Model) Dimension(name string) *Dimension {
	for _, x := range m.Dimensions {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Called tells whether people would say the name for the dimension's: order_size is order size.
func (d *Dimension) Called(name string) bool { return configs.Spoken(d.Name) == configs.Spoken(name) }

// DimensionsOf are the dimensions of a table, by name.
func (m *Model) DimensionsOf(table catalog.Name) (out []*Dimension) {
	if m == nil {
		return nil
	}
	for _, x := range m.Dimensions {
		if x.Table == table {
			out = append(out, x)
		}
	}
	return out
}

// dimension resolves one dimension.
func (b *builder) dimension(f configs.Dimension) {
	key := "dimensions." + f.Name
	t := b.resolve(f.Table, key+".table", f.Pos)
	if t == nil {
		return
	}
	before := len(b.faults)
	b.ownName(f, t, key)
	d := &Dimension{Name: f.Name, Description: f.Description, Table: t.Name, ExprText: f.Expr, Synonyms: f.Synonyms, Owner: f.Owner}
	d.Expr = b.expression(f.Expr, t, false, f.Pos, key+".expr")
	if len(b.faults) > before {
		return
	}
	if len(Columns(d.Expr)) == 0 {
		b.fault(f.Pos, key+".expr", "it reads no column, so that all rows have the same value")
		return
	}
	x := &typing{snapshot: b.snapshot, table: t}
	found := x.result(d.Expr)
	if x.wrong != "" {
		b.fault(f.Pos, key+".expr", "%s", x.wrong)
		return
	}
	if found.sized && d.Expr.GetColumnRef() == nil { // what is computed has no length
		found.Type = plain(found.Type)
		d.Expr = stmt.Cast(d.Expr, &pg_query.TypeName{Typemod: -1, Names: stmt.Names("pg_catalog", found.Name)})
	}
	d.Column = &catalog.Column{Name: d.Name, Type: found.Type, Comment: d.Description}
	d.LLM = b.exposure(Exposure(f.LLM), t, Columns(d.Expr))
	b.model.Dimensions = append(b.model.Dimensions, d)
}

// ownName refuses a name that something else has, by which nobody could tell what is meant.
func (b *builder) ownName(f configs.Dimension, t *catalog.Table, key string) {
	called := (&Dimension{Name: f.Name}).Called
	switch {
	case slices.ContainsFunc(t.Columns, func(c *catalog.Column) bool { return called(c.Name) }):
		b.fault(f.Pos, key, "a column of %s.%s is called so too", t.Name.Schema, t.Name.Table)
	case slices.ContainsFunc(b.model.Metrics, func(m *Metric) bool { return called(m.Name) }):
		b.fault(f.Pos, key, "a metric is called so too")
	case slices.ContainsFunc(b.model.Dimensions, func(d *Dimension) bool { return called(d.Name) }):
		b.fault(f.Pos, key, "the dimension is defined twice")
	case len(f.Name) > 63:
		b.fault(f.Pos, key, "a name is at most 63 bytes long")
	}
}

// exposure is what is said of a dimension, unless less is said of one of its columns.
func (b *builder) exposure(own Exposure, t *catalog.Table, columns []string) Exposure {
	order := []Exposure{Full, NameOnly, Hidden}
	least := max(slices.Index(order, own), 0)
	for _, c := range columns {
		least = max(least, slices.Index(order, b.model.Exposure(t.Name, c)))
	}
	return order[least]
}

// WithSamples is the model with values in its dimensions, as [catalog.WithSamples] puts
// them into columns.
func (m *Model) WithSamples(samples []catalog.Sample) *Model {
	out := *m
	out.Dimensions = slices.Clone(m.Dimensions)
	for i, d := range out.Dimensions {
		for _, s := range samples {
			if s.Table == d.Table && s.Column == d.Name {
				seen := *d
				seen.Column = d.Column.WithSample(s)
				out.Dimensions[i] = &seen
			}
		}
	}
	return &out
}

func compareDimensions(x, y *Dimension) int { return strings.Compare(x.Name, y.Name) }
