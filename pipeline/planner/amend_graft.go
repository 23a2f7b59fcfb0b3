package planner

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// grouped reads another grouping: by segment, per month.
func (a *amendment) grouped() bool {
	n := a.starts("by", "per", "for each", "grouped by", "split by", "broken down by", "group by")
	if n == 0 || n == len(a.toks) || !slices.ContainsFunc(a.plan.Select, func(it plan.Item) bool { return measured(it.Expr) }) {
		return false
	}
	g := a.read("per " + a.said(n))
	if g == nil || len(g.Select) < 2 || g.Where != nil || g.Limit != nil || g.Having != nil {
		return false
	}
	rename, ok := a.graft(g)
	if !ok {
		return false
	}
	var dims, kept []plan.Item
	for _, it := range g.Select {
		if !measured(it.Expr) {
			dims = append(dims, plan.Item{Expr: renamed(it.Expr, rename), As: it.As})
		}
	}
	for _, it := range a.plan.Select {
		if measured(it.Expr) || a.also {
			kept = append(kept, it)
		}
	}
	a.plan.Select = append(dims, kept...)
	if !a.also {
		a.plan.GroupBy = nil
	}
	for _, key := range g.GroupBy {
		a.plan.GroupBy = append(a.plan.GroupBy, renamed(key, rename))
	}
	a.plan.OrderBy = slices.DeleteFunc(a.plan.OrderBy, func(o plan.Order) bool {
		return o.Item == "" || !slices.ContainsFunc(a.plan.Select, func(it plan.Item) bool { return it.As == o.Item })
	})
	if len(a.plan.OrderBy) == 0 {
		a.plan.OrderBy = g.OrderBy
	}
	if len(a.plan.OrderBy) == 0 {
		a.plan.Limit, a.plan.Offset = nil, nil
	}
	a.did = "grouped by " + a.said(n)
	return true
}

// restricted reads another condition or period, which takes the place of one on the same
// column: only EMEA, last month.
func (a *amendment) restricted() bool {
	for _, form := range []string{"%s", "in %s", "with %s", "that are %s", "where %s", "for %s", "of %s"} {
		g := a.read(fmt.Sprintf(form, a.said(0)))
		if g == nil || len(g.Select) != 1 || g.Limit != nil || g.Having != nil || len(g.GroupBy) > 0 || g.Where == nil && len(g.Joins) == 0 {
			continue
		}
		if a.restrictedBy(g) {
			a.did = "restricted to " + a.said(0)
			return true
		}
	}
	return false
}

// restrictedBy takes over what a plan of the same rows restricts them to.
func (a *amendment) restrictedBy(g *plan.Plan) bool {
	a.replaceJoins(g)
	rename, ok := a.graft(g)
	if !ok {
		return false
	}
	if g.Where != nil {
		a.fresh = conjuncts(renamed(*g.Where, rename))
		var all []plan.Expr
		if a.plan.Where != nil {
			all = slices.DeleteFunc(conjuncts(*a.plan.Where), func(old plan.Expr) bool { return replaced(old, a.fresh) })
		}
		a.plan.Where = conjoin(nil, append(all, a.fresh...)...)
	}
	return true
}

// read plans "how many S …" about the rows of the last plan's first table, in canonical
// form; nil where that has not just one reading.
func (a *amendment) read(rest string) *plan.Plan {
	in := a.in
	in.Last = nil
	table := a.root()
	if table == nil {
		return nil
	}
	words, _ := a.countedAs(table)
	in.Question = words + " " + rest
	q := newQuestion(a.lexicon(), in)
	if len(q.parser.toks) > maxWords {
		return nil
	}
	rs, why := q.readings()
	best, err := q.best(rs, why)
	if err != nil {
		if a.words == nil {
			a.words = q.unplaced()
		}
		return nil
	}
	a.readAs = best.said
	return a.ofSame(best.plan)
}

// ofSame is a plan in canonical form, where it is of the rows of the last plan's first table.
func (a *amendment) ofSame(made *plan.Plan) *plan.Plan {
	c, err := plan.Validate(made, a.in.Context())
	if err != nil || c.Plan().Set != nil {
		return nil
	}
	p, err := copied(c.Plan())
	switch {
	case err != nil:
		return nil
	case p.From.Table == a.plan.From.Table:
	case a.overAll(p):
		p.From = a.plan.From
	case a.overAll(a.plan):
		a.plan.From = p.From
	default:
		return nil
	}
	return p
}

// root is the first table of the last plan.
func (a *amendment) root() *catalog.Table {
	for _, t := range a.in.Catalog.Tables {
		if plan.TableName(t.Name) == a.plan.From.Table {
			return t
		}
	}
	return nil
}

