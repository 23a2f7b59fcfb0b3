package plan_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
)

// ask is a random plan in a form that can be evaluated by hand: tables that are
// joined one by one, conditions, groupings and measures.
type ask struct {
	root     *worldTable
	joins    []askJoin
	where    []askCond
	groups   []askGroup
	measures []askMeasure
}

type askJoin struct {
	from, to *worldTable
	ref      worldRef
	up       bool // from points to to
	kind     string
	where    *askCond
}

type askCond struct {
	table  *worldTable
	column string
	op     string
	value  any
}

// askGroup is a column, or the month of a day.
type askGroup struct {
	table  *worldTable
	column string
	month  bool
}

// askMeasure is a registered metric, or an aggregate over a column of a table.
type askMeasure struct {
	metric *configs.Metric
	table  *worldTable
	fn     string
	column string
}

// tuple is a row of the join: a row of each table, nil where an outer join found none.
type tuple map[*worldTable]worldRow

// tuples joins and restricts.
func (a *ask) tuples() (out []tuple) {
	for _, r := range a.root.rows {
		out = append(out, tuple{a.root: r})
	}
	for _, j := range a.joins {
		var next []tuple
		for _, t := range out {
			n := 0
			for _, r := range j.to.rows {
				if !j.meets(t[j.from], r) {
					continue
				}
				if n++; j.kind == "semi" && n > 1 {
					break
				}
				next = append(next, t.with(j, r))
			}
			if n == 0 && j.kind == "left" {
				next = append(next, t.with(j, nil))
			}
		}
		out = next
	}
	return slices.DeleteFunc(out, func(t tuple) bool {
		return slices.ContainsFunc(a.where, func(c askCond) bool { return !c.holds(t[c.table]) })
	})
}

func (t tuple) with(j askJoin, r worldRow) tuple {
	out := tuple{}
	for k, v := range t {
		out[k] = v
	}
	if j.kind != "semi" {
		out[j.to] = r
	}
	return out
}

func (j askJoin) meets(from, to worldRow) bool {
	if from == nil || j.where != nil && !j.where.holds(to) {
		return false
	}
	if j.up {
		return from[j.ref.column()] == to["id"]
	}
	return to[j.ref.column()] == from["id"]
}

// holds is false for null, as where is.
func (c askCond) holds(r worldRow) bool {
	if r == nil || r.at(c.column) == nil {
		return false
	}
	switch v := r.at(c.column).(type) {
	case int:
		return map[string]bool{"=": v == c.value, ">": v > c.value.(int), "<": v < c.value.(int)}[c.op]
	case string:
		return map[string]bool{"=": v == c.value, ">": v > c.value.(string), "<": v < c.value.(string)}[c.op]
	}
	return false
}

func (g askGroup) value(t tuple) any {
	r := t[g.table]
	if r == nil || r.at(g.column) == nil {
		return nil
	}
	if g.month {
		return r[g.column].(string)[:8] + "01"
	}
	return r.at(g.column)
}

// answer is what each group has of each measure, every measure computed over the rows
// of its own table, each once. Groups without anything measured aren't there: whether
// they are shown depends on where a condition stands.
func (a *ask) answer(w *world) map[string]string {
	out := a.every(w)
	for k, v := range out {
		values := strings.Split(v, "|")
		for i := range values {
			values[i] = rounded(values[i])
		}
		out[k] = strings.Join(values, "|")
		if len(a.groups) > 0 && !slices.ContainsFunc(values, func(v string) bool { return v != "∅" && v != "0" }) {
			delete(out, k)
		}
	}
	return out
}

// every is the answer with the groups in which nothing is measured.
func (a *ask) every(w *world) map[string]string {
	groups := map[string][]tuple{}
	for _, t := range a.tuples() {
		var key []string
		for _, g := range a.groups {
			key = append(key, text(g.value(t)))
		}
		k := strings.Join(key, "|")
		groups[k] = append(groups[k], t)
	}
	if len(a.groups) == 0 && len(groups) == 0 {
		groups[""] = nil
	}
	out := map[string]string{}
	for k, ts := range groups {
		var values []string
		for _, m := range a.measures {
			values = append(values, m.value(w, a, ts))
		}
		out[k] = strings.Join(values, "|")
	}
	return out
}

