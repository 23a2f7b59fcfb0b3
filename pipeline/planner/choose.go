package planner

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
)

// errUnfit is why a frame can't become a plan; its text is shown to the asker
// when no other frame can.
type errUnfit struct{ why string }

func (e *errUnfit) Error() string { return e.why }

func unfit(format string, args ...any) error { return &errUnfit{fmt.Sprintf(format, args...)} }

// maxChoices bounds the readings that are followed from one frame.
const maxChoices = 24

// Margins of cost. Meanings that are as close as nearTie are all followed;
// a whole reading wins alone when the next one costs winMargin more.
const (
	nearTie   = 0.11
	winMargin = 0.12
	farTable  = 0.2  // for each join between subject and column
	notNear   = 0.15 // for a table that wasn't the last one named, where that has it
	farUnique = 0.1  // the same where the words can mean no other column
	farValue  = 0.05 // the same where the words are a value of no other column
)

// picks is which meaning each mention got.
type picks map[*mention]meaning

// reach tells whether a mention has a meaning on the table.
func (p picks) reach(t *catalog.Table) bool {
	for _, m := range p {
		if m.table == t {
			return true
		}
	}
	return false
}

// mentions are all columns that a frame speaks of.
func (f *frame) mentions() []*mention {
	var out []*mention
	take := func(m *mention) {
		if m != nil {
			out = append(out, m)
		}
	}
	for _, o := range f.outs {
		take(o.col)
	}
	takeConds(f.conds, take)
	takeConds(f.both[0], take)
	takeConds(f.both[1], take)
	takeConds(f.except, take)
	for _, g := range f.groups {
		take(g.col)
	}
	for _, o := range f.orders {
		take(o.col)
	}
	return out
}

func takeConds(conds []cond, take func(*mention)) {
	for _, c := range conds {
		take(c.col)
		for _, v := range c.vals {
			take(v.than)
		}
		takeConds(c.any, take)
	}
}

// subjects are the tables that a frame can be about: the one it names, else
// those that own what is asked for.
func (f *frame) subjects() []*catalog.Table {
	if f.subject != nil {
		return []*catalog.Table{f.subject}
	}
	var out []*catalog.Table
	seen := map[*catalog.Table]bool{}
	take := func(t *catalog.Table) {
		if !seen[t] {
			seen[t] = true
			out = append(out, t)
		}
	}
	for _, o := range f.outs {
		switch {
		case o.metric != nil || o.table != nil:
		case o.col != nil:
			for _, m := range o.col.meanings {
				take(m.table)
			}
		}
	}
	return out
}

// measured is the table whose rows are counted or whose metric is asked for.
func (x *lexicon) measured(f *frame, c *catalog.Snapshot) []*catalog.Table {
	var out []*catalog.Table
	for _, o := range f.outs {
		out = append(out, metricTables(c, o.metric)...)
		if o.fn == "count" && o.table != nil {
			out = append(out, o.table)
		}
	}
	for _, o := range f.orders {
		out = append(out, metricTables(c, o.metric)...)
		if o.count != nil {
			out = append(out, o.count)
		}
	}
	return out
}

// choose gives every mention a meaning, in all ways that are about equally
// good. cost is what each way adds to the frame's.
func (x *lexicon) choose(f *frame, subject *catalog.Table, measured []*catalog.Table) ([]picks, []float64, error) {
	type choice struct {
		p    picks
		cost float64
	}
	choices := []choice{{p: picks{}}}
	dist := x.graph.distances(subject)
	for _, m := range f.mentions() {
		options, err := x.options(f, m, subject, measured, dist)
		if err != nil {
			return nil, nil, err
		}
		var next []choice
		for _, c := range choices {
			for _, o := range options {
				p := make(picks, len(c.p)+1)
				for k, v := range c.p {
					p[k] = v
				}
				p[m] = o.meaning
				cost := o.cost
				if c.p.reach(o.meaning.table) { // who goes there goes once
					cost -= o.way
				}
				for k, v := range c.p { // the same words again are no looser
					if v.column == o.meaning.column && o.meaning.column != nil && (k.at == m.at && k.n == m.n || v.kind == aColumn && o.meaning.kind == aColumn) {
						cost = 0
					}
				}
				next = append(next, choice{p: p, cost: c.cost + cost})
			}
		}
		if len(next) > maxChoices {
			return nil, nil, errTooMany
		}
		choices = next
	}
	ps, costs := make([]picks, len(choices)), make([]float64, len(choices))
	for i, c := range choices {
		ps[i], costs[i] = c.p, c.cost
	}
	return ps, costs, nil
}

var errTooMany = errors.New("the words have too many meanings")

// option is a meaning with what it costs, of which way is for how far off its table is.
type option struct {
	meaning   meaning
	cost, way float64
}

// options are the best meanings of a mention: on the table that the question
// says, else near the subject.
func (x *lexicon) options(f *frame, m *mention, subject *catalog.Table, measured []*catalog.Table, dist map[*catalog.Table]int) ([]option, error) {
	var all []option
	best := 10.0
	owned := slices.ContainsFunc(m.meanings, func(c meaning) bool { return c.table == m.owner })
	near := m.near != subject && slices.ContainsFunc(m.meanings, func(c meaning) bool { return c.table == m.near })
	far := farTable
	if !slices.ContainsFunc(m.meanings, func(c meaning) bool { return c.column != m.meanings[0].column }) {
		far = farUnique
		if m.meanings[0].kind == aValue {
			far = farValue
		}
	}
	for _, c := range m.meanings {
		if owned && c.table != m.owner || m.owner != nil && !owned && m.n < 2 {
			continue // "savings balance" says itself whose it is, "balance" doesn't
		}
		d, reachable := dist[c.table]
		if !reachable {
			continue
		}
		cost, way := 1-c.weight, 0.0
		switch {
		case near && c.table != m.near:
			cost += notNear
		case c.table == subject || owned || near:
		case contains(f.also, c.table) || contains(measured, c.table):
			cost += 0.05
		default:
			way = far * float64(d)
		}
		if other, key := pointsTo(c, m.meanings); other || key && f.subject == nil {
			cost += ownName // a key that points elsewhere repeats what stands there
		}
		all = append(all, option{c, cost + way, way})
		best = min(best, cost+way)
	}
	var out []option
	for _, o := range all {
		if o.cost <= best+nearTie {
			out = append(out, o)
		}
	}
	if out == nil {
		if m.owner != nil {
			return nil, unfit("%s has no such column", m.owner.Name.Table)
		}
		return nil, unfit("nothing that %s are connected with has it", subject.Name.Table)
	}
	return out, nil
}

func contains(list []*catalog.Table, t *catalog.Table) bool {
	for _, x := range list {
		if x == t {
			return true
		}
	}
	return false
}
