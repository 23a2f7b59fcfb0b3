package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// block is the checked outer block, expressions in the plan's order.
type block struct {
	where, having *typed
	items         []*output
	// groups are the groupings: what select holds unaggregated, then those
	// of group_by. grouped tells whether the block groups at all.
	groups  []*typed
	extra   []*typed // those of group_by alone
	grouped bool
	order   []*sortKey
	limit   *int64
	offset  *int64
	given   *Plan
}

// output is one output column.
type output struct {
	*typed
	name string
	// brought is the type that a set operation casts it to, "" for its own.
	brought string
}

// sortKey is one sort key; item is set where it is an output column.
type sortKey struct {
	*typed
	item  *output
	desc  bool
	nulls string
}

// block checks everything behind the joins.
func (c *checker) block() *block {
	b := &block{given: c.given, limit: c.given.Limit, offset: c.given.Offset}
	if c.given.Where != nil {
		b.where = c.condition(c.given.Where, c.base+"/where", env{})
	}
	for i := range c.given.Select {
		at := c.base + position(i, "select")
		t := c.expr(&c.given.Select[i].Expr, at+"/expr", env{measures: true, windows: true})
		if t != nil {
			t = c.settle(t)
		}
		if t != nil {
			b.items = append(b.items, &output{typed: t, name: c.given.Select[i].As})
			if c.given.Distinct && !t.typ.comparable() {
				c.faultf(stageNames, CodeType, at+"/expr", "values of type %s can't be told apart, so that there are no distinct ones", t.typ)
			}
		}
	}
	c.nameOutputs(b)
	if c.given.Having != nil {
		b.having = c.condition(c.given.Having, c.base+"/having", env{measures: true})
	}
	c.orderBy(b)
	c.grouping(b)
	c.groups, c.where = b.groups, b.where
	return b
}

// nameOutputs gives every output column a name of its own.
func (c *checker) nameOutputs(b *block) {
	taken := map[string]bool{}
	for _, o := range b.items {
		if o.name == "" {
			continue
		}
		if len(o.name) > 63 {
			c.faultf(stageStructure, CodeWrongShape, o.at, "output name %.20s… is longer than 63 bytes", o.name)
		}
		if taken[o.name] {
			c.faultf(stageNames, CodeOutput, o.at, "two output columns are called %s", o.name)
		}
		taken[o.name] = true
	}
	for _, o := range b.items {
		if o.name != "" {
			continue
		}
		o.name = defaultName(o.typed)
		if taken[o.name] && o.rel != nil {
			o.name = o.rel.alias + "_" + o.column.Name
		}
		for base, i := o.name, 2; taken[o.name]; i++ {
			o.name = base + "_" + strconv.Itoa(i)
		}
		taken[o.name] = true
	}
}

func defaultName(t *typed) string {
	e := t.expr
	switch {
	case t.column != nil:
		return t.column.Name
	case e.Metric != "":
		return e.Metric
	case e.Dimension != "":
		return dimensionName(t)
	case e.Aggregate != nil:
		return e.Aggregate.Func
	case e.Call != nil && e.Call.Unit != "":
		return e.Call.Unit
	case e.Call != nil:
		return e.Call.Func
	case e.Window != nil:
		return e.Window.Func
	case e.Date != nil:
		return "date"
	}
	return "value"
}

// orderBy resolves sort keys: an output column's name, or an expression.
func (c *checker) orderBy(b *block) {
	for i := range c.given.OrderBy {
		given := &c.given.OrderBy[i]
		at := c.base + position(i, "order_by")
		key := c.sortKey(b, given, at)
		if key == nil {
			continue
		}
		key.desc = given.Desc
		if !c.keyNulls(key, given, at) {
			continue
		}
		if c.given.Distinct && key.item == nil {
			c.faultf(stageNames, CodeGrouping, at, "with distinct, rows are ordered by output columns only")
			continue
		}
		b.order = append(b.order, key)
	}
}

func (c *checker) sortKey(b *block, given *Order, at string) *sortKey {
	if (given.Expr == nil) == (given.Item == "") {
		c.faultf(stageStructure, CodeOneOf, at, "a sort key is exactly one of expr and item")
		return nil
	}
	if given.Item != "" {
		var names []string
		for _, o := range b.items {
			if o.name == given.Item {
				return &sortKey{typed: o.typed, item: o}
			}
			names = append(names, o.name)
		}
		if len(b.items) == len(c.given.Select) { // else its item is faulty itself
			f := c.faultf(stageNames, CodeItem, at+"/item", "there is no output column %s", given.Item)
			f.Nearest = nearest(given.Item, names)
		}
		return nil
	}
	t := c.expr(given.Expr, at+"/expr", env{measures: true, windows: true})
	if t != nil {
		t = c.settle(t)
	}
	if t == nil {
		return nil
	}
	for _, o := range b.items {
		if same(o.typed, t) {
			return &sortKey{typed: o.typed, item: o}
		}
	}
	return &sortKey{typed: t}
}

