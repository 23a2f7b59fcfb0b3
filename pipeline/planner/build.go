package planner

import (
	"strconv"
	"strings"

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
func column(t *catalog.Table, c *catalog.Column) plan.Expr { return columnAs(alias(t), t, c) }

// columnAs is a column of a table that the plan calls as. What isn't among the table's own is
// a dimension of it.
func columnAs(as string, t *catalog.Table, c *catalog.Column) plan.Expr {
	switch {
	case t == metricTime.table:
		return plan.Expr{Column: c.Name}
	case t.Column(c.Name) == nil:
		return plan.Expr{Dimension: plan.ColumnName(as, c.Name)}
	}
	return plan.Expr{Column: plan.ColumnName(as, c.Name)}
}

// named is the spelling of a column or dimension; "" for any other expression.
func named(e plan.Expr) string {
	if e.Dimension != "" {
		return "dimension " + e.Dimension
	}
	return e.Column
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
	if err := b.defined(); err != nil {
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
	periods := map[*catalog.Column][]*period{}
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
			if c.op == "period" {
				for _, o := range periods[col] {
					if c.period.excludes(o) {
						return unfit("%s can't be in two periods at once", col.Name)
					}
				}
				periods[col] = append(periods[col], c.period)
			}
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
	for t := range byTable {
		if !b.tree.has(t) {
			return unfit("rows of %s are asked about in two ways", t.Name.Table)
		}
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
	return e.Op != nil && (e.Op.Op == "<>" || strings.HasPrefix(e.Op.Op, "not"))
}

func (t tree) tables() []*catalog.Table {
	return append([]*catalog.Table{t.root}, ends(t)...)
}
