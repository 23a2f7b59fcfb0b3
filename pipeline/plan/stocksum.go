package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/semantic"
)

// stockColumns refuses a sum over the column of a stock across the time that
// it must not be added over: twelve month-ends don't make a year.
func (c *checker) stockColumns(u *measureUse, b *block) {
	if u.name == "avg" && u.arg != nil {
		c.averagesOfParts(u)
	}
	if u.name != "sum" || u.arg == nil {
		return
	}
	if r := u.arg.rel; r != nil && r.query == nil && !c.Semantic.Additive(r.table.Name, u.arg.column.Name) {
		f := c.faultf(stageMeasures, CodeAdditivity, u.at, "the values of %s can't be added up: semantic.yaml says that it isn't additive", u.arg.expr.Column)
		f.Hint = "take its average"
		if !u.window {
			f.Repair = Repair{{"replace", u.at + "/func", "avg"}}
		}
		return
	}
	c.derivedStocks(u, b)
	if s := c.addedOver(u, b); s != nil {
		c.refuseSum(u, s)
	}
}

// stockSum is a stock whose values of several times an aggregate puts together.
type stockSum struct {
	metric *semantic.Metric
	rel    *rel
	// over is the column of the times.
	over string
}

// addedOver is the stock that the aggregate's argument reads and whose time neither
// groups nor conditions nor the window hold fixed; nil where there is none.
func (c *checker) addedOver(u *measureUse, b *block) *stockSum {
	if u.arg == nil {
		return nil
	}
	for _, m := range c.Semantic.Metrics {
		if m.Additivity.Kind != "semi" {
			continue
		}
		for r := range u.arg.relations() {
			if r.table.Name != m.Table || !c.touches(u.arg, r, semantic.Columns(m.Expr)) {
				continue
			}
			for _, over := range m.Additivity.NotOver {
				if !b.groupedBy(r, over) && !b.pinned(r, over) && !u.partitionedBy(r, over) {
					return &stockSum{m, r, over}
				}
			}
		}
	}
	return nil
}

// partitionedBy tells whether the window is divided by the column itself.
func (u *measureUse) partitionedBy(r *rel, column string) bool {
	return slices.ContainsFunc(u.partition, func(t *typed) bool { return t.rel == r && t.column.Name == column })
}

// touches tells whether the expression reads one of the columns of r.
func (c *checker) touches(t *typed, r *rel, columns []string) bool {
	found := false
	t.walk(func(x *typed) {
		found = found || x.rel == r && slices.Contains(columns, x.column.Name)
	})
	return found
}

func (c *checker) refuseSum(u *measureUse, s *stockSum) {
	f := c.faultf(stageMeasures, CodeAdditivity, u.at,
		"%s is a stock: its values of several %ss can't be added up", ColumnName(s.rel.alias, u.argColumn()), s.over)
	f.Hint = fmt.Sprintf("use the metric %s, its value at the %s %s, or group by %s", s.metric.Name, timeOf(s.metric), s.over, s.over)
	if u.arg.rel != nil && !u.window && u.filter == nil { // a metric has no filter that could be kept
		f.Repair = Repair{{"replace", strings.TrimSuffix(u.at, "/aggregate"), Expr{Metric: s.metric.Name}}}
	}
}

func (u *measureUse) argColumn() string {
	name := ""
	u.arg.walk(func(x *typed) {
		if x.column != nil && name == "" {
			name = x.column.Name
		}
	})
	return name
}

func timeOf(m *semantic.Metric) string {
	if m.Additivity.Time == "" {
		return "last"
	}
	return m.Additivity.Time
}
