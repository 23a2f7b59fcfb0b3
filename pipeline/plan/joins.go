package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// edge is one way to join a source to a relation of the plan.
type edge struct {
	to      *rel
	key     *semantic.Relationship
	forward bool // to is the key's From side
	// parent and own are the columns that are held equal; on tells that no key
	// says them all.
	parent, own []string
	on          bool
}

var joinKinds = []string{"inner", "left", "right", "full", "semi", "anti"}

// from declares the first source.
func (c *checker) from() {
	f := &c.given.From
	if r := c.source(f, c.base+"/from"); r != nil {
		c.declare(r, f.As)
		return
	}
	c.breakAlias(f.Table, f.As)
}

// source resolves a table's name, with the search in it, or checks a derived block; nil after a fault.
func (c *checker) source(s *Source, at string) *rel {
	p, as := s.Plan, s.As
	if p == nil {
		t := c.table(s.Table, at+"/table")
		switch {
		case t == nil:
			return nil
		case s.Search != nil:
			return c.searched(t, s.Search, at)
		}
		return &rel{table: t, at: at}
	}
	if s.Table != "" || s.Search != nil {
		c.faultf(stageStructure, CodeOneOf, at, "a source is exactly one of table, which may be searched, and plan")
		return nil
	}
	if as == "" {
		f := c.faultf(stageStructure, CodeMissing, at, "a derived block has an alias: key \"as\" is missing")
		f.Repair = Repair{{"add", at + "/as", c.freshAlias("block")}}
		f.Safe = true
	}
	q := c.query(p, at+"/plan", nil, env{})
	if q == nil || as == "" {
		return nil
	}
	return &rel{table: q.table(), query: q, at: at}
}

// join declares the i-th joined source along a relationship. Joining by
// anything else, or a whole key by a part of it, can't be said.
func (c *checker) join(i int) {
	j := &c.given.Joins[i]
	at := fmt.Sprintf("%s/joins/%d", c.base, i)
	kind := j.Kind
	if kind == "" {
		kind = "inner"
	}
	if !slices.Contains(joinKinds, kind) {
		f := c.faultf(stageStructure, CodeChoice, at+"/kind", "a join is inner, left, right, full, semi or anti, not %s", j.Kind)
		f.Nearest = nearest(j.Kind, joinKinds)
		return
	}
	r := c.source(&Source{Table: j.Table, Plan: j.Plan, As: j.As, Search: j.Search}, at)
	if r == nil {
		return
	}
	e := c.edge(j, r, at)
	if e == nil {
		return
	}
	r.kind, r.parent, r.key, r.forward = kind, e.to, e.key, e.forward
	r.parentColumns, r.ownColumns, r.on = e.parent, e.own, e.on
	r.toOne, r.fromOne = r.unique(e.own, e.key != nil && e.forward), e.to.unique(e.parent, e.key != nil && !e.forward)
	if !r.toOne && !r.fromOne {
		f := c.faultf(stageJoins, CodeJoin, at, "joining %s to %s multiplies rows: neither has one row for each %s",
			r.name(j.As), e.to.alias, strings.Join(e.own, ", "))
		f.Hint = "group one of the two by what they are joined on"
	}
	r.host = e.to.host
	if r.exists() {
		r.host = r
	}
	c.outerJoin(r, j, at)
	c.declare(r, j.As)
	c.use(r.parent, r.parentColumns)
	c.use(r, r.ownColumns)
	if j.Where != nil {
		r.where = c.condition(j.Where, at+"/where", env{host: r.host})
	}
}

// outerJoin says which relations an outer join can leave without a row.
func (c *checker) outerJoin(r *rel, j *Join, at string) {
	r.nullable = r.kind == "left" || r.kind == "full" || r.kind != "right" && r.parent.nullable && r.host == r.parent.host
	if r.host != nil && (r.kind == "left" || r.kind == "right" || r.kind == "full") {
		c.faultf(stageStructure, CodeUnsupported, at+"/kind", "a %s join inside a semi or anti join changes nothing; leave it out", r.kind)
	}
	if r.kind != "right" && r.kind != "full" {
		return
	}
	if j.Where != nil {
		c.faultf(stageStructure, CodeUnsupported, at+"/where", "a %s join has no where of its own; put the condition into a derived block", r.kind)
	}
	for _, x := range c.rels {
		if x.host == nil {
			x.nullable = true
		}
	}
}

// unique tells whether the relation has at most one row for each value of the
// columns; end tells that they are the end of a relationship that points to it. A table
// that no key leads to may still be joined on its own: a block may show its key.
func (r *rel) unique(columns []string, end bool) bool {
	if r.query != nil {
		return r.query.uniqueOn(columns)
	}
	return end || slices.ContainsFunc(slices.Concat(r.table.Unique, [][]string{r.table.PrimaryKey}), func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(k string) bool { return !slices.Contains(columns, k) })
	})
}

