package plan

import (
	"slices"
	"strconv"
)

// parts is the alias of the block that [Across] puts its parts into.
const parts = "parts"

// Across is one plan of several that have the same groupings, their first
// outputs, and measures behind them: each measures at its own grain, and a row
// of the answer holds what all of them know of one group (Kimball's drilling
// across). They are united with nulls in the place of the others' measures, so
// that groups which are null or which only one of them has are kept. False where
// a type has no null in the plan language.
func Across(of []*Checked, groups int) (*Plan, bool) {
	if slices.ContainsFunc(of, func(part *Checked) bool { return len(part.plan.Select) != len(part.columns) }) {
		return nil, false // a set operation has no outputs of its own
	}
	var names []string
	for i := range groups {
		names = append(names, of[0].columns[i].Name)
	}
	var parts []crossed
	for _, part := range of {
		x := crossed{plan: *part.plan}
		for i, col := range part.columns[groups:] {
			x.measures = append(x.measures, crossedMeasure{col.Name, part.types[groups+i], part.counts[groups+i]})
		}
		parts = append(parts, x)
	}
	return across(names, parts)
}

// crossed is one part: its outputs are the groupings, then the measures.
type crossed struct {
	plan     Plan
	measures []crossedMeasure
}

// crossedMeasure is an output of a part; counts tells that it is a plain count.
type crossedMeasure struct {
	name   string
	typ    typ
	counts bool
}

func across(groups []string, of []crossed) (*Plan, bool) {
	united := &Set{Op: "union", All: true}
	outer := &Plan{Version: Version}
	for i, as := range groups {
		outer.Select = append(outer.Select, Item{Expr: Expr{Column: ColumnName(parts, "g"+strconv.Itoa(i+1))}, As: as})
	}
	var names []string
	var kinds []string
	for _, part := range of {
		for _, m := range part.measures {
			name := "m" + strconv.Itoa(len(names)+1)
			kind := nullType(m.typ)
			if kind == "" {
				return nil, false
			}
			names, kinds = append(names, name), append(kinds, kind)
			outer.Select = append(outer.Select, Item{Expr: gathered(name, m), As: freeName(outer.Select, m.name)})
		}
	}
	first := 0
	for _, part := range of {
		p := part.plan
		p.Version, p.Reasoning, p.OrderBy = 0, "", nil
		p.Select = nil
		for i, it := range part.plan.Select[:len(groups)] {
			p.Select = append(p.Select, Item{Expr: it.Expr, As: "g" + strconv.Itoa(i+1)})
		}
		own := part.plan.Select[len(groups):]
		for i, name := range names {
			e := Expr{Literal: &Literal{Value: nil, Type: kinds[i]}}
			if i >= first && i < first+len(own) {
				e = own[i-first].Expr
			}
			p.Select = append(p.Select, Item{Expr: e, As: name})
		}
		first += len(own)
		united.Plans = append(united.Plans, p)
	}
	outer.From = Source{As: parts, Plan: &Plan{Set: united}}
	return outer, true
}

// gathered is a group's one value among the nulls of the other parts; a count that a
// part doesn't have is none.
func gathered(name string, m crossedMeasure) Expr {
	arg := Expr{Column: ColumnName(parts, name)}
	f := "max"
	if m.typ.fam == famBool {
		f = "bool_or"
	}
	e := Expr{Aggregate: &Aggregate{Func: f, Arg: &arg}}
	if m.counts {
		e = Expr{Call: &Call{Func: "coalesce", Args: []Expr{e, {Literal: &Literal{Value: 0}}}}}
	}
	return e
}

// nullType is the literal type whose null a set operation brings to the type; ""
// for none.
func nullType(t typ) string {
	switch t.fam {
	case famText:
		return "text"
	case famInt:
		return "integer"
	case famNumeric, famFloat:
		return "numeric"
	case famBool:
		return "boolean"
	case famDate:
		return "date"
	case famTimestamp, famTimestamptz:
		return "timestamp"
	}
	return ""
}

// freeName is the name, or one like it that no item has.
func freeName(items []Item, name string) string {
	free := name
	for n := 2; slices.ContainsFunc(items, func(it Item) bool { return it.As == free }); n++ {
		free = name + "_" + strconv.Itoa(n)
	}
	return free
}
