package planner

import (
	"slices"

	"github.com/pgask/pgask/pipeline/plan"
)

// The words of moves along the levels of what is grouped by.
var (
	downWords = []string{"drill down", "drill", "drill deeper", "drill further", "drill further down", "go deeper", "zoom in", "one level down", "one level deeper", "a level deeper"}
	intoWords = []string{"drill into", "drill down into", "drill in on", "drill down on", "drill in to", "zoom into", "zoom in on"}
	upWords   = []string{"roll up", "rollup", "roll it up", "drill up", "zoom out", "one level up", "a level up"}
)

// drilled reads a move along the levels of what the plan groups by: drill down, drill down to
// country, drill into EMEA, roll up. All numbers are worked out anew of the rows themselves.
// The error is the answer where there is nowhere to go, or more than one way.
func (a *amendment) drilled() (bool, error) {
	if !a.moves() {
		return false, nil
	}
	into, down, up := a.starts(intoWords...), a.starts(downWords...), a.starts(upWords...)
	if err := a.movable(); err != nil {
		return false, err
	}
	switch {
	case into > 0 && into < len(a.toks) && a.frame != nil:
		return false, nowhere("the last answer has several parts, and it isn't clear which of them to restrict", a.again())
	case into > 0 && into < len(a.toks):
		return a.into(into)
	case down > up:
		return a.stepped(down, true)
	}
	return a.stepped(up, false)
}

// moves tells whether the words are of a move along levels.
func (a *amendment) moves() bool {
	return a.starts(intoWords...)+a.starts(downWords...)+a.starts(upWords...) > 0
}

// movable is why the plan's groups can't be others.
func (a *amendment) movable() error {
	all := "ASK MORE 'all'"
	if a.frame != nil {
		all = a.again()
	}
	switch {
	case a.frame == nil && !slices.ContainsFunc(a.plan.Select, func(it plan.Item) bool { return measured(it.Expr) }):
		return nowhere("the last answer is a list, in which nothing is worked out for groups", a.again())
	case a.plan.Limit != nil:
		return nowhere("the last answer shows its first rows only, and which those are is another question for other groups", all)
	case a.plan.Having != nil:
		return nowhere("the last answer leaves out groups by their numbers, and those of other groups are others", a.again())
	}
	return nil
}

// nowhere is a move that can't be made, and what can be typed instead.
func nowhere(reason, try string) error { return &NotAnswerable{Reason: reason, Try: try} }

// move is a step along an axis: to a level, -1 for none at all, or to other periods.
type move struct {
	axis axis
	to   int
	unit string // of time, in the place of a level
}

// stepped moves by one level, or to the one that the words behind say.
func (a *amendment) stepped(n int, down bool) (bool, error) {
	axes := a.axes()
	rest := a.toks[n:]
	if len(rest) > 1 && slices.Contains([]string{"to", "by", "along", "on", "in", "the"}, rest[0].low) {
		rest = rest[1:]
	}
	if len(rest) > 1 && determiners[rest[0].low] {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		return a.towards(axes, rest, down)
	}
	if len(axes) == 0 {
		return false, a.ungrouped()
	}
	var all []move
	for _, x := range axes {
		if m, err := x.next(down); err == nil {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		_, err := axes[0].next(down)
		return false, err
	}
	return a.one(all, down)
}

// next is the step to the next level.
func (x axis) next(down bool) (move, error) {
	at := x.finest()
	switch {
	case down && at+1 >= len(x.levels):
		return move{}, nowhere(x.levels[at]+" is the finest level of "+x.name, "ASK MORE 'roll up'")
	case down:
		return move{axis: x, to: at + 1}, nil
	case x.levels[at] == "week":
		return move{}, nowhere("weeks are part of no one month, quarter or year", "ASK MORE 'by month'")
	}
	return move{axis: x, to: at - 1}, nil
}

// one makes the one step that there is; of several the asker chooses.
func (a *amendment) one(all []move, down bool) (bool, error) {
	if len(all) == 1 {
		return a.moved(all[0])
	}
	var n NotAnswerable
	var only amendment
	for _, m := range all {
		b := *a
		var err error
		if b.plan, err = copied(a.plan); err != nil {
			return false, err
		}
		if ok, err := b.moved(m); !ok || err != nil {
			continue
		}
		only = b
		words := "roll up "
		if down {
			words = "drill down "
		}
		n.Readings = append(n.Readings, Reading{Text: describe(b.plan), Plan: b.plan, Ask: "ASK MORE " + literal(words+m.axis.name)})
	}
	switch len(n.Readings) {
	case 0:
		return a.moved(all[0]) // which says why it can't be
	case 1:
		*a = only
		return true, nil
	}
	return false, &n
}

// towards moves to what the words name: a level, or an axis, which is moved along by one.
func (a *amendment) towards(axes []axis, words []token, down bool) (bool, error) {
	var all []move
	for _, x := range append(axes, a.others(axes)...) {
		at := x.finest()
		if to := a.levelOf(x, words); to >= 0 {
			if to > at != down || to == at {
				continue
			}
			all = append(all, move{axis: x, to: to})
		} else if a.means(x, words) && (down || at >= 0) {
			m, err := x.next(down)
			if err != nil {
				return false, err
			}
			all = append(all, m)
		} else if unit := a.unitSaid(words); x.hierarchy == nil && unit != "" && finerThan(unit, x.levels[at]) == down && finerThan(x.levels[at], unit) != down {
			all = append(all, move{axis: x, unit: unit})
		}
	}
	if len(all) > 0 {
		return a.one(all, down)
	}
	if down && a.frame == nil && timeUnits[words[0].low] != "" && len(a.timeAxes()) == 0 {
		a.also, a.toks = true, append(tokenize("by"), words...)
		if a.grouped() {
			return true, nil
		}
	}
	if text := (&parser{toks: words}).textOf(0, len(words)); len(axes) > 0 {
		there := axes[0].levels[axes[0].finest()]
		if i := slices.IndexFunc(axes, func(x axis) bool { return x.hierarchy == nil }); i >= 0 && a.unitSaid(words) != "" {
			there = axes[i].levels[axes[i].finest()]
		}
		if down {
			return false, nowhere(text+" is no level below "+there, "ASK MORE "+literal("by "+text))
		}
		return false, nowhere(text+" is no level above "+there, "ASK MORE 'roll up'")
	}
	return false, a.ungrouped()
}

// moved makes a step. Going down the coarser levels stay beside the finer: two regions may
// have a city of one name.
func (a *amendment) moved(m move) (bool, error) {
	x := m.axis
	if x.hierarchy == nil {
		unit := m.unit
		if unit == "" && m.to >= 0 {
			unit = x.levels[m.to]
		}
		a.did = "of all time"
		if unit != "" {
			a.did = "by " + unit
		}
		if a.frame != nil {
			return a.asked(x, nil, unit)
		}
		a.cutInto(x, unit)
		return true, nil
	}
	var want []int
	for i := range x.levels {
		between := len(x.shown) > 0 && i > x.finest() && i < m.to
		if i == m.to || i < m.to && slices.Contains(x.shown, i) || between {
			want = append(want, i)
		}
	}
	if a.frame != nil {
		a.did = "by other levels of " + x.name
		return a.asked(x, want, "")
	}
	if !a.levelled(x.hierarchy, want) {
		return false, nowhere("rows of "+spoken(a.root())+" belong to no one "+x.levels[m.to], a.again())
	}
	a.did = "of all of " + x.name
	if m.to >= 0 {
		a.did = "by " + x.levels[m.to]
	}
	if m.to < x.finest() {
		a.stays(x.hierarchy)
	}
	return true, nil
}
