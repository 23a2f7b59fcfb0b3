package gold

import (
	"fmt"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// Unsupported is the error for SQL that the converter has no plan for. It is
// the construct's name, so that reports can count by it.
type Unsupported string

func (u Unsupported) Error() string { return "no plan for: " + string(u) }

// Plan says the golden statement as a plan. Names are resolved and spelled out; whether the plan
// is valid is for [plan.Validate] to say. Sort keys keep Postgres's place for
// nulls, which isn't a plan's own.
func (s *Set) Plan(q Question) (*plan.Plan, error) {
	tree, err := parse(q.SQL)
	if err != nil {
		return nil, err
	}
	k := &converter{schema: q.DB, catalog: s.Catalog, semantic: s.Semantic}
	p, err := k.query(tree, nil)
	if err != nil {
		return nil, err
	}
	p.Version = plan.Version
	return p, nil
}

func parse(sql string) (*pg_query.SelectStmt, error) {
	tree, err := stmt.ParseOne(sql, stmt.DefaultLimits())
	if err != nil {
		return nil, err
	}
	if tree.GetSelectStmt() == nil {
		return nil, Unsupported(fmt.Sprintf("%T", tree.GetNode()))
	}
	return tree.GetSelectStmt(), nil
}

// converter turns statements over one schema into plans.
type converter struct {
	schema   string
	catalog  *catalog.Snapshot
	semantic *semantic.Model
}

// query converts a SELECT or a set operation that stands inside of outer.
func (k *converter) query(s *pg_query.SelectStmt, outer *scope) (*plan.Plan, error) {
	if s.GetWithClause() != nil || s.GetLockingClause() != nil || s.GetValuesLists() != nil || s.GetWindowClause() != nil {
		return nil, Unsupported("WITH, FOR UPDATE, VALUES or WINDOW")
	}
	if s.GetOp() != pg_query.SetOperation_SETOP_NONE {
		return k.set(s, outer)
	}
	return k.block(s, outer)
}

var setOps = map[pg_query.SetOperation]string{pg_query.SetOperation_SETOP_UNION: "union",
	pg_query.SetOperation_SETOP_INTERSECT: "intersect", pg_query.SetOperation_SETOP_EXCEPT: "except"}

// set converts a set operation.
func (k *converter) set(s *pg_query.SelectStmt, outer *scope) (*plan.Plan, error) {
	if s.GetSortClause() != nil || s.GetLimitCount() != nil || s.GetLimitOffset() != nil {
		return nil, Unsupported("set operation that is ordered or cut")
	}
	set := &plan.Set{Op: setOps[s.GetOp()], All: s.GetAll()}
	for _, side := range []*pg_query.SelectStmt{s.GetLarg(), s.GetRarg()} {
		p, err := k.query(side, outer)
		if err != nil {
			return nil, err
		}
		set.Plans = append(set.Plans, *p)
	}
	return &plan.Plan{Set: set}, nil
}

// block converts one SELECT.
func (k *converter) block(s *pg_query.SelectStmt, outer *scope) (*plan.Plan, error) {
	b, err := k.scope(s, outer)
	if err != nil {
		return nil, err
	}
	p := &plan.Plan{From: b.rels[0].source()}
	if p.Joins, err = b.joins(); err != nil {
		return nil, err
	}
	if p.Where, err = b.where(); err != nil {
		return nil, err
	}
	if p.Select, err = b.items(s.GetTargetList()); err != nil {
		return nil, err
	}
	if d := s.GetDistinctClause(); len(d) > 0 {
		if d[0].GetNode() != nil {
			return nil, Unsupported("DISTINCT ON")
		}
		p.Distinct = true
	}
	for _, g := range s.GetGroupClause() {
		e, err := b.named(g, p)
		if err != nil {
			return nil, err
		}
		p.GroupBy = append(p.GroupBy, *e)
	}
	if s.GetHavingClause() != nil {
		if p.Having, err = b.expr(s.GetHavingClause()); err != nil {
			return nil, err
		}
	}
	if err := b.tail(s, p); err != nil {
		return nil, err
	}
	dependent(p)
	return b.weighed(p), nil
}

// dependent adds the groupings that Postgres doesn't ask for, since the key of
// their table is one: it makes no more groups.
func dependent(p *plan.Plan) {
	for _, o := range p.OrderBy {
		if len(p.GroupBy) > 0 && o.Expr.Column != "" {
			p.GroupBy = append(p.GroupBy, *o.Expr)
		}
	}
}

// items converts the output. Columns keep the names that the plan gives them.
func (b *scope) items(targets []*pg_query.Node) ([]plan.Item, error) {
	var out []plan.Item
	for _, t := range targets {
		value := t.GetResTarget().GetVal()
		if all, ok := b.star(value); ok {
			out = append(out, all...)
			continue
		}
		e, err := b.expr(value)
		if err != nil {
			return nil, err
		}
		out = append(out, plan.Item{Expr: *e, As: t.GetResTarget().GetName()})
	}
	return out, nil
}

// star is what * or alias.* stands for.
func (b *scope) star(n *pg_query.Node) ([]plan.Item, bool) {
	fields := n.GetColumnRef().GetFields()
	if len(fields) == 0 || fields[len(fields)-1].GetAStar() == nil {
		return nil, false
	}
	var out []plan.Item
	for _, r := range b.rels {
		if len(fields) > 1 && fields[0].GetString_().GetSval() != r.alias {
			continue
		}
		out = append(out, r.all()...)
	}
	return out, true
}

// tail converts ORDER BY, LIMIT and OFFSET.
func (b *scope) tail(s *pg_query.SelectStmt, p *plan.Plan) error {
	for _, n := range s.GetSortClause() {
		by := n.GetSortBy()
		e, err := b.named(by.GetNode(), p)
		if err != nil {
			return err
		}
		o := plan.Order{Expr: e, Desc: by.GetSortbyDir() == pg_query.SortByDir_SORTBY_DESC}
		switch by.GetSortbyNulls() {
		case pg_query.SortByNulls_SORTBY_NULLS_FIRST:
			o.Nulls = "first"
		case pg_query.SortByNulls_SORTBY_NULLS_DEFAULT:
			if o.Desc {
				o.Nulls = "first"
			}
		}
		p.OrderBy = append(p.OrderBy, o)
	}
	var err error
	if p.Limit, err = count(s.GetLimitCount()); err != nil {
		return err
	}
	p.Offset, err = count(s.GetLimitOffset())
	return err
}

// named converts what stands in GROUP BY or ORDER BY: it may be the name of an
// output column, or its number.
func (b *scope) named(n *pg_query.Node, p *plan.Plan) (*plan.Expr, error) {
	if i := n.GetAConst().GetIval(); i != nil && 0 < i.GetIval() && int(i.GetIval()) <= len(p.Select) {
		return &p.Select[i.GetIval()-1].Expr, nil
	}
	if fields := n.GetColumnRef().GetFields(); len(fields) == 1 {
		for i := range p.Select {
			if p.Select[i].As == fields[0].GetString_().GetSval() {
				return &p.Select[i].Expr, nil
			}
		}
	}
	return b.expr(n)
}

func count(n *pg_query.Node) (*int64, error) {
	if n == nil {
		return nil, nil
	}
	i := n.GetAConst().GetIval()
	if i == nil {
		return nil, Unsupported("LIMIT that is no number")
	}
	v := int64(i.GetIval())
	return &v, nil
}
