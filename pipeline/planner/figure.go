package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// figure is what is worked out from the one number that the rest of a question asks for.
type figure struct {
	kind    string // share, versus, change, running, mean
	at      int    // position of its words
	word    string // what the answer calls it
	percent bool   // of a hundred, not of one
	unit    string // of the period that it is compared with, where that is said
	per     *group // what an average is over
	sides   [2]side
	near    *catalog.Table // named last before the sides
}

// number is a number that a figure can be worked out from, at i: a metric, a count of rows or the sum
// of a column.
func (p *parser) number(s state) []state {
	have := len(s.f.outs)
	var out []state
	for _, n := range append(p.counted(s), p.aggregateColumns(s, []string{"sum"})...) {
		if o := last(n.f.outs); len(n.f.outs) == have+1 && (o.metric != nil || o.table != nil || o.fn == "sum") && !o.distinct {
			out = append(out, n)
		}
	}
	for _, n := range p.aggregateItem(s) {
		if o := last(n.f.outs); len(n.f.outs) == have+1 && o.fn == "sum" {
			out = append(out, n)
		}
	}
	return out
}

// figures tells whether a frame says enough to work a figure out: one number, and no order
// of what isn't worked out yet.
func (f *frame) figures() bool {
	return len(f.outs) == 1 && len(f.orders) == 0 && f.limit == 0 && f.both[0] == nil && f.except == nil && !f.overTime && !f.distinct
}

// figured reads a question for a figure: the plans of its numbers, put together.
func (q *question) figured(f frame) ([]reading, []error) {
	fig := *f.figure
	f.figure = nil
	if !f.figures() {
		return nil, []error{unfit("it isn't clear what the %s is worked out from", fig.word)}
	}
	switch fig.kind {
	case "versus":
		return q.compares(f, fig)
	case "change", "running":
		return q.courses(f, fig)
	case "mean":
		return q.means(f, fig)
	}
	return q.shares(f, fig)
}

// restricted is the frame with some of its conditions, and with rows that must exist or not
// where linked. Tables that only the others spoke of take no part.
func (f frame) restricted(conds []cond, linked bool) frame {
	f.conds = conds
	if linked {
		return f
	}
	f.linked, f.objects = nil, nil
	t := f.outs[0].table
	f.also = slices.DeleteFunc(slices.Clone(f.also), func(a *catalog.Table) bool {
		return a != t && !slices.ContainsFunc(f.groups, func(g group) bool { return g.table == a })
	})
	f.subject = t
	return f
}

// ungrouped is the frame's number over all its rows.
func (f frame) ungrouped() frame {
	groups := f.groups
	f.groups, f.each = nil, false
	f.also = slices.DeleteFunc(slices.Clone(f.also), func(a *catalog.Table) bool {
		return slices.ContainsFunc(groups, func(g group) bool { return g.table == a })
	})
	return f
}

// pairs reads two frames, and pairs the readings that take the same words alike.
func (q *question) pairs(a, b frame) (out [][2]reading, why []error) {
	first, errs := q.resolve(a)
	second, more := q.resolve(b)
	for _, x := range first {
		for _, y := range second {
			if x.agrees(y) {
				out = append(out, [2]reading{x, y})
			}
		}
	}
	return out, append(errs, more...)
}

// agrees tells whether no words mean one column in one reading and another in the other.
func (r reading) agrees(o reading) bool {
	for at, c := range r.meant {
		if d, both := o.meant[at]; both && c != d {
			return false
		}
	}
	return true
}

// worked is the reading of a plan that was made of those of others, and what it is about.
func worked(p *plan.Plan, about string, f frame, of ...reading) (reading, error) {
	key, err := planJSON(unnamed(p))
	if err != nil {
		return reading{}, err
	}
	r := reading{plan: p, key: key, about: about, f: f, basis: of[0].plan, meant: of[0].meant}
	for _, o := range of {
		r.cost, r.said = max(r.cost, o.cost), union(r.said, o.said)
	}
	return r, nil
}

// nested is a plan as a part of another one.
func nested(p *plan.Plan) *plan.Plan {
	n := *p
	n.Version, n.OrderBy = 0, nil
	return &n
}

// outer are the outputs of a plan seen from a block around it that calls it so.
func outer(p *plan.Plan, as string) []plan.Item {
	out := make([]plan.Item, len(p.Select))
	for i, it := range p.Select {
		name := outputName(it)
		out[i] = plan.Item{Expr: plan.Expr{Column: plan.ColumnName(as, name)}, As: name}
	}
	return out
}

func apply(op string, args ...plan.Expr) plan.Expr {
	return plan.Expr{Op: &plan.Op{Op: op, Args: args}}
}

// figureWord tells whether a word may say that something is worked out.
func figureWord(w string) bool {
	_, share := shareWords[w]
	return share || changeWords[w] != "" || yearOverYear[w] != "" || w == "cumulative" || w == "running" || w == "compare" || slices.ContainsFunc(versusWords, func(seq []string) bool { return slices.Contains(seq, w) })
}