// value is the measure over the rows of its table that take part in a group.
func (m askMeasure) value(w *world, a *ask, ts []tuple) string {
	var rows []worldRow
	for _, t := range ts {
		r := t[m.table]
		if r != nil && !slices.ContainsFunc(rows, func(x worldRow) bool { return x["id"] == r["id"] }) {
			rows = append(rows, r)
		}
	}
	if m.metric == nil {
		return aggregated(m.fn, m.column, rows)
	}
	rows = slices.DeleteFunc(rows, func(r worldRow) bool { return !w.passes(m, r) })
	name := m.metric.Name[len(m.table.name)+1:]
	switch name {
	case "total":
		return aggregated("sum", "amount", rows)
	case "number":
		return aggregated("count", "id", rows)
	case "mean", "rate":
		return aggregated("avg", "amount", rows)
	case "days":
		return aggregated("days", "day", rows)
	}
	return m.stock(w, a, rows)
}

// passes tells whether a row has the metric's own conditions.
func (w *world) passes(m askMeasure, r worldRow) bool {
	if m.metric.Filter["public."+m.table.name] != "" && !(askCond{op: ">", column: "amount", value: 2}).holds(r) {
		return false
	}
	for _, ref := range m.table.refs {
		if m.metric.Filter["public."+ref.to.name] == "" {
			continue
		}
		i := slices.IndexFunc(ref.to.rows, func(to worldRow) bool { return to["id"] == r[ref.column()] })
		if i < 0 || !(askCond{op: "<", column: "size", value: 3}).holds(ref.to.rows[i]) {
			return false
		}
	}
	return true
}

// stock is a sum where the plan groups by the day; else that of the last or first day within
// the plan's conditions on the table, in each month or half where it groups by those, or the average over the days.
func (m askMeasure) stock(w *world, a *ask, rows []worldRow) string {
	byDay := false
	var periods []askGroup
	for _, g := range a.groups {
		byDay = byDay || g.table == m.table && g.column == "day" && !g.month
		if g.table == m.table && (g.month || g.column == "half") {
			periods = append(periods, g)
		}
	}
	period := func(r worldRow) (key string) {
		for _, g := range periods {
			key += text(g.value(tuple{m.table: r}))
		}
		return key
	}
	rule := m.metric.Additivity.Time
	switch {
	case byDay:
		return aggregated("sum", "level", rows)
	case rule == "avg":
		return divided(aggregated("sum", "level", rows), aggregated("days", "day", rows))
	}
	picked := map[string]string{}
	for _, r := range m.table.rows {
		if !a.allows(m, r) {
			continue
		}
		key, day := period(r), r["day"].(string)
		if old, ok := picked[key]; !ok || rule == "last" && day > old || rule == "first" && day < old {
			picked[key] = day
		}
	}
	return aggregated("sum", "level", slices.DeleteFunc(rows, func(r worldRow) bool {
		return picked[period(r)] != r["day"]
	}))
}

// allows tells whether a row of the metric's table is within the conditions on that table.
func (a *ask) allows(m askMeasure, r worldRow) bool {
	for _, c := range a.where {
		if c.table == m.table && !c.holds(r) {
			return false
		}
	}
	for _, j := range a.joins {
		if j.to == m.table && j.where != nil && !j.where.holds(r) {
			return false
		}
	}
	return m.metric.Filter["public."+m.table.name] == "" || (askCond{op: ">", column: "amount", value: 2}).holds(r)
}

func aggregated(fn, column string, rows []worldRow) string {
	var values []int
	days := map[any]bool{}
	for _, r := range rows {
		if fn == "days" {
			days[r[column]] = true
		} else if v, ok := r[column].(int); ok {
			values = append(values, v)
		}
	}
	sum := 0
	for _, v := range values {
		sum += v
	}
	switch {
	case fn == "days":
		return fmt.Sprint(len(days))
	case fn == "count":
		return fmt.Sprint(len(values))
	case len(values) == 0:
		return "∅"
	case fn == "sum":
		return fmt.Sprint(sum)
	case fn == "avg":
		return divided(fmt.Sprint(sum), fmt.Sprint(len(values)))
	case fn == "min":
		return fmt.Sprint(slices.Min(values))
	}
	return fmt.Sprint(slices.Max(values))
}

// divided is a quotient; null where there is nothing to divide.
func divided(a, b string) string {
	var x, y float64
	if _, err := fmt.Sscan(a, &x); err != nil {
		return "∅"
	}
	if _, err := fmt.Sscan(b, &y); err != nil || y == 0 {
		return "∅"
	}
	return fmt.Sprintf("%.12f", x/y)
}

// rounded makes quotients of different scale equal.
func rounded(s string) string {
	var f float64
	if _, err := fmt.Sscan(s, &f); err != nil || !strings.Contains(s, ".") {
		return s
	}
	return trimZeros(strings.Replace(fmt.Sprintf("%.5f", f), "-0.00000", "0.00000", 1))
}

func text(v any) string {
	if v == nil {
		return "∅"
	}
	return fmt.Sprint(v)
}
