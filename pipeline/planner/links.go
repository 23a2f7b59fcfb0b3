package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// links adds semi and anti joins for rows that must or must not exist.
func (b *builder) links() error {
	all := b.f.linked
	for _, t := range b.f.objects {
		if !b.tree.has(t) { // else the joins show that there are such rows
			all = add(all, linked{table: t, kind: "semi"})
		}
	}
	for _, l := range all {
		if l.kind == "having" {
			continue
		}
		if l.kind == "anti" && b.f.subject == nil && !contains(b.f.also, b.subject) && b.listsValues() {
			return unfit("a value of %s is also that of other rows, which may have %s", b.subject.Name.Table, l.table.Name.Table)
		}
		chosen, err := b.chosen(l)
		if err != nil {
			return err
		}
		wanted := []*catalog.Table{l.table}
		inner := map[*catalog.Table][]plan.Expr{}
		for i, c := range l.conds {
			lb := *b
			lb.picks = picks{c.col: chosen[i]}
			lb.dates = map[int]meaning{c.spoken: chosen[i]}
			e, _, err := lb.condition(c)
			if err != nil {
				return err
			}
			inner[chosen[i].table] = append(inner[chosen[i].table], e)
			wanted = append(wanted, chosen[i].table)
		}
		trees := b.x.graph.trees(b.subject, wanted)
		if len(trees) == 1 && (trees[0].sideways() || len(trees[0].steps) == 0) {
			trees = nil
		}
		if len(trees) != 1 {
			return unfit("%d ways lead from %s to %s", len(trees), b.subject.Name.Table, l.table.Name.Table)
		}
		if l.kind == "anti" {
			if done, err := b.excluded(trees[0], inner); done || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		for _, s := range trees[0].steps {
			if b.tree.has(s.to) {
				return unfit("%s is asked about twice", s.to.Name.Table)
			}
			j := plan.Join{Table: plan.TableName(s.to.Name), To: plan.Ident(alias(s.from)), Key: s.rel.Name, Kind: "inner", Where: conjoin(nil, inner[s.to]...)}
			if s.from == b.subject {
				j.Kind = l.kind
			}
			b.plan.Joins = append(b.plan.Joins, j)
		}
	}
	return nil
}

// listsValues tells whether nothing but values of columns is asked for, which several rows may have:
// regions without orders aren't those of accounts without.
func (b *builder) listsValues() bool {
	return !slices.ContainsFunc(b.f.outs, func(o out) bool {
		m := b.picks[o.col]
		return o.col == nil || m.column == nil || b.isLabel(m) || isKey(m.table, m.column)
	})
}

// chosen are the columns of what is said of linked rows: their own, else those of
// what they point to.
func (b *builder) chosen(l linked) ([]meaning, error) {
	dist := b.x.graph.above(l.table)
	out := make([]meaning, len(l.conds))
	for i, c := range l.conds {
		if c.col == nil {
			dates := b.x.dateOptions(l.table, c.period != nil && c.period.year != "")
			if len(dates) != 1 {
				return nil, unfit("%d dates of %s can be meant", len(dates), l.table.Name.Table)
			}
			out[i] = dates[0]
			continue
		}
		best, found := maxJoins, 0
		for _, m := range c.col.meanings {
			d, reached := dist[m.table]
			switch {
			case !reached || m.table == b.subject || d > best:
			case d == best && found > 0:
				found++
			default:
				best, found, out[i] = d, 1, m
			}
		}
		if found > 1 {
			return nil, unfit("%s is in several columns", out[i].value)
		}
		if found == 0 {
			return nil, unfit("no column of %s holds it", l.table.Name.Table)
		}
	}
	return out, nil
}

// conjoin is all conditions together; nil for none.
func conjoin(first *plan.Expr, more ...plan.Expr) *plan.Expr {
	var args []plan.Expr
	if first != nil {
		if first.Op != nil && first.Op.Op == "and" {
			args = append(args, first.Op.Args...)
		} else {
			args = append(args, *first)
		}
	}
	args = append(args, more...)
	switch len(args) {
	case 0:
		return nil
	case 1:
		return &args[0]
	}
	return &plan.Expr{Op: &plan.Op{Op: "and", Args: args}}
}

// havingCount adds "more than 5 orders".
func (b *builder) havingCount() error {
	h := b.having()
	if h == nil {
		return nil
	}
	for _, o := range b.f.outs {
		if o.metric != nil || o.fn != "" && (o.fn != "count" || o.table != h.table) {
			return unfit("numbers over groups that are themselves chosen by a number")
		}
	}
	if len(h.conds) > 0 {
		return unfit("conditions on what is counted")
	}
	if (h.op == "<" || h.op == "<=" || h.count == "0") && !b.groupsOf(h.table) {
		return unfit("rows without any %s would be left out", h.table.Name.Table)
	}
	lit := plan.Expr{Literal: &plan.Literal{Value: jsonNumber(h.count)}}
	value := plan.Expr{}
	if h.metric != nil {
		value.Metric = h.metric.Name
	} else {
		value = b.count(h.table).Expr
	}
	b.plan.Having = &plan.Expr{Op: &plan.Op{Op: h.op, Args: []plan.Expr{value, lit}}}
	return nil
}

// groupsOf tells whether the groups are of a table's own column: none of them is
// without a row.
func (b *builder) groupsOf(t *catalog.Table) bool {
	return len(b.f.groups) == 1 && b.f.groups[0].col != nil && b.picks[b.f.groups[0].col].table == t
}
