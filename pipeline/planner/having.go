package planner

import "github.com/pgask/pgask/pipeline/plan"

// having is a frame that counts rows which have so many of others: how many riders have more than 3
// rentals. They are listed by their key, and the list is counted.
func (f *frame) having() bool {
	return len(f.outs) == 1 && f.outs[0].fn == "count" && f.outs[0].table != nil && len(f.groups) == 0 && len(f.orders) == 0 && !f.each && f.both[0] == nil && f.except == nil &&
		len(f.linked) == 1 && f.linked[0].kind == "having" && f.linked[0].table != f.outs[0].table && len(f.outs[0].table.PrimaryKey) == 1
}

// havers reads the list and counts it.
func (q *question) havers(f frame) (out []reading, why []error) {
	o := f.outs[0]
	key := meaning{kind: aColumn, table: o.table, column: o.table.Column(o.table.PrimaryKey[0]), weight: 1}
	list := f
	list.outs = outsOf(&mention{at: o.spoken, n: 1, meanings: []meaning{key}, owner: o.table})
	rs, why := q.resolve(list)
	for _, r := range rs {
		p := &plan.Plan{Version: plan.Version, From: plan.Source{Plan: nested(r.plan), As: "each"},
			Select: []plan.Item{{Expr: plan.Expr{Aggregate: &plan.Aggregate{Func: "count"}}, As: o.table.Name.Table}}}
		w, err := worked(p, "", f, r)
		if err != nil {
			return out, append(why, err)
		}
		out = append(out, w)
	}
	return out, why
}

func outsOf(m *mention) []out { return []out{{col: m, spoken: m.at}} }
