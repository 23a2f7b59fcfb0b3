package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// foundFilter is a comparison or a period that the question states. Where it doesn't
// say of which column, there is none; a period's ends are symbolic dates or literals.
type foundFilter struct {
	Words   string     `json:"words"`
	Columns []string   `json:"columns,omitempty"`
	Op      string     `json:"op,omitempty"`
	Values  []string   `json:"values,omitempty"`
	From    *plan.Expr `json:"from,omitempty"`
	Before  *plan.Expr `json:"before,omitempty"`
}

// foundBy is a grouping or a ranking that the question states, by one of what By lists.
type foundBy struct {
	Words string   `json:"words"`
	By    []string `json:"by"`
	Desc  bool     `json:"desc,omitempty"`
}

// mostMeanings bounds what one word is said to mean.
const mostMeanings = 4

// hinter finds in a question what the built-in planner's grammar knows, part by part:
// also where it can't place every word and so has no answer itself.
type hinter struct {
	in    Input
	shown map[catalog.Name]bool
	p     *parser
	found *semanticContext
	// subject is the first table that the question names.
	subject *catalog.Table
}

// hint adds filters, groups, order and limit to what is known of the question.
func (c *semanticContext) hint(in Input, x *lexicon, shown map[catalog.Name]bool) {
	if len(in.Question) > maxQuestion {
		return
	}
	h := &hinter{in: in, shown: shown, p: newQuestion(x, in).parser, found: c}
	if len(h.p.toks) > maxWords {
		return
	}
	for i := 0; i < len(h.p.toks); {
		if tables := h.p.find(i, isTable); h.subject == nil && len(tables) > 0 {
			h.subject = tables[0].meanings[0].table
		}
		i = max(i+1, h.at(i))
	}
}

// at takes the longest part that begins at token i, in all its readings, and gives the
// token behind it.
func (h *hinter) at(i int) int {
	s := state{at: i, f: frame{subject: h.subject}}
	end := i
	var longest []frame
	for _, rule := range []func(state) []state{h.p.topItem, h.p.rankedItem, h.p.superlative, h.p.ordering, h.p.related, h.p.per, h.p.periods, h.p.conditions} {
		for _, n := range rule(s) {
			if !h.says(n.f) || n.at < end || n.f.limit > 0 && len(n.f.orders) == 0 && !h.opens(i) {
				continue
			}
			if n.at > end {
				end, longest = n.at, nil
			}
			longest = append(longest, n.f)
		}
	}
	for _, f := range longest {
		h.take(f, h.p.textOf(i, end-i))
	}
	return end
}

// opens tells whether nothing stands before token i but words that ask: a number there
// is how many rows are wanted, elsewhere it may be anything.
func (h *hinter) opens(i int) bool { return len(contentWords(h.p.toks[:i])) == 0 }

// says tells whether a part holds anything besides names, which the lists of values and
// metrics have.
func (h *hinter) says(f frame) bool {
	return len(f.groups)+len(f.orders) > 0 || f.limit > 0 || slices.ContainsFunc(f.conds, stated) ||
		slices.ContainsFunc(f.linked, func(l linked) bool { return l.op != "" })
}

// stated tells whether a condition compares with something that the question spells out.
func stated(c cond) bool {
	return c.period != nil || len(c.vals) > 0 && !slices.ContainsFunc(c.vals, func(v value) bool { return v.link != nil })
}

func (h *hinter) take(f frame, words string) {
	for _, g := range f.groups {
		h.found.Group = h.by(h.found.Group, foundBy{Words: words, By: h.grouping(g)})
	}
	for _, o := range f.orders {
		h.found.Order = h.by(h.found.Order, foundBy{Words: words, By: h.ranking(o), Desc: o.desc})
	}
	if f.limit > 0 {
		h.found.Limit = f.limit
	}
	for _, c := range f.conds {
		if stated(c) {
			h.filter(c, words)
		}
	}
	for _, l := range f.linked {
		if l.op != "" && h.shown[l.table.Name] {
			h.add(foundFilter{Words: words, Columns: []string{"count of " + plan.TableName(l.table.Name)}, Op: l.op, Values: []string{l.count}})
		}
	}
}

// by adds to a list, or to the entry that the same words have.
func (h *hinter) by(list []foundBy, f foundBy) []foundBy {
	if len(f.By) == 0 {
		return list
	}
	for i := range list {
		if list[i].Words == f.Words && list[i].Desc == f.Desc {
			for _, b := range f.By {
				if !slices.Contains(list[i].By, b) && len(list[i].By) < mostMeanings {
					list[i].By = append(list[i].By, b)
				}
			}
			return list
		}
	}
	return append(list, f)
}

func (h *hinter) filter(c cond, words string) {
	f := foundFilter{Words: words, Columns: h.columns(c.col)}
	if c.col != nil && len(f.Columns) == 0 {
		return
	}
	if c.period != nil {
		f.From, f.Before = c.period.lo, c.period.hi
	} else {
		f.Op = c.op
		for _, v := range c.vals {
			if v.num != "" {
				v.text = v.num
			}
			f.Values = append(f.Values, v.text)
		}
	}
	h.add(f)
}

// add takes the first reading of the same words.
func (h *hinter) add(f foundFilter) {
	if !slices.ContainsFunc(h.found.Filters, func(known foundFilter) bool { return known.Words == f.Words }) {
		h.found.Filters = append(h.found.Filters, f)
	}
}

func (h *hinter) grouping(g group) []string {
	switch {
	case g.unit != "":
		return []string{g.unit}
	case g.table != nil && h.shown[g.table.Name]:
		return []string{plan.TableName(g.table.Name)}
	}
	return h.columns(g.col)
}

func (h *hinter) ranking(o order) []string {
	switch {
	case o.metric != nil:
		if !measurable(h.in, o.metric, h.shown) {
			return nil
		}
		return []string{"metric " + o.metric.Name}
	case o.count != nil:
		if !h.shown[o.count.Name] {
			return nil
		}
		return []string{"count of " + plan.TableName(o.count.Name)}
	case o.fn == "count" && o.col == nil:
		return []string{"count"}
	}
	columns := h.columns(o.col)
	for i := range columns {
		if o.fn != "" {
			columns[i] = o.fn + " of " + columns[i]
		}
	}
	return columns
}

// hinted is how a column, or a dimension, is called in what the question is known to mean.
func hinted(t *catalog.Table, c *catalog.Column) string {
	if t.Column(c.Name) == nil {
		return "dimension " + c.Name
	}
	return plan.TableName(t.Name) + "." + plan.Ident(c.Name)
}

// columns are what a mention can mean among what the model is shown.
func (h *hinter) columns(m *mention) []string {
	if m == nil {
		return nil
	}
	var out []string
	for _, c := range m.meanings {
		if c.column == nil || !h.shown[c.table.Name] || h.in.Semantic.Exposure(c.table.Name, c.column.Name) == semantic.Hidden {
			continue
		}
		name := hinted(c.table, c.column)
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out[:min(len(out), mostMeanings)]
}
