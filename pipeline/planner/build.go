package planner

import (
	"strconv"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// builder turns one frame, whose words all have a meaning, into plans: one
// for each way to join its tables.
type builder struct {
	x        *lexicon
	f        frame
	picks    picks
	subject  *catalog.Table
	catalog  *catalog.Snapshot
	semantic *semantic.Model

	measures []*catalog.Table // tables that are aggregated
	tree     tree
	plan     *plan.Plan
	semi     map[*catalog.Table]bool // tables that only restrict, inside EXISTS
	dates    map[int]meaning         // the date column of periods (by position) and of time groups (-1)
	// today is the day of the question (YYYY-MM-DD).
	today string
}

// column is the plan's spelling of a column.
func column(t *catalog.Table, c *catalog.Column) plan.Expr {
	return plan.Expr{Column: plan.ColumnName(alias(t), c.Name)}
}

// alias is what the plan calls a table: its own name, as no table stands in a
// plan twice.
func alias(t *catalog.Table) string { return t.Name.Table }

// aggregated tells whether the answer is made of numbers over many rows.
func (b *builder) aggregated() bool {
	for _, o := range b.f.outs {
		if o.fn != "" || o.metric != nil {
			return true
		}
	}
	for _, o := range b.f.orders {
		if o.fn != "" || o.metric != nil || o.count != nil {
			return true
		}
	}
	return len(b.f.groups) > 0 || b.having() != nil
}

func (b *builder) having() *linked {
	for i, l := range b.f.linked {
		if l.kind == "having" {
			return &b.f.linked[i]
		}
	}
	return nil
}

// build is the plan of the frame over one tree, or why there is none.
func (b *builder) build() (*plan.Plan, error) {
	b.plan = &plan.Plan{Version: plan.Version, From: plan.Source{Table: plan.TableName(b.tree.root.Name)}}
	if err := b.restrict(); err != nil {
		return nil, err
	}
	if err := b.output(); err != nil {
		return nil, err
	}
	if err := b.order(); err != nil {
		return nil, err
	}
	if b.f.limit > 0 {
		if len(b.plan.OrderBy) == 0 {
			return nil, unfit("a number of rows was asked for, but not in which order")
		}
		b.plan.Limit = &b.f.limit
	}
	if b.f.overTime {
		b.addedUp()
	}
	return b.plan, nil
}

// restrict adds joins and conditions.
func (b *builder) restrict() error {
	byTable := map[*catalog.Table][]plan.Expr{}
	equal := map[*catalog.Column]bool{}
	for _, c := range b.f.conds {
		e, tables, err := b.condition(c)
		if err != nil {
			return err
		}
		if col := b.dateOf(c).column; c.any == nil && col != nil {
			if c.op == "=" && equal[col] || b.apart(c) {
				return unfit("%s can't be two things at once", col.Name)
			}
			equal[col] = equal[col] || c.op == "="
		}
		for _, t := range tables[1:] {
			if t != tables[0] && (b.semi[t] || b.semi[tables[0]]) {
				return unfit("the alternatives are about rows that are counted apart")
			}
		}
		if b.semi[tables[0]] && negative(e) {
			return unfit("that some rows of %s differ doesn't mean that none is so", tables[0].Name.Table)
		}
		if b.semi[tables[0]] {
			byTable[tables[0]] = append(byTable[tables[0]], e)
			continue
		}
		b.plan.Where = conjoin(b.plan.Where, e)
	}
	for _, s := range b.tree.steps {
		j := plan.Join{Table: plan.TableName(s.to.Name), To: plan.Ident(alias(s.from)), Key: s.rel.Name, Kind: "inner"}
		if b.semi[s.to] && !b.semi[s.from] {
			j.Kind = "semi"
		}
		if b.semi[s.to] {
			j.Where = conjoin(nil, byTable[s.to]...)
		}
		b.plan.Joins = append(b.plan.Joins, j)
	}
	return b.links()
}

// apart tells whether another condition leaves nothing of what one does: below
// 10 and above 20.
func (b *builder) apart(c cond) bool {
	if len(c.vals) != 1 || c.op != "<" && c.op != "<=" {
		return false
	}
	hi, err := strconv.ParseFloat(c.vals[0].num, 64)
	for _, o := range b.f.conds {
		if err != nil || o.any != nil || len(o.vals) != 1 || o.op != ">" && o.op != ">=" || b.dateOf(o).column != b.dateOf(c).column {
			continue
		}
		if lo, err := strconv.ParseFloat(o.vals[0].num, 64); err == nil && lo >= hi {
			return true
		}
	}
	return false
}

// negative tells whether a condition excludes values.
func negative(e plan.Expr) bool {
	return e.Op != nil && (e.Op.Op == "<>" || e.Op.Op == "not_in" || e.Op.Op == "not_between")
}

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
	b.plan.Having = &plan.Expr{Op: &plan.Op{Op: h.op, Args: []plan.Expr{b.count(h.table).Expr, lit}}}
	return nil
}

