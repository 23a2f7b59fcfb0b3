package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// levelled groups by just these levels of a hierarchy.
func (a *amendment) levelled(h *semantic.Hierarchy, want []int) bool {
	var fresh []plan.Item
	var keys []plan.Expr // which tell rows apart that are called the same
	for _, i := range want {
		l := h.Levels[i]
		if at := slices.IndexFunc(a.plan.Select, func(it plan.Item) bool { return a.isLevel(it.Expr, l) }); at >= 0 {
			fresh = append(fresh, a.plan.Select[at])
			continue
		}
		g := a.counted(func(f *frame) { f.groups = []group{a.lexicon().levelGroup(l, 0)} })
		if g == nil {
			return false
		}
		rename, ok := a.graft(g)
		if !ok {
			return false
		}
		it := g.Select[0]
		fresh = append(fresh, plan.Item{Expr: renamed(it.Expr, rename), As: it.As})
		for _, key := range g.GroupBy {
			keys = append(keys, renamed(key, rename))
		}
	}
	a.regroup(func(e plan.Expr) bool {
		return slices.ContainsFunc(h.Levels, func(l semantic.Level) bool { return a.isLevel(e, l) })
	}, fresh)
	a.plan.GroupBy = append(a.plan.GroupBy, keys...)
	return true
}

// counted plans the number of rows of the plan's first table by or of something; nil where
// there isn't one way to.
func (a *amendment) counted(what func(f *frame)) *plan.Plan {
	in := a.in
	in.Last = nil
	root := a.root()
	if root == nil {
		return nil
	}
	q := newQuestion(a.lexicon(), in)
	_, o := a.countedAs(root)
	f := frame{subject: root, outs: []out{o}}
	what(&f)
	rs, why := q.resolve(f)
	best, err := q.best(distinct(rs), why)
	if err != nil {
		return nil
	}
	return a.ofSame(best.plan)
}

// regroup puts fresh groups in the place of others.
func (a *amendment) regroup(old func(plan.Expr) bool, fresh []plan.Item) {
	at := max(slices.IndexFunc(a.plan.Select, func(it plan.Item) bool { return old(it.Expr) }), 0)
	var gone []plan.Item
	keep := func(it plan.Item) bool {
		return slices.ContainsFunc(fresh, func(f plan.Item) bool { return named(f.Expr) != "" && named(f.Expr) == named(it.Expr) })
	}
	var kept []plan.Item
	for _, it := range a.plan.Select {
		if !measured(it.Expr) && old(it.Expr) {
			if !keep(it) {
				gone = append(gone, it)
			}
			continue
		}
		kept = append(kept, it)
	}
	a.plan.GroupBy = slices.DeleteFunc(a.plan.GroupBy, func(e plan.Expr) bool {
		if !old(e) && !slices.ContainsFunc(gone, func(it plan.Item) bool { return a.keyBeside(e, it.Expr) }) {
			return false
		}
		if old(e) {
			gone = append(gone, plan.Item{Expr: e})
		}
		return true
	})
	for i := range fresh {
		fresh[i].As = unusedName(fresh[i], append(kept, fresh[:i]...))
	}
	a.plan.Select = slices.Insert(kept, min(at, len(kept)), fresh...)
	a.reorder(gone, fresh)
	for _, it := range gone {
		for _, name := range columnsIn(it.Expr) {
			a.prune(aliasOf(name))
		}
	}
}

// keyBeside tells whether an expression is a key of the table whose rows were told apart by
// it beside a column of theirs.
func (a *amendment) keyBeside(key, shown plan.Expr) bool {
	t, c := a.columnOf(key.Column)
	_, label := a.columnOf(shown.Column)
	return t != nil && aliasOf(key.Column) == aliasOf(shown.Column) && slices.Contains(t.PrimaryKey, c.Name) && slices.Contains(a.lexicon().labels[t], label)
}

