package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// stockProducts refuses an average of a stock over several times, or of anything else that can't be
// added up, that is multiplied by how many rows there are: that is their sum in other words.
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
				return u.name == "avg" && u.arg != nil && counts(t.parts[1-i]) && (c.productOfStock(u, b, t.at) || c.productOfParts(u, b, t.at))
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

// productOfStock is that of a stock's column.
func (c *checker) productOfStock(u *measureUse, b *block, at string) bool {
	s := c.addedOver(u, b)
	if s == nil {
		return false
	}
	f := c.faultf(stageMeasures, CodeAdditivity, at,
		"%s is a stock: its average times a count is the sum of several %ss", ColumnName(s.rel.alias, u.argColumn()), s.over)
	f.Hint = fmt.Sprintf("use the metric %s, its value at the %s %s, or group by %s", s.metric.Name, timeOf(s.metric), s.over, s.over)
	return true
}

// productOfParts is that of what a block, a sub-plan or a window's groups measured.
func (c *checker) productOfParts(u *measureUse, b *block, at string) (found bool) {
	if u.window && b.grouped {
		stock := c.groupStock(u, b)
		if stock == nil {
			return false
		}
		f := c.faultf(stageMeasures, CodeAdditivity, at, "the values of %s for several times can't be added up: their average times a count is their sum", stock.what)
		f.Hint = "take the average alone"
		return true
	}
	u.arg.walk(func(x *typed) {
		stock := c.unaddable(u, b, x)
		if stock == nil || found {
			return
		}
		found = true
		f := c.faultf(stageMeasures, CodeAdditivity, at, "%s holds %s, whose values can't be added up here: its average times a count is their sum",
			cmp.Or(x.expr.Column, "the sub-plan"), stock.what)
		f.Hint = "take its average alone, or measure it in the block that shows it"
	})
	return found
}

// measures tells whether a measure in the expression is such, that of a window included.
func (t *typed) measures(is func(*measureUse) bool) bool {
	found := t.measure != nil && is(t.measure) || t.over != nil && is(t.over)
	return found || slices.ContainsFunc(t.parts, func(p *typed) bool { return p.measures(is) })
}
