package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// axis is what groups of a plan are levels of: a hierarchy, or time.
type axis struct {
	name   string
	levels []string // as people say them, from coarse to fine
	shown  []int    // those that the plan groups by, from coarse to fine
	// hierarchy is nil for time, and date, the column that is cut into periods, empty for others.
	hierarchy *semantic.Hierarchy
	date      string
}

// finest is the position of the finest level that the plan groups by, -1 for none.
func (x axis) finest() int {
	if len(x.shown) == 0 {
		return -1
	}
	return last(x.shown)
}

// axes are what the plan's groups are levels of.
func (a *amendment) axes() []axis {
	if a.frame != nil {
		return a.frameAxes()
	}
	var out []axis
	for _, h := range a.hierarchies() {
		x := axis{name: spokenName(h.Name), levels: levelNames(h), hierarchy: h}
		for i, l := range h.Levels {
			if slices.ContainsFunc(a.groups(), func(e plan.Expr) bool { return a.isLevel(e, l) }) {
				x.shown = append(x.shown, i)
			}
		}
		if len(x.shown) > 0 {
			out = append(out, x)
		}
	}
	return append(out, a.timeAxes()...)
}

func (a *amendment) hierarchies() []*semantic.Hierarchy {
	if a.in.Semantic == nil {
		return nil
	}
	return a.in.Semantic.Hierarchies
}

// groups are the expressions by which the plan groups.
func (a *amendment) groups() []plan.Expr {
	var out []plan.Expr
	for _, it := range a.plan.Select {
		if !measured(it.Expr) {
			out = append(out, it.Expr)
		}
	}
	return append(out, a.plan.GroupBy...)
}

func (a *amendment) isLevel(e plan.Expr, l semantic.Level) bool {
	t, c := a.columnOf(named(e))
	return c != nil && t.Name == l.Table && c.Name == l.Column
}

// columnOf is the column of the catalog, or the dimension, that something named in the plan
// is; nil for others.
func (a *amendment) columnOf(name string) (*catalog.Table, *catalog.Column) {
	name = bare(name)
	t := a.tableOf(aliasOf(name))
	if t == nil {
		return nil, nil
	}
	for _, c := range append(t.Columns[:len(t.Columns):len(t.Columns)], a.lexicon().dimensions[t]...) {
		if aliasOf(name)+"."+plan.Ident(c.Name) == name {
			return t, c
		}
	}
	return nil, nil
}

// bare is alias.column or alias.dimension of what is named.
func bare(name string) string { return strings.TrimPrefix(name, "dimension ") }

// aliasOf is what stands before the column in alias.column, as the plan spells it.
func aliasOf(name string) string {
	quoted := false
	for i := range len(name) {
		switch {
		case name[i] == '"':
			quoted = !quoted
		case name[i] == '.' && !quoted:
			return name[:i]
		}
	}
	return ""
}

// tableOf is the table that has an alias in the plan.
func (a *amendment) tableOf(alias string) *catalog.Table {
	name := ""
	if a.plan.From.As == alias {
		name = a.plan.From.Table
	}
	for _, j := range a.plan.Joins {
		if j.As == alias {
			name = j.Table
		}
	}
	i := slices.IndexFunc(a.in.Catalog.Tables, func(t *catalog.Table) bool { return plan.TableName(t.Name) == name })
	if i < 0 {
		return nil
	}
	return a.in.Catalog.Tables[i]
}

// others are the hierarchies of which the plan shows nothing.
func (a *amendment) others(axes []axis) []axis {
	var out []axis
	for _, h := range a.hierarchies() {
		if !slices.ContainsFunc(axes, func(x axis) bool { return x.hierarchy == h }) {
			out = append(out, axis{name: spokenName(h.Name), levels: levelNames(h), hierarchy: h})
		}
	}
	return out
}

// stays says which conditions on levels that aren't shown any more still hold.
func (a *amendment) stays(h *semantic.Hierarchy) {
	if a.plan.Where == nil {
		return
	}
	for _, cond := range conjuncts(*a.plan.Where) {
		column, kind := pins(cond)
		t, c := a.columnOf(column)
		if kind != "value" || c == nil || h.At(t.Name, c.Name) < 0 || slices.ContainsFunc(a.groups(), func(e plan.Expr) bool { return named(e) == column }) {
			continue
		}
		a.readAs = union(a.readAs, []string{"the condition on " + strings.ReplaceAll(bare(column), `"`, "") + " still holds"})
	}
}

// ungrouped is the refusal where nothing that is grouped by has levels, with a grouping that
// has, if the plan can be grouped so.
func (a *amendment) ungrouped() error {
	why := "nothing by which the last answer is grouped has other levels"
	if a.frame == nil && len(a.groups()) == 0 || a.frame != nil && len(a.frame.groups) == 0 {
		why = "the last answer is of no groups"
	}
	var words []string
	for _, h := range a.hierarchies() {
		words = append(words, "by "+spokenName(h.Name))
	}
	for _, w := range append(words, "by month") {
		if a.frame != nil {
			break
		}
		b := *a
		var err error
		if b.plan, err = copied(a.plan); err != nil {
			return err
		}
		b.toks = tokenize(w)
		if !b.grouped() {
			continue
		}
		if _, err := plan.Validate(b.plan, a.in.Context()); err == nil {
			return nowhere(why, "ASK MORE "+literal(w))
		}
	}
	return nowhere(why, a.again())
}