// unusedName is an item's name, with its alias in front where others are called so.
func unusedName(it plan.Item, others []plan.Item) string {
	name := outputName(it)
	for n := 1; slices.ContainsFunc(others, func(o plan.Item) bool { return outputName(o) == name }); n++ {
		name = strings.Trim(aliasOf(it.Expr.Column+it.Expr.Dimension), `"`) + "_" + outputName(it)
		if n > 1 {
			name = fmt.Sprintf("%s_%d", outputName(it), n)
		}
	}
	return name
}

// reorder sorts by the fresh groups where the plan was sorted by those that are gone.
func (a *amendment) reorder(gone, fresh []plan.Item) {
	var out []plan.Order
	done := false
	for _, o := range a.plan.OrderBy {
		i := slices.IndexFunc(gone, func(it plan.Item) bool {
			return o.Item != "" && o.Item == outputName(it) || o.Expr != nil && sameExpr(*o.Expr, it.Expr)
		})
		if i < 0 {
			out = append(out, o)
			continue
		}
		for _, f := range fresh {
			if !done {
				out = append(out, plan.Order{Item: f.As, Desc: o.Desc})
			}
		}
		done = true
	}
	a.plan.OrderBy = out
	if len(a.groups()) == 0 {
		a.plan.OrderBy = nil // one row has no order
	}
}

// prune drops the join of a table that nothing speaks of any more, so that rows which belong
// to none of its count again, and those on the way to it.
func (a *amendment) prune(alias string) {
	for {
		i := slices.IndexFunc(a.plan.Joins, func(j plan.Join) bool { return j.As == alias })
		if i < 0 || a.speaksOf(alias) || !a.manyToOne(a.plan.Joins[i]) {
			return
		}
		alias = a.plan.Joins[i].To
		a.plan.Joins = slices.Delete(a.plan.Joins, i, i+1)
	}
}

// manyToOne tells whether a join only adds columns of the one row that each row points to.
func (a *amendment) manyToOne(j plan.Join) bool {
	if j.Kind != "inner" || j.Where != nil || j.Table == "" || j.Search != nil || j.Reverse {
		return false
	}
	from, to := a.tableOf(j.To), a.tableOf(j.As)
	return from != nil && to != nil && slices.ContainsFunc(a.in.Semantic.Relationships, func(r *semantic.Relationship) bool {
		return r.Name == j.Key && r.From == from.Name && r.To == to.Name
	})
}

// speaksOf tells whether a part of the plan reads a table or is joined to it.
func (a *amendment) speaksOf(alias string) bool {
	if slices.ContainsFunc(a.plan.Joins, func(j plan.Join) bool { return j.To == alias }) {
		return true
	}
	rest := *a.plan
	rest.Joins = slices.DeleteFunc(slices.Clone(rest.Joins), func(j plan.Join) bool { return j.As == alias })
	text, err := planJSON(&rest)
	name := compact(alias + ".")
	if err != nil || strings.Contains(text, name[1:len(name)-1]) {
		return true // rather one join too many
	}
	t := a.tableOf(alias)
	return slices.ContainsFunc(a.in.Semantic.Metrics, func(m *semantic.Metric) bool {
		return m.Table == t.Name && strings.Contains(text, `"metric":`+compact(m.Name))
	})
}

// columnsIn are the columns and dimensions in an expression, with their aliases.
func columnsIn(e plan.Expr) []string {
	if named(e) != "" {
		return []string{e.Column + e.Dimension}
	}
	var out []string
	for _, p := range parts(e) {
		out = append(out, columnsIn(p)...)
	}
	return out
}

func sameExpr(a, b plan.Expr) bool {
	x, errX := planJSON(&plan.Plan{Select: []plan.Item{{Expr: a}}})
	y, errY := planJSON(&plan.Plan{Select: []plan.Item{{Expr: b}}})
	return errX == nil && errY == nil && x == y
}
