package plan

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/stmt"
)

// windowNames are the functions that only a window has.
var windowNames = []string{"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value", "last_value"}

// windowFunc is what a window function takes.
type windowFunc struct {
	// min and max bound the number of arguments.
	min, max int
	// ordered tells that it needs an order, framed that it may have a frame,
	// and ties that it differs between rows that the order leaves equal.
	ordered, framed, ties bool
}

func windowFuncs() map[string]windowFunc {
	return map[string]windowFunc{
		"row_number": {0, 0, true, false, true}, "rank": {0, 0, true, false, false}, "dense_rank": {0, 0, true, false, false},
		"percent_rank": {0, 0, true, false, false}, "cume_dist": {0, 0, true, false, false}, "ntile": {1, 1, true, false, true},
		"lag": {1, 2, true, false, true}, "lead": {1, 2, true, false, true},
		"first_value": {1, 1, true, true, true}, "last_value": {1, 1, true, true, true},
		"count": {0, 1, false, true, false}, "sum": {1, 1, false, true, false}, "avg": {1, 1, false, true, false},
		"min": {1, 1, false, true, false}, "max": {1, 1, false, true, false},
	}
}

// window checks a window function. It is computed after grouping, so that it may
// be over the block's aggregates.
func (c *checker) window(e *Expr, at string, env env) *typed {
	at += "/window"
	w := e.Window
	if !c.mayWindow(at, env) {
		return nil
	}
	name := strings.ToLower(w.Func)
	f, known := windowFuncs()[name]
	if !known {
		c.noWindow(w, at)
		return nil
	}
	env.windows = false
	args, ok := c.exprs(w.Args, at+"/args", env)
	if n := len(w.Args); n < f.min || n > f.max {
		c.faultf(stageStructure, CodeArity, at+"/args", "%s takes %s, not %d", name, arguments(f.min, max(f.max, 1)), n)
		ok = false
	}
	partition, order, divided := c.divide(w, at, env)
	if f.ordered && len(w.OrderBy) == 0 {
		c.faultf(stageStructure, CodeMissing, at, "%s has an order: key \"order_by\" is missing", name)
		ok = false
	}
	if !c.frameFits(w, name, f, at) || !ok || !divided {
		return nil
	}
	result := c.windowArgs(name, args, at)
	if result.sql == "" {
		return nil
	}
	t := &typed{expr: Expr{Window: &Window{Func: name, Frame: w.Frame}}, typ: result, windowed: true}
	c.windowTree(t, name, f, args, partition, order)
	if slices.Contains(aggregateNames, name) {
		u := &measureUse{at: at, name: name, partition: partition, window: true}
		if len(args) > 0 {
			u.arg = args[0]
		}
		t.over, c.overWindow = u, append(c.overWindow, u)
	}
	return t
}

// mayWindow refuses windows where SQL has none.
func (c *checker) mayWindow(at string, env env) bool {
	if env.windows {
		return true
	}
	f := c.faultf(stageNames, CodeWindow, at, "window functions stand in select and order_by only, and not inside aggregates or each other")
	f.Hint = "select it in a derived block under a name, and use that name in the block around: a filter on a rank is that block's where"
	return false
}

func (c *checker) noWindow(w *Window, at string) {
	names := slices.Concat(windowNames, []string{"count", "sum", "avg", "min", "max"})
	f := c.faultf(stageStructure, CodeChoice, at+"/func", "there is no window function %s", w.Func)
	if f.Nearest = nearest(strings.ToLower(w.Func), names); len(f.Nearest) == 0 {
		f.Nearest = names
	}
}

// divide checks partition_by and order_by.
func (c *checker) divide(w *Window, at string, env env) (partition []*typed, order []*sortKey, ok bool) {
	ok = true
	for i := range w.PartitionBy {
		place := at + position(i, "partition_by")
		t := c.expr(&w.PartitionBy[i], place, env)
		if t != nil {
			t = c.settle(t)
		}
		switch {
		case t == nil:
			ok = false
		case !t.typ.comparable():
			c.faultf(stageNames, CodeType, place, "values of type %s can't be told apart", t.typ)
			ok = false
		default:
			partition = append(partition, t)
		}
	}
	for i := range w.OrderBy {
		key := c.plainKey(&w.OrderBy[i], at+position(i, "order_by"), env)
		if key == nil {
			ok = false
			continue
		}
		order = append(order, key)
	}
	return partition, order, ok
}

// maxFrame bounds a frame's ends.
const maxFrame = 1_000_000

