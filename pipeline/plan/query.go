package plan

import (
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// The limits of nesting.
const (
	maxQueries = 40
	maxNesting = 8
)

// run is what all blocks of one plan share while it is checked.
type run struct {
	Context
	faults     []*Rejection
	qualifiers []string
	// used are the columns that were read, by relation.
	used  map[*rel]map[string]bool
	nodes int
	// searches are those of all blocks, in the order in which they were found.
	searches []*search
	// newest are the periods that may be the latest one of a table's column.
	newest map[string]Period
	// cut is where the limit of the whole may part equals; nil where it can't.
	cut *cut
	// queries are the checked ones, what is inside before what holds it;
	// started counts those that were begun, depth those that are open.
	queries        []*query
	started, depth int
	// drilled are the blocks that were replaced by what they mean, unmeant counts those whose
	// meaning is wrong in itself.
	drilled []*drilled
	unmeant int
}

// query is a checked plan at any depth: a block, or a set operation.
type query struct {
	c       *checker
	b       *block        // nil for a set operation
	set     *setOperation // nil for a block
	columns []*outColumn
	// key are the columns of which no two rows hold the same; single tells that
	// there is at most one row.
	key    []string
	single bool
	// canonical is the plan with every name resolved and every default said,
	// without what only the outermost one has.
	canonical *Plan
	// tree is filled in when the query is compiled, and stands in the trees of
	// what holds it before that.
	tree *pg_query.Node
	// inside are the queries in it.
	inside []*query
	// described is what is known of its columns; nil before somebody asks.
	described []Output
}

// outColumn is a column of a query, as the block around it sees it.
type outColumn struct {
	name string
	typ  typ
	// source is the catalog's column where it is a plain one.
	source  *catalog.Column
	notNull bool
	// counts tells that it is a plain count of rows or values.
	counts bool
	// traces are what it stands for, for joins: the columns of the catalog that
	// hold the same values, or a calendar's periods.
	traces []string
	// lack is what it holds where a restricted row isn't visible: a count of
	// none, or a null where a left join found nothing.
	lack lack
	// stock is set where it is a measure that can't be added up over all rows.
	stock *stockColumn
}

// query checks a plan at any depth; nil where it can't be built upon. Outer is
// the block whose columns it may name, as an expression in env does.
func (k *run) query(p *Plan, at string, outer *checker, env env) *query {
	if k.started++; k.started > maxQueries || k.depth >= maxNesting {
		k.faultf(stageStructure, CodeTooLarge, at, "the plan is too large: at most %d blocks, %d deep", maxQueries, maxNesting)
		return nil
	}
	k.depth++
	defer func() { k.depth-- }()
	before, first, start := len(k.faults), len(k.queries), k.mark()
	if at != "" && p.Version != 0 && p.Version != Version {
		k.faultf(stageStructure, CodeVersion, at+"/version", "the plan language is version %d, not %d", Version, p.Version)
	}
	c := &checker{run: k, given: p, base: at, outer: outer, outerEnv: env, broken: map[string]bool{}}
	q := &query{c: c, tree: &pg_query.Node{}}
	if p.Set != nil {
		q.set = c.setOf(q)
	} else {
		c.structure()
		if len(k.faults) > before && k.faults[len(k.faults)-1].Code == CodeTooLarge {
			return nil
		}
		c.tables()
		c.drill = c.drills()
		q.b = c.block()
		if c.drill != nil {
			return k.drillAcross(c, q.b, start)
		}
		c.accessible(q.b)
		c.hops()
	}
	if !k.sound(start) {
		return nil
	}
	q.inside = slices.Clone(k.queries[first:])
	if q.b != nil {
		c.describe(q)
	}
	q.canonical = q.canonicalPlan()
	k.queries = append(k.queries, q)
	return q
}

// judge checks measures and guarantee.
func (q *query) judge() {
	if q.b != nil {
		q.c.measures(q.b)
	}
	q.c.guarantee(q)
	q.c.complete(q)
}

// compile fills in the tree, a copy of what the parts of the query are made of.
func (q *query) compile() {
	var n *pg_query.Node
	if q.set != nil {
		n = q.c.compileSet(q)
	} else {
		n = q.c.compile(q.b)
	}
	if q.c.fitsTree(n, maxQueryTree, q.c.base) {
		q.tree.Node = stmt.Clone(n).Node
	}
}

func (q *query) canonicalPlan() *Plan {
	if q.set != nil {
		return q.c.canonicalSet(q)
	}
	return q.c.canonical(q.b)
}

// bounded tells whether a limit cuts rows that no order chose.
func (q *query) bounded() bool {
	if q.set != nil {
		return q.c.given.Limit != nil && len(q.c.given.OrderBy) == 0
	}
	return q.b.bounded()
}

// tables are the relations of the catalog that the query itself reads.
func (q *query) tables() []*rel {
	var out []*rel
	for _, r := range q.c.rels {
		if r.query == nil {
			out = append(out, r)
		}
	}
	return out
}

// reads are the relations that it or anything in it reads.
func (q *query) reads() []*rel {
	out := q.tables()
	for _, x := range q.inside {
		out = append(out, x.tables()...)
	}
	return out
}

func (q *query) column(name string) *outColumn {
	i := slices.IndexFunc(q.columns, func(col *outColumn) bool { return col.name == name })
	if i < 0 {
		return nil
	}
	return q.columns[i]
}

// uniqueOn tells whether no two rows hold the same in all these columns.
func (q *query) uniqueOn(columns []string) bool {
	return q.single || q.key != nil && !slices.ContainsFunc(q.key, func(k string) bool { return !slices.Contains(columns, k) })
}

// describe says what the block around a block may know of its rows.
func (c *checker) describe(q *query) {
	b := q.b
	for _, o := range b.items {
		q.columns = append(q.columns, &outColumn{name: o.name, typ: o.typ, source: o.column, notNull: o.neverNull(), counts: o.counts(),
			traces: c.traces(o.typed), lack: c.lack(o.typed), stock: c.stockColumn(b, o.typed)})
	}
	q.single = b.limit != nil && *b.limit <= 1 || b.grouped && len(b.groups) == 0
	q.key = c.grain(b)
}

// grain are the output columns that tell the block's rows apart; nil where
// that isn't certain.
func (c *checker) grain(b *block) []string {
	switch {
	case b.grouped:
		key := []string{}
		for _, g := range b.groups {
			i := slices.IndexFunc(b.items, func(o *output) bool { return same(o.typed, g) })
			if i < 0 {
				key = nil
				break
			}
			key = append(key, b.items[i].name)
		}
		if key != nil {
			return key
		}
	default:
		for _, r := range c.finest() {
			if key := b.shows(r, r.ownKey()); key != nil {
				return key
			}
		}
	}
	if !b.given.Distinct {
		return nil
	}
	var all []string
	for _, o := range b.items {
		all = append(all, o.name)
	}
	return all
}

// ownKey is the relation's own key.
func (r *rel) ownKey() []string {
	if r.query != nil {
		return r.query.key
	}
	return r.table.PrimaryKey
}

// shows are the outputs that hold these columns of r; nil where one is missing.
func (b *block) shows(r *rel, columns []string) []string {
	var out []string
	for _, name := range columns {
		i := slices.IndexFunc(b.items, func(o *output) bool { return o.rel == r && o.column.Name == name })
		if i < 0 {
			return nil
		}
		out = append(out, b.items[i].name)
	}
	return out
}
