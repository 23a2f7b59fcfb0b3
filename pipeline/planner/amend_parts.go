package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
)

// maxFollowUps bounds how many follow-ups of a question are read again.
const maxFollowUps = 8

// reread finds what a plan of several parts was read from, since the parts can't be regrouped
// as they stand: the last question, and the moves behind it. It has to give just that plan.
func (a *amendment) reread() bool {
	was, err := plan.Validate(a.in.Last.Plan, a.in.Context())
	if err != nil {
		return false
	}
	said := strings.Split(a.in.Last.Question, ", ")
	for n := 1; n <= min(len(said), maxFollowUps); n++ {
		c := *a
		c.in.Last, c.in.Question = nil, strings.Join(said[:n], ", ")
		c.q = newQuestion(a.lexicon(), c.in)
		if len(c.q.parser.toks) > maxWords || len(said)-n > maxFollowUps {
			continue
		}
		rs, why := c.q.readings()
		best, err := c.q.best(rs, why)
		if err != nil {
			continue
		}
		c.frame, c.in.Last = &best.parsed, a.in.Last
		if c.readAgain(best.parsed) == nil && c.followed(said[n:]) && c.makes(was.Hash()) {
			a.q, a.frame, a.plan = c.q, c.frame, c.plan
			return true
		}
	}
	return false
}

// followed makes the moves that were made already.
func (a *amendment) followed(moves []string) bool {
	for _, m := range moves {
		a.in.Question = m
		a.strip()
		if moved, err := a.drilled(); !moved || err != nil {
			return false
		}
	}
	return true
}

func (a *amendment) makes(hash string) bool {
	c, err := plan.Validate(a.plan, a.in.Context())
	return err == nil && c.Hash() == hash
}

// frameAxes are what the groups of a question are levels of.
func (a *amendment) frameAxes() []axis {
	var out []axis
	for _, h := range a.hierarchies() {
		x := axis{name: spokenName(h.Name), levels: levelNames(h), hierarchy: h}
		for i, l := range h.Levels {
			if slices.ContainsFunc(a.frame.groups, func(g group) bool { return g.isLevel(l) }) {
				x.shown = append(x.shown, i)
			}
		}
		if len(x.shown) > 0 {
			out = append(out, x)
		}
	}
	for _, g := range a.frame.groups {
		x := axis{name: "time", levels: calendarLevels}
		if g.unit == "week" {
			x.levels = weekLevels
		}
		if at := slices.Index(x.levels, g.unit); at >= 0 {
			x.shown, x.levels = []int{at}, x.levels[:a.finestKept(x)+1]
			out = append(out, x)
		}
	}
	return out
}

// finestKept is the finest level of time that all stocks that are asked for are kept by.
func (a *amendment) finestKept(x axis) int {
	finest := len(x.levels) - 1
	for _, o := range a.frame.outs {
		if o.metric == nil || len(o.metric.Additivity.NotOver) == 0 {
			continue
		}
		if at := slices.Index(x.levels, ownUnit(o.metric.Additivity.NotOver[0])); at >= 0 {
			finest = min(finest, max(at, x.finest()))
		}
	}
	return finest
}

func (g group) isLevel(l semantic.Level) bool {
	return g.col != nil && slices.ContainsFunc(g.col.meanings, func(m meaning) bool {
		return isColumn(m) && m.table.Name == l.Table && m.column.Name == l.Column
	})
}

// asked groups the question by other levels of an axis, and reads it so.
func (a *amendment) asked(x axis, want []int, unit string) (bool, error) {
	old := func(g group) bool {
		if x.hierarchy == nil {
			return g.unit != ""
		}
		return slices.ContainsFunc(x.hierarchy.Levels, g.isLevel)
	}
	var fresh []group
	for i, w := range want {
		fresh = append(fresh, a.lexicon().levelGroup(x.hierarchy.Levels[w], maxWords+i))
	}
	if unit != "" {
		fresh = append(fresh, group{unit: unit})
	}
	f := *a.frame
	at := max(slices.IndexFunc(f.groups, old), 0)
	rest := slices.DeleteFunc(slices.Clone(f.groups), old)
	f.groups = slices.Insert(rest, min(at, len(rest)), fresh...)
	if err := a.readAgain(f); err != nil {
		return false, nowhere("the last answer can't be grouped so: "+err.Error(), a.again())
	}
	return true, nil
}

// readAgain makes the plan of a frame, where there is one that wins alone.
func (a *amendment) readAgain(f frame) error {
	rs, why := a.q.resolve(f)
	best, err := a.q.best(distinct(rs), why)
	if err == nil {
		a.frame, a.plan, a.readAs = &f, best.plan, best.said
	}
	return err
}

// again is a statement that asks the last question, or as much of it as can be asked without
// what amended it.
func (a *amendment) again() string {
	in := a.in
	in.Last = nil
	q := &question{in: in, x: a.lexicon()}
	said := strings.Split(a.in.Last.Question, ", ")
	for n := len(said); n > max(0, len(said)-maxFollowUps); n-- {
		if ask := q.answerable(strings.Join(said[:n], ", ")); ask != "" {
			return ask
		}
	}
	return "ASK " + literal(a.in.Last.Question)
}