// keyNulls checks where a key puts nulls, and that it orders.
func (c *checker) keyNulls(key *sortKey, given *Order, at string) bool {
	key.nulls = given.Nulls
	switch {
	case given.Nulls != "" && given.Nulls != "first" && given.Nulls != "last":
		c.faultf(stageStructure, CodeChoice, at+"/nulls", "nulls are first or last, not %s", given.Nulls)
	case key.constant():
		c.faultf(stageStructure, CodeUnsupported, at, "a constant orders nothing; leave it out")
	case !key.typ.orderable():
		c.faultf(stageNames, CodeType, at, "values of type %s have no order", key.typ)
	default:
		return true
	}
	return false
}

// same tells whether two checked expressions say the same.
func same(a, b *typed) bool { return keyOf(a) == keyOf(b) }

func keyOf(t *typed) string {
	b, err := json.Marshal(t.expr)
	if err != nil {
		panic("plan: " + err.Error()) // canonical expressions hold only strings, numbers and booleans
	}
	return string(b)
}

// grouping decides what the block groups by and refuses columns that are
// neither grouped nor aggregated.
func (c *checker) grouping(b *block) {
	b.grouped = len(c.given.GroupBy) > 0 || b.aggregates()
	if !b.grouped {
		return
	}
	for _, o := range b.items {
		if !o.aggregated() && !o.overWindow() {
			c.group(b, o.typed)
		}
	}
	for i := range c.given.GroupBy {
		t := c.expr(&c.given.GroupBy[i], c.base+position(i, "group_by"), env{})
		if t == nil || t.constant() {
			continue
		}
		if c.group(b, t) {
			b.extra = append(b.extra, t)
		}
	}
	for _, o := range b.items {
		c.demandGrouped(b, o.typed)
	}
	if b.having != nil {
		c.demandGrouped(b, b.having)
	}
	for _, k := range b.order {
		c.demandGrouped(b, k.typed)
	}
}

// aggregates tells whether the block groups without a group_by.
func (b *block) aggregates() bool {
	return b.having != nil || slices.ContainsFunc(b.items, func(o *output) bool { return o.aggregated() }) ||
		slices.ContainsFunc(b.order, func(k *sortKey) bool { return k.aggregated() })
}

// constant tells whether an expression reads no column.
func (t *typed) constant() bool {
	return len(t.relations()) == 0 && !t.aggregated() && !t.overWindow()
}

// group adds a grouping, once.
func (c *checker) group(b *block, t *typed) bool {
	if t.constant() || slices.ContainsFunc(b.groups, func(g *typed) bool { return same(g, t) }) {
		return false
	}
	if !t.typ.comparable() {
		c.faultf(stageNames, CodeType, t.at, "values of type %s can't be grouped by", t.typ)
		return false
	}
	b.groups = append(b.groups, t)
	return true
}

// demandGrouped refuses a column that stands outside aggregates and groupings.
func (c *checker) demandGrouped(b *block, t *typed) {
	if t.measure != nil || t.metric != nil || slices.ContainsFunc(b.groups, func(g *typed) bool { return same(g, t) }) {
		return
	}
	if t.rel != nil {
		f := c.faultf(stageNames, CodeGrouping, t.at, "column %s is neither grouped by nor inside an aggregate", t.expr.Column)
		f.Repair = c.addGroup(t.expr)
		return
	}
	if t.expr.Dimension != "" {
		c.demandDimension(b, t)
		return
	}
	for _, p := range t.parts {
		c.demandGrouped(b, p)
	}
}

// demandDimension refuses a dimension that isn't grouped by, nor are all of its columns.
func (c *checker) demandDimension(b *block, t *typed) {
	if !slices.ContainsFunc(t.parts, func(p *typed) bool {
		return !slices.ContainsFunc(b.groups, func(g *typed) bool { return same(g, p) })
	}) {
		return
	}
	f := c.faultf(stageNames, CodeGrouping, t.at, "dimension %s is neither grouped by nor inside an aggregate", t.expr.Dimension)
	f.Repair = c.addGroup(t.expr)
}

// bounded tells whether a limit cuts rows that no order chose.
func (b *block) bounded() bool {
	return b.limit != nil && len(b.given.OrderBy) == 0 && (!b.grouped || len(b.groups) > 0)
}

func (o *output) String() string { return fmt.Sprintf("%s (%s)", o.name, o.typ) }
