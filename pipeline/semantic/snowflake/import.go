package snowflake

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
)

// importer collects what is taken over of one model.
type importer struct {
	*foreign.Model
	file
	tables map[string]*table // by name, as it counts in SQL
}

// Format is that of Snowflake's semantic models.
func Format() foreign.Format {
	return foreign.Format{Name: "Snowflake", Keys: []string{"tables"}, Reasons: reasons(), Import: add}
}

// add takes over each document by itself: names of one say nothing in another.
func add(documents []*foreign.Document, to *foreign.Model) error {
	for _, d := range documents {
		im := &importer{Model: to, tables: map[string]*table{}}
		if err := d.Decode(&im.file); err != nil {
			return err
		}
		im.open()
		for _, t := range im.Tables {
			im.table(t)
		}
		for _, r := range im.Relationships {
			im.relationship(r)
		}
		for _, t := range im.Tables {
			im.metrics(t)
		}
		for _, x := range im.Metrics {
			im.across(x)
		}
		for _, q := range im.Queries {
			im.query(q)
		}
	}
	return nil
}

// fold is a name as it counts in SQL. Snowflake writes names in upper case that aren't quoted, Postgres in lower.
func fold(name string) string {
	if quoted, ok := strings.CutPrefix(name, `"`); ok && strings.HasSuffix(quoted, `"`) {
		return strings.ReplaceAll(strings.TrimSuffix(quoted, `"`), `""`, `"`)
	}
	return strings.ToLower(name)
}

// open finds the tables and names their metrics; one without a base table is left out.
func (im *importer) open() {
	im.Tables = slices.DeleteFunc(im.Tables, func(t *table) bool { return t == nil || !im.openTable(t) })
	im.Metrics = slices.DeleteFunc(im.Metrics, func(x *metric) bool { return x == nil })
	names := foreign.Names{}
	for _, x := range im.Metrics {
		x.called = fold(x.Name)
		names.Add(x.called)
	}
	for _, t := range im.Tables {
		for _, x := range t.Metrics {
			names.Add(fold(x.Name))
		}
		for _, c := range t.logical() {
			if t.computes(c) {
				names.Add(fold(c.Name))
			}
		}
	}
	for _, t := range im.Tables {
		for _, x := range t.Metrics {
			x.called = names.Of(fold(t.Name), fold(x.Name))
		}
		for _, c := range t.logical() {
			c.called = names.Of(fold(t.Name), fold(c.Name))
		}
	}
}

// computes tells whether a column is a dimension, since it is none of the base table's nor what a metric aggregates.
func (t *table) computes(c *column) bool {
	n, err := t.column(c)
	_, plain := foreign.Plain(n)
	return err == nil && !plain && c.Aggregation == "" && c.Access != private
}

func (im *importer) openTable(t *table) bool {
	switch {
	case t.Base.Table == "":
		im.Note(t.At, "table "+t.Name, "it has no base_table with a table; make its query a view")
		return false
	case im.tables[fold(t.Name)] != nil:
		im.Note(t.At, "table "+t.Name, "another table has this name")
		return false
	}
	if first := im.first(); first != nil && fold(first.Base.Database) != fold(t.Base.Database) {
		im.Note(t.At, "table "+t.Name, "it is of the database %s, where others are of %s; it is taken for one of the same", t.Base.Database, first.Base.Database)
	}
	t.schema = im.Schema
	if t.Base.Schema != "" {
		t.schema = fold(t.Base.Schema)
	}
	t.base = foreign.TableName(t.schema, fold(t.Base.Table))
	t.columns, t.metrics, t.resolutions = map[string]*column{}, map[string]*metric{}, map[any]*resolution{}
	t.aggregates()
	for _, c := range t.logical() {
		t.columns[fold(c.Name)] = c
	}
	t.defaults()
	for _, x := range t.Metrics {
		t.metrics[fold(x.Name)] = x
	}
	im.tables[fold(t.Name)] = t
	return true
}

// logical are the table's columns.
func (t *table) logical() []*column {
	return slices.DeleteFunc(slices.Concat(t.Dimensions, t.Times, t.Facts, t.Measures), func(c *column) bool { return c == nil })
}

// first is the first table that was opened.
func (im *importer) first() *table {
	for _, t := range im.Tables {
		if im.tables[fold(t.Name)] == t {
			return t
		}
	}
	return nil
}

// aggregates takes measures for the metrics that they are where they aggregate.
func (t *table) aggregates() {
	t.Measures = slices.DeleteFunc(t.Measures, func(c *column) bool {
		if c == nil {
			return true
		}
		n, err := foreign.Parse(c.Expr)
		if err != nil || len(semantic.Aggregates(n)) == 0 {
			return false
		}
		t.Metrics = append(t.Metrics, &metric{At: c.At, Name: c.Name, Description: c.Description, Synonyms: c.Synonyms, Expr: c.Expr, Access: c.Access})
		return true
	})
}

// defaults makes metrics of measures that say how they are aggregated.
func (t *table) defaults() {
	t.Metrics = slices.DeleteFunc(t.Metrics, func(x *metric) bool { return x == nil })
	for _, c := range t.logical() {
		if c.Aggregation == "" {
			continue
		}
		t.Metrics = append(t.Metrics, &metric{At: c.At, Name: c.Name, Description: c.Description, Synonyms: c.Synonyms, Expr: aggregated(c.Aggregation, c.Name), Access: c.Access})
	}
}

// aggregated is a default aggregation's SQL; of one that isn't known, a call that Check refuses by its name.
func aggregated(by, name string) string {
	if by == "count_distinct" {
		return "count(DISTINCT " + name + ")"
	}
	return by + "(" + name + ")"
}

// key takes over a primary key as that of a thing.
func (im *importer) key(t *table) {
	e := foreign.Entity{Name: foreign.Spoken(t.Name), Table: t.base}
	for _, name := range t.Key.Columns {
		c, err := t.physical(name)
		if err != nil {
			im.Note(t.At, "primary_key of "+t.Name, "%v", err)
			return
		}
		e.Key = append(e.Key, configs.Spell(c))
	}
	im.Entity(t.At, e)
}

// relationship takes over a join of two columns.
func (im *importer) relationship(r relationship) {
	what := "relationship " + r.Name
	left, right := im.tables[fold(r.Left)], im.tables[fold(r.Right)]
	if left == nil || right == nil {
		im.Note(r.At, what, "it needs tables %s and %s, of which one isn't there or wasn't taken over", r.Left, r.Right)
		return
	}
	if len(r.Columns) != 1 {
		im.Note(r.At, what, "it joins by %d columns, where a relationship has one; a foreign key in the database says it", len(r.Columns))
		return
	}
	from, err := left.physical(r.Columns[0].Left)
	if err != nil {
		im.Note(r.At, what, "%v", err)
		return
	}
	to, err := right.physical(r.Columns[0].Right)
	if err != nil {
		im.Note(r.At, what, "%v", err)
		return
	}
	im.Relate(r.At, what, foreign.Relationship{From: left.base + "." + configs.Spell(from), To: right.base + "." + configs.Spell(to),
		Cardinality: cmp.Or(strings.ToLower(r.Cardinality), "many_to_one")})
}