// graft adds the joins of g to the plan, unless it has them, and gives the plan's names
// for g's aliases.
func (a *amendment) graft(g *plan.Plan) (map[string]string, bool) {
	rename := map[string]string{g.From.As: a.plan.From.As}
	for _, j := range g.Joins {
		to, ok := rename[j.To]
		if !ok || j.Plan != nil {
			return nil, false
		}
		if i := slices.IndexFunc(a.plan.Joins, func(old plan.Join) bool {
			return old.Kind == "inner" && j.Kind == "inner" && old.Table == j.Table && old.Key == j.Key && old.To == to &&
				old.Reverse == j.Reverse && old.Where == nil && j.Where == nil
		}); i >= 0 {
			rename[j.As] = a.plan.Joins[i].As
			continue
		}
		as := a.unused(j.As)
		rename[j.As] = as
		j.As, j.To = as, to
		if j.Where != nil {
			where := renamed(*j.Where, rename)
			j.Where = &where
		}
		a.plan.Joins = append(a.plan.Joins, j)
	}
	return rename, true
}

// unused is an alias that the plan doesn't have.
func (a *amendment) unused(as string) string {
	taken := func(name string) bool {
		return a.plan.From.As == name || slices.ContainsFunc(a.plan.Joins, func(j plan.Join) bool { return j.As == name })
	}
	name := as
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s_%d", strings.Trim(as, `"`), n)
	}
	return name
}

// replaceJoins drops semi joins of the plan whose condition one of g takes the place of.
func (a *amendment) replaceJoins(g *plan.Plan) {
	a.plan.Joins = slices.DeleteFunc(a.plan.Joins, func(old plan.Join) bool {
		return old.Kind == "semi" && old.Where != nil && slices.ContainsFunc(g.Joins, func(j plan.Join) bool {
			return j.Kind == "semi" && j.Table == old.Table && j.Key == old.Key && j.Where != nil &&
				replaced(renamed(*old.Where, map[string]string{old.As: j.As}), conjuncts(*j.Where))
		}) && !slices.ContainsFunc(a.plan.Joins, func(j plan.Join) bool { return j.To == old.As })
	})
}

// conjuncts are the parts of a condition that all have to be true.
func conjuncts(e plan.Expr) []plan.Expr {
	if e.Op != nil && e.Op.Op == "and" {
		return e.Op.Args
	}
	return []plan.Expr{e}
}

// replaced tells whether a condition says of a column what one of the fresh ones says anew:
// which value it has, or when it is.
func replaced(old plan.Expr, fresh []plan.Expr) bool {
	column, kind := pins(old)
	return column != "" && slices.ContainsFunc(fresh, func(e plan.Expr) bool {
		c, k := pins(e)
		return c == column && k == kind
	})
}

// pins is the column that a condition is about, and whether it says a value or a time.
func pins(e plan.Expr) (column, kind string) {
	if e.Period != nil {
		return e.Period.Column, "time"
	}
	if e.Op == nil || len(e.Op.Args) < 2 || named(e.Op.Args[0]) == "" {
		return "", ""
	}
	timely := slices.ContainsFunc(e.Op.Args[1:], func(x plan.Expr) bool {
		return x.Date != nil || x.Literal != nil && (x.Literal.Type == "date" || x.Literal.Type == "timestamp")
	})
	switch {
	case timely:
		return named(e.Op.Args[0]), "time"
	case e.Op.Op == "=" || e.Op.Op == "in":
		return named(e.Op.Args[0]), "value"
	}
	return "", ""
}

// renamed is an expression with other aliases in front of its columns and dimensions.
func renamed(e plan.Expr, rename map[string]string) plan.Expr {
	text, err := json.Marshal(e)
	if err != nil {
		return e
	}
	var doc any
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return e
	}
	renameIn(doc, rename)
	var out plan.Expr
	if text, err = json.Marshal(doc); err != nil || json.Unmarshal(text, &out) != nil {
		return e
	}
	return out
}

func renameIn(doc any, rename map[string]string) {
	switch doc := doc.(type) {
	case map[string]any:
		for k, v := range doc {
			if name, ok := v.(string); ok && (k == "column" || k == "dimension") {
				for from, to := range rename {
					if rest, ok := strings.CutPrefix(name, from+"."); ok {
						doc[k] = to + "." + rest
						break
					}
				}
				continue
			}
			renameIn(v, rename)
		}
	case []any:
		for _, v := range doc {
			renameIn(v, rename)
		}
	}
}