func (c *checker) frameFits(w *Window, name string, f windowFunc, at string) bool {
	if w.Frame == nil {
		return true
	}
	at += "/frame"
	start, end := -maxFrame-1, maxFrame+1
	if w.Frame.Start != nil {
		start = *w.Frame.Start
	}
	if w.Frame.End != nil {
		end = *w.Frame.End
	}
	switch {
	case !f.framed:
		c.faultf(stageStructure, CodeUnsupported, at, "%s takes no frame", name)
	case w.Frame.Unit != "rows" && w.Frame.Unit != "groups":
		c.faultf(stageStructure, CodeChoice, at+"/unit", "a frame is of rows or groups, not %s", w.Frame.Unit)
	case len(w.OrderBy) == 0:
		c.faultf(stageStructure, CodeMissing, at, "a frame needs an order: key \"order_by\" is missing")
	case start > end || w.Frame.Start != nil && abs(start) > maxFrame || w.Frame.End != nil && abs(end) > maxFrame:
		c.faultf(stageStructure, CodeWrongShape, at, "a frame's start is not behind its end, and both are at most %d away", maxFrame)
	default:
		return true
	}
	return false
}

// windowArgs types a window function; an empty type means a fault was added.
func (c *checker) windowArgs(name string, args []*typed, at string) typ {
	switch name {
	case "row_number", "rank", "dense_rank":
		return typeBigint
	case "percent_rank", "cume_dist":
		return typeFloat
	case "ntile":
		if _, ok := c.digits(args[0], 1, 1<<20, "the number of buckets"); !ok {
			return typ{}
		}
		return typeInt
	case "lag", "lead", "first_value", "last_value":
		if len(args) == 2 {
			if _, ok := c.digits(args[1], 0, maxFrame, "how many rows away"); !ok {
				return typ{}
			}
		}
		if !c.settleAll(args[:1]) {
			return typ{}
		}
		return args[0].typ.unsized()
	}
	if len(args) == 0 {
		return typeBigint
	}
	return c.aggregateArg(name, args[0], false)
}

// windowTree builds the call and its canonical form.
func (c *checker) windowTree(t *typed, name string, f windowFunc, args, partition []*typed, order []*sortKey) {
	canonical := t.expr.Window
	def := &pg_query.WindowDef{FrameOptions: frameDefault}
	for _, a := range args {
		canonical.Args = append(canonical.Args, a.expr)
	}
	for _, p := range partition {
		canonical.PartitionBy = append(canonical.PartitionBy, p.expr)
		def.PartitionClause = append(def.PartitionClause, p.tree)
	}
	t.parts = append(t.parts, args...)
	t.parts = append(t.parts, partition...)
	for _, k := range order {
		canonical.OrderBy = append(canonical.OrderBy, Order{Expr: &k.expr, Desc: k.desc, Nulls: k.nulls})
		def.OrderClause = append(def.OrderClause, sortByNode(k.tree, k.desc, k.nullsNode()))
		t.parts = append(t.parts, k.typed)
	}
	frame := canonical.Frame
	if frame == nil && (name == "first_value" || name == "last_value") {
		frame = &Frame{Unit: "rows"} // of the whole partition, as the name says
	}
	frameClause(def, frame)
	if f.ties || frame != nil && frame.Unit == "rows" && len(order) > 0 {
		c.windows = append(c.windows, def)
	}
	call := &pg_query.FuncCall{Funcname: stmt.Names(name), Args: trees(args), AggStar: name == "count" && len(args) == 0,
		Funcformat: pg_query.CoercionForm_COERCE_EXPLICIT_CALL, Over: def}
	t.tree = &pg_query.Node{Node: &pg_query.Node_FuncCall{FuncCall: call}}
}

// breakTies adds the keys that tell rows apart to the orders of windows, so that
// the same question numbers the same rows alike.
func (c *checker) breakTies(b *block) {
	var keys []*pg_query.Node
	if b.grouped {
		for _, g := range b.groups {
			if g.typ.orderable() {
				keys = append(keys, g.tree)
			}
		}
	} else if finest := c.finest(); len(finest) > 0 {
		for _, column := range finest[0].ownKey() {
			keys = append(keys, columnNode(finest[0].alias, column))
		}
	}
	for _, w := range c.windows {
		for _, key := range keys {
			ordered := slices.ContainsFunc(w.OrderClause, func(n *pg_query.Node) bool { return stmt.Equal(n.GetSortBy().GetNode(), key) })
			if !ordered {
				w.OrderClause = append(w.OrderClause, sortByNode(key, false, pg_query.SortByNulls_SORTBY_NULLS_DEFAULT))
			}
		}
	}
}