// name is what a message calls a source that has no alias yet.
func (r *rel) name(as string) string {
	if as != "" {
		return as
	}
	return TableName(r.table.Name)
}

// edge picks the one way that connects a source to the plan.
func (c *checker) edge(j *Join, r *rel, at string) *edge {
	if len(j.On) > 0 {
		return c.onEdge(j, r, at)
	}
	targets := c.targets(j, at)
	if targets == nil {
		return nil
	}
	var found []edge
	for _, to := range targets {
		found = append(found, c.edges(to, r, j)...)
	}
	switch len(found) {
	case 1:
		return &found[0]
	case 0:
		if len(c.broken) > 0 && j.To == "" {
			return nil // it may have meant the table that isn't there
		}
		c.notDeclared(j, r, targets, at)
	default:
		f := c.faultf(stageJoins, CodeJoinAmbiguous, at, "%s can be joined in several ways; name one by to and key", r.name(j.As))
		for _, e := range found {
			f.Nearest = append(f.Nearest, fmt.Sprintf("to %s, key %s", e.to.alias, e.key.Name))
		}
	}
	return nil
}

// targets are the relations a join may mean by to.
func (c *checker) targets(j *Join, at string) []*rel {
	if j.To != "" {
		if parts, ok := splitName(j.To); ok && len(parts) == 1 {
			for _, r := range c.rels {
				if parts[0].is(r.alias) {
					return []*rel{r}
				}
			}
		}
		if c.broken[j.To] {
			return nil
		}
		f := c.faultf(stageNames, CodeAlias, at+"/to", "no table before this one is called %s", j.To)
		for _, r := range c.rels {
			f.Nearest = append(f.Nearest, r.alias)
		}
		return nil
	}
	var outer []*rel
	for _, r := range c.rels {
		if r.host == nil {
			outer = append(outer, r)
		}
	}
	return outer
}

// edges are the relationships between two sources that the join allows.
func (c *checker) edges(to, r *rel, j *Join) []edge {
	var out []edge
	for _, k := range c.followed(j.Key) {
		fromHere, okFrom := to.showing(k.From, k.FromColumns)
		toThere, okTo := r.showing(k.To, k.ToColumns)
		forward := okFrom && okTo
		toHere, okHere := to.showing(k.To, k.ToColumns)
		fromThere, okThere := r.showing(k.From, k.FromColumns)
		backward := okHere && okThere
		if forward && backward { // a table with itself
			forward, backward = !j.Reverse, j.Reverse
		}
		switch {
		case forward:
			out = append(out, edge{to, k, true, fromHere, toThere, false})
		case backward:
			out = append(out, edge{to, k, false, toHere, fromThere, false})
		}
	}
	return out
}

// followed are the relationships that a join may be along: the declared ones, or those that
// have the name it gives. What is inferred is followed by nobody who doesn't mean it.
func (c *checker) followed(key string) []*semantic.Relationship {
	if key == "" {
		return c.Semantic.Relationships
	}
	var out []*semantic.Relationship
	for _, k := range slices.Concat(c.Semantic.Relationships, c.Semantic.Inferred) {
		if k.Name == key {
			out = append(out, k)
		}
	}
	return out
}

// showing are the columns under which a source has those of a table of the catalog.
func (r *rel) showing(table catalog.Name, columns []string) ([]string, bool) {
	if r.query == nil {
		return columns, r.table.Name == table
	}
	var out []string
	for _, want := range columns {
		i := slices.IndexFunc(r.query.columns, func(col *outColumn) bool { return slices.Contains(col.traces, traceOf(table, want)) })
		if i < 0 {
			return nil, false
		}
		out = append(out, r.query.columns[i].name)
	}
	return out, true
}

// notDeclared says which relationships the table has.
func (c *checker) notDeclared(j *Join, r *rel, targets []*rel, at string) {
	what := "no declared relationship connects it to " + aliasList(targets)
	if j.Key != "" {
		what = fmt.Sprintf("no relationship %s connects it to %s", j.Key, aliasList(targets))
	}
	f := c.faultf(stageJoins, CodeJoin, at, "%s can't be joined: %s", r.name(j.As), what)
	for _, k := range c.Semantic.Relationships {
		if k.From == r.table.Name || k.To == r.table.Name {
			f.Nearest = append(f.Nearest, fmt.Sprintf("%s: %s → %s", k.Name, TableName(k.From), TableName(k.To)))
		}
	}
	if len(f.Nearest) > 8 {
		f.Nearest = f.Nearest[:8]
	}
	for _, to := range targets {
		if pairs := c.sharedColumns(to, r, j.As); len(pairs) > 0 {
			f.Hint = "join it on what both have"
			f.Repair = Repair{{"add", at + "/on", pairs}}
			return
		}
	}
}

func aliasList(rels []*rel) string {
	var names []string
	for _, r := range rels {
		names = append(names, r.alias)
	}
	return strings.Join(names, ", ")
}
