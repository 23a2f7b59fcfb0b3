package planner

import (
	"slices"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// into reads a value of a level, or a period: its rows alone, by the level below it.
func (a *amendment) into(n int) (bool, error) {
	toks := a.toks
	a.toks = toks[n:]
	said := a.said(0)
	only := "ASK MORE " + literal("only "+said)
	if !a.ofShown() && !a.restricted() {
		a.toks = toks
		return false, nil
	}
	for _, cond := range a.fresh {
		column, kind := pins(cond)
		t, c := a.columnOf(column)
		if c == nil {
			continue
		}
		if kind == "time" {
			return a.intoPeriod(column, only)
		}
		for _, h := range a.hierarchies() {
			at := h.At(t.Name, c.Name)
			if at < 0 {
				continue
			}
			if at+1 == len(h.Levels) {
				return false, nowhere(levelNames(h)[at]+" is the finest level of "+spokenName(h.Name), only)
			}
			if !a.levelled(h, []int{at + 1}) {
				return false, nowhere("rows of "+spoken(a.root())+" belong to no one "+levelNames(h)[at+1], only)
			}
			a.did = said + " by " + levelNames(h)[at+1]
			return true, nil
		}
	}
	return false, nowhere(said+" is of no level that has another below", only)
}

// ofShown restricts to a value of a level of what the plan shows, where the words are one:
// other columns may hold the same value. It prefers the finest level that is shown.
func (a *amendment) ofShown() bool {
	for _, x := range a.axes() {
		var levels []semantic.Level
		if x.hierarchy != nil {
			levels = append(levels, x.hierarchy.Levels[x.finest()])
			levels = append(levels, x.hierarchy.Levels...)
		}
		for _, l := range levels {
			for _, h := range link(a.lexicon(), a.toks)[0] {
				i := slices.IndexFunc(h.meanings, func(m meaning) bool { return isValue(m) && m.table.Name == l.Table && m.column.Name == l.Column })
				if h.n != len(a.toks) || i < 0 {
					continue
				}
				g := a.counted(func(f *frame) {
					f.conds = []cond{{op: "=", col: &mention{n: h.n, meanings: h.meanings[i : i+1], owner: h.meanings[i].table}}}
				})
				return g != nil && a.restrictedBy(g)
			}
		}
	}
	return false
}

// intoPeriod cuts a period into shorter ones.
func (a *amendment) intoPeriod(column, only string) (bool, error) {
	x := axis{name: "time", date: column, levels: calendarLevels}
	for _, o := range a.timeAxes() {
		if o.date == column {
			x = o
		}
	}
	x.levels = a.upToColumn(x)
	at := slices.Index(x.levels, a.lasts(column))
	if at < 0 {
		at = x.finest()
	}
	if at < 0 || at+1 >= len(x.levels) {
		return false, nowhere("it isn't clear into which periods that one is to be cut", only)
	}
	a.cutInto(x, x.levels[at+1])
	if len(x.shown) == 0 {
		a.plan.OrderBy = []plan.Order{{Item: a.plan.Select[0].As}}
	}
	a.did = "by " + x.levels[at+1]
	return true, nil
}

// lasts is the unit of which the fresh conditions let one period of the date be; "" for others.
func (a *amendment) lasts(column string) string {
	var ends []string
	for _, cond := range a.fresh {
		switch c, _ := pins(cond); {
		case c != column:
		case cond.Period != nil:
			if cond.Period.Last == 1 && !cond.Period.Fiscal {
				return cond.Period.Unit
			}
		case cond.Op.Args[1].Date != nil:
			return cond.Op.Args[1].Date.Unit
		case cond.Op.Args[1].Literal != nil:
			s, _ := cond.Op.Args[1].Literal.Value.(string)
			ends = append(ends, s[:min(len(s), len(time.DateOnly))])
		}
	}
	if len(ends) != 2 {
		return ""
	}
	slices.Sort(ends)
	lo, errLo := time.Parse(time.DateOnly, ends[0])
	hi, errHi := time.Parse(time.DateOnly, ends[1])
	if errLo != nil || errHi != nil {
		return ""
	}
	for _, span := range []struct {
		unit           string
		year, mon, day int
	}{{"year", 1, 0, 0}, {"quarter", 0, 3, 0}, {"month", 0, 1, 0}, {"day", 0, 0, 1}} {
		if lo.AddDate(span.year, span.mon, span.day).Equal(hi) {
			return span.unit
		}
	}
	return ""
}

// levelOf is the level of an axis that words name, -1 for none.
func (a *amendment) levelOf(x axis, words []token) int {
	if len(words) > 1 && last(words).low == "level" {
		words = words[:len(words)-1]
	}
	if x.hierarchy == nil {
		said := make([]string, len(words))
		for i, t := range words {
			said[i] = t.stem
		}
		return slices.IndexFunc(x.levels, func(l string) bool { return slices.Equal(stems(strings.Fields(l)), said) })
	}
	for _, h := range link(a.lexicon(), words)[0] {
		if h.n != len(words) {
			continue
		}
		for _, m := range h.meanings {
			if isColumn(m) && m.hierarchy == nil && x.hierarchy.At(m.table.Name, m.column.Name) >= 0 {
				return x.hierarchy.At(m.table.Name, m.column.Name)
			}
		}
	}
	return -1
}

// means tells whether words name an axis itself.
func (a *amendment) means(x axis, words []token) bool {
	said := make([]string, len(words))
	for i, t := range words {
		said[i] = t.stem
	}
	names := []string{x.name}
	if x.hierarchy != nil {
		names = append(names, x.hierarchy.Synonyms...)
	}
	return slices.ContainsFunc(names, func(name string) bool { return slices.Equal(stems(splitIdentifier(name)), said) })
}

func (a *amendment) lexicon() *lexicon { return a.b.lexicon(a.in.Catalog, a.in.Semantic) }

// unitSaid is the unit of time that words are, "" for others.
func (a *amendment) unitSaid(words []token) string {
	fiscal := len(words) == 2 && words[0].low == "fiscal" && a.in.Semantic != nil && a.in.Semantic.FiscalYearStart > 0
	if fiscal {
		words = words[1:]
	}
	if len(words) != 1 {
		return ""
	}
	switch unit := timeUnits[words[0].low]; {
	case !fiscal:
		return unit
	case unit == "year":
		return fiscalYear
	case unit == "quarter":
		return fiscalQuarter
	}
	return ""
}

// finerThan tells whether periods of one unit are shorter than those of another.
func finerThan(unit, than string) bool {
	order := []string{"year", "quarter", "month", "week", "day"}
	return slices.Index(order, strings.TrimPrefix(unit, "fiscal ")) > slices.Index(order, strings.TrimPrefix(than, "fiscal "))
}