// groupsOf tells whether the groups are of a table's own column: none of them is
// without a row.
func (b *builder) groupsOf(t *catalog.Table) bool {
	return len(b.f.groups) == 1 && b.f.groups[0].col != nil && b.picks[b.f.groups[0].col].table == t
}

// order adds the sorting.
func (b *builder) order() error {
	for _, o := range b.f.orders {
		var e plan.Expr
		switch {
		case o.label:
			e = b.plan.Select[0].Expr
		case o.out > 0:
			e = b.count(b.f.outs[o.out-1].table).Expr
		case o.metric != nil:
			e = plan.Expr{Metric: o.metric.Name}
			b.show(e)
		case o.count != nil:
			e = b.count(o.count).Expr
		case o.fn == "count":
			e = plan.Expr{Aggregate: &plan.Aggregate{Func: "count"}}
		case o.fn != "":
			m := b.picks[o.col]
			arg := column(m.table, m.column)
			e = plan.Expr{Aggregate: &plan.Aggregate{Func: o.fn, Arg: &arg}}
		default:
			m := b.picks[o.col]
			e = column(m.table, m.column)
			if b.f.limit > 0 && !b.aggregated() && b.shared(m.table) {
				if err := b.ofFirst(m, o.desc); err != nil {
					return err
				}
				continue
			}
			if b.aggregated() && !hasItem(b.plan.Select, e) {
				return unfit("the groups can't be sorted by %s", m.column.Name)
			}
			if b.plan.Distinct && !hasItem(b.plan.Select, e) {
				return unfit("different values can't be sorted by %s", m.column.Name)
			}
		}
		key := plan.Order{Expr: &e, Desc: o.desc}
		if o.desc && b.f.limit > 0 {
			key.Nulls = "last"
		}
		b.plan.OrderBy = append(b.plan.OrderBy, key)
	}
	b.breakTies()
	if len(b.f.orders) == 0 && len(b.f.groups) > 0 {
		b.inTime(b.f.groups[0])
	}
	return nil
}

// breakTies orders rows that are equal otherwise by their key, where a limit cuts
// them: the one that was there first stays first.
func (b *builder) breakTies() {
	if b.f.limit == 0 || len(b.plan.OrderBy) == 0 || b.aggregated() || b.plan.Distinct {
		return
	}
	for _, k := range b.tree.root.PrimaryKey {
		e := column(b.tree.root, b.tree.root.Column(k))
		b.plan.OrderBy = append(b.plan.OrderBy, plan.Order{Expr: &e})
	}
}

// inTime puts an answer that is grouped by time first into time's order.
func (b *builder) inTime(g group) {
	if g.unit != "" {
		b.plan.OrderBy = append(b.plan.OrderBy, plan.Order{Item: g.unit})
		return
	}
	if m := b.picks[g.col]; g.col != nil && m.column != nil && m.column.Type.Category == 'D' {
		e := column(m.table, m.column)
		b.plan.OrderBy = append(b.plan.OrderBy, plan.Order{Expr: &e})
	}
}

// shared tells whether several rows of the answer can belong to one row of the
// table: then the first of the table isn't the first of the answer.
func (b *builder) shared(t *catalog.Table) bool {
	for t != b.tree.root {
		for _, s := range b.tree.steps {
			if s.to == t {
				if !s.rel.OneToOne {
					return true
				}
				t = s.from
				break
			}
		}
	}
	return false
}

// show adds a measure that ranks the answer to its output.
func (b *builder) show(e plan.Expr) {
	for _, it := range b.plan.Select {
		if it.Expr.Metric == e.Metric {
			return
		}
	}
	b.plan.Select = append(b.plan.Select, plan.Item{Expr: e})
}

func (t tree) tables() []*catalog.Table {
	return append([]*catalog.Table{t.root}, ends(t)...)
}
