package plan

import (
	"fmt"
	"slices"
)

// stockProducts refuses an average of a stock over several times that is multiplied by
// how many rows there are: that is their sum in other words.
func (c *checker) stockProducts(b *block) {
	visit := func(t *typed) {
		if op := t.expr.Op; op == nil || op.Op != "*" && op.Op != "/" {
			return
		}
		counts := func(p *typed) bool {
			return p.measures(func(u *measureUse) bool { return u.metric == nil && (u.name == "count" || u.name == "sum") })
		}
		for i, p := range t.parts {
			p.measures(func(u *measureUse) bool {
				s := c.addedOver(u, b)
				if u.name != "avg" || s == nil || !counts(t.parts[1-i]) {
					return false
				}
				f := c.faultf(stageMeasures, CodeAdditivity, t.at,
					"%s is a stock: its average times a count is the sum of several %ss", ColumnName(s.rel.alias, u.argColumn()), s.over)
				f.Hint = fmt.Sprintf("use the metric %s, its value at the %s %s, or group by %s", s.metric.Name, timeOf(s.metric), s.over, s.over)
				return true
			})
		}
	}
	for _, o := range b.items {
		o.typed.walk(visit)
	}
	for _, k := range b.order {
		k.typed.walk(visit)
	}
	if b.having != nil {
		b.having.walk(visit)
	}
}

// measures tells whether a measure in the expression is such.
func (t *typed) measures(is func(*measureUse) bool) bool {
	found := t.measure != nil && is(t.measure)
	return found || slices.ContainsFunc(t.parts, func(p *typed) bool { return p.measures(is) })
}
