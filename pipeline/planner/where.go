package planner

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

func jsonNumber(s string) json.Number { return json.Number(s) }

// condition is a condition as the plan says it, and the tables it reads.
func (b *builder) condition(c cond) (plan.Expr, []*catalog.Table, error) {
	if c.any != nil {
		var args []plan.Expr
		var tables []*catalog.Table
		for _, a := range c.any {
			e, t, err := b.condition(a)
			if err != nil {
				return plan.Expr{}, nil, err
			}
			args, tables = append(args, e), append(tables, t...)
		}
		return anyOf(args), tables, nil
	}
	m := b.dateOf(c)
	if err := b.ofOneTime(m); err != nil {
		return plan.Expr{}, nil, err
	}
	col := column(m.table, m.column)
	tables := []*catalog.Table{m.table}
	if c.op == "period" {
		if e, ok := b.latest(m, col, c.period); ok {
			return e, tables, nil
		}
		per := c.period
		if day, ok := b.asOf(m, per); ok {
			per = day
		}
		e, err := within(m, col, per)
		return e, tables, err
	}
	args := []plan.Expr{col}
	op := c.op
	if len(c.vals) == 0 { // the value is the mention itself
		args = append(args, text(m.value))
		return plan.Expr{Op: &plan.Op{Op: op, Args: args}}, tables, nil
	}
	for _, v := range c.vals {
		if v.than != nil {
			o := b.picks[v.than]
			if numeric(o.column) != numeric(m.column) || temporal(o.column) != temporal(m.column) || o.column == m.column {
				return plan.Expr{}, nil, unfit("%s can't be compared with %s", m.column.Name, o.column.Name)
			}
			args, tables = append(args, column(o.table, o.column)), append(tables, o.table)
			continue
		}
		if per := momentOf(m, v); per != nil && len(c.vals) == 1 {
			e, err := within(m, col, bounded2(per, op))
			return e, tables, err
		}
		e, err := literalFor(m, v, op)
		if err != nil {
			return plan.Expr{}, nil, err
		}
		args = append(args, e)
	}
	return plan.Expr{Op: &plan.Op{Op: op, Args: args}}, tables, nil
}

// anyOf is a disjunction; values of one column become a list.
func anyOf(args []plan.Expr) plan.Expr {
	list := []plan.Expr{}
	for _, a := range args {
		if a.Op == nil || a.Op.Op != "=" || len(list) > 0 && named(list[0]) != named(a.Op.Args[0]) {
			return plan.Expr{Op: &plan.Op{Op: "or", Args: args}}
		}
		if len(list) == 0 {
			list = append(list, a.Op.Args[0])
		}
		list = append(list, a.Op.Args[1])
	}
	return plan.Expr{Op: &plan.Op{Op: "in", Args: list}}
}

// dateOf is the meaning of a condition's column; a period without one takes
// the date column that was chosen for the question.
func (b *builder) dateOf(c cond) meaning {
	if c.col != nil {
		return b.picks[c.col]
	}
	return b.dates[c.spoken]
}

// momentOf reads a year or a day compared with a date column as a period.
func momentOf(m meaning, v value) *period {
	if !temporal(m.column) {
		return nil
	}
	switch {
	case v.date:
		return &period{lo: dateLiteral(v.text), hi: dayAfter(v.text)}
	case v.num != "" && isYear(v.num):
		return span(v.num, 1, 12)
	}
	return nil
}

func bounded2(per *period, op string) *period {
	if op == "=" {
		return per
	}
	if op == "<>" {
		return nil
	}
	return bounded(per, op)
}

// within restricts a column to a period.
func within(m meaning, col plan.Expr, per *period) (plan.Expr, error) {
	if per == nil {
		return plan.Expr{}, unfit("a period can't be left out")
	}
	if !temporal(m.column) {
		if per.year == "" || per.not {
			return plan.Expr{}, unfit("%s holds no dates", m.column.Name)
		}
		e, err := literalFor(m, value{num: per.year, text: per.year}, per.op)
		return plan.Expr{Op: &plan.Op{Op: per.op, Args: []plan.Expr{col, e}}}, err
	}
	if per.unit != "" {
		return recurring(col, per), nil
	}
	var parts []plan.Expr
	if per.lo != nil {
		parts = append(parts, plan.Expr{Op: &plan.Op{Op: ">=", Args: []plan.Expr{col, *per.lo}}})
	}
	if per.hi != nil {
		parts = append(parts, plan.Expr{Op: &plan.Op{Op: "<", Args: []plan.Expr{col, *per.hi}}})
	}
	e := conjoin(nil, parts...)
	if e == nil {
		return plan.Expr{}, unfit("the period has no bounds")
	}
	if per.not {
		return plan.Expr{Op: &plan.Op{Op: "not", Args: []plan.Expr{*e}}}, nil
	}
	return *e, nil
}

func text(s string) plan.Expr { return plan.Expr{Literal: &plan.Literal{Value: s}} }

// literalFor is a value as a constant of the column it is compared with.
func literalFor(m meaning, v value, op string) (plan.Expr, error) {
	if v.of != nil {
		return overallOf(m, v.of)
	}
	for _, l := range v.link {
		if l.column == m.column {
			return text(l.value), nil
		}
	}
	switch {
	case v.literal:
		return text(v.text), nil
	case numeric(m.column):
		num := v.num
		if num == "" && v.quoted {
			if t, ok := numberToken(v.text); ok && t.kind == number {
				num = t.num
			}
		}
		if num == "" {
			return plan.Expr{}, unfit("%s is a number, %q is none", m.column.Name, v.text)
		}
		return plan.Expr{Literal: &plan.Literal{Value: jsonNumber(num)}}, nil
	case textual(m.column):
		return textFor(m, v, op)
	}
	return plan.Expr{}, unfit("%s can't be compared with %q", m.column.Name, v.text)
}

// textFor is a text compared with a text column: one of its values, or what was
// quoted where not all values are known. Texts that are all years keep their order.
func textFor(m meaning, v value, op string) (plan.Expr, error) {
	ordered := op != "=" && op != "<>" && op != "in" && op != "not_in"
	if ordered && !(v.num != "" && isYear(v.num) && len(m.column.Values) > 0 && !slices.ContainsFunc(m.column.Values, func(s string) bool { return !isYear(s) })) {
		return plan.Expr{}, unfit("%s is text: it has no order that %q could be compared in", m.column.Name, v.text)
	}
	want := fold(v.text)
	var found []string
	for _, s := range m.column.Values {
		if s == v.text || v.num != "" && s == v.num {
			return text(s), nil
		}
		if fold(strings.TrimSpace(s)) == want {
			found = append(found, s)
		}
	}
	if len(found) == 1 {
		return text(found[0]), nil
	}
	if ordered && v.num != "" {
		return text(v.num), nil
	}
	if len(found) > 1 || m.column.AllValues || !v.quoted {
		return plan.Expr{}, unfit("%s has no value %q", m.column.Name, v.text)
	}
	return text(v.text), nil
}
