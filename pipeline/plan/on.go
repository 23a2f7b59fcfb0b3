package plan

import (
	"fmt"
	"slices"
	"strings"
)

// onEdge is the join that pairs of columns say: together they must be a whole
// relationship, or each must stand for the same thing on both sides.
func (c *checker) onEdge(j *Join, r *rel, at string) *edge {
	if j.Key != "" {
		f := c.faultf(stageStructure, CodeOneOf, at, "a join has a key or on, not both")
		f.Repair = Repair{{"remove", at + "/on", nil}}
		return nil
	}
	e := &edge{}
	ok := true
	for i, pair := range j.On {
		place := fmt.Sprintf("%s/on/%d", at, i)
		if len(pair) != 2 {
			c.faultf(stageStructure, CodeArity, place, "a pair is two columns: that of a source before, and that of this one")
			return nil
		}
		to, parent, own := c.pair(pair, j, r, place)
		if to == nil {
			ok = false
			continue
		}
		if e.to != nil && e.to != to {
			c.faultf(stageJoins, CodeJoin, place, "all pairs of a join lead to one source; %s is another than %s", to.alias, e.to.alias)
			return nil
		}
		e.to, e.parent, e.own = to, append(e.parent, parent), append(e.own, own)
	}
	if !ok || !c.comparableOn(e, r, at) {
		return nil
	}
	if to, _ := splitName(j.To); j.To != "" && (len(to) != 1 || !to[0].is(e.to.alias)) {
		f := c.faultf(stageJoins, CodeJoin, at+"/to", "the pairs lead to %s, not to %s", e.to.alias, j.To)
		f.Repair = Repair{{"replace", at + "/to", e.to.alias}}
		return nil
	}
	return c.provenOn(e, j, r, at)
}

// pair resolves the two columns of a pair, in either order.
func (c *checker) pair(pair []string, j *Join, r *rel, at string) (to *rel, parent, own string) {
	var names [2][]part
	for i, spelled := range pair {
		parts, ok := splitName(spelled)
		if !ok || len(parts) != 2 {
			c.faultf(stageNames, CodeColumn, fmt.Sprintf("%s/%d", at, i), "%q is not a column name: write alias.column", spelled)
			return nil, "", ""
		}
		names[i] = parts
	}
	as := j.As
	if as == "" {
		as = r.table.Name.Table
	}
	first, second := 0, 1
	if names[0][0].is(as) && c.visible(names[0][0], env{}) == nil {
		first, second = 1, 0
	}
	to = c.onSource(names[first][0], fmt.Sprintf("%s/%d", at, first))
	if to == nil {
		return nil, "", ""
	}
	if !names[second][0].is(as) {
		f := c.faultf(stageNames, CodeAlias, fmt.Sprintf("%s/%d", at, second), "one column of a pair is of the joined source, which is called %s", as)
		f.Nearest = []string{as}
		return nil, "", ""
	}
	a, b := findColumn(to.table, names[first][1]), findColumn(r.table, names[second][1])
	if a == nil {
		c.noColumn(pair[first], names[first][1], []*rel{to}, fmt.Sprintf("%s/%d", at, first))
	}
	if b == nil {
		named := *r
		named.alias = as
		c.noColumn(pair[second], names[second][1], []*rel{&named}, fmt.Sprintf("%s/%d", at, second))
	}
	if a == nil || b == nil {
		return nil, "", ""
	}
	return to, a.Name, b.Name
}

// onSource is the source before that a pair names; one inside an EXISTS counts too.
func (c *checker) onSource(p part, at string) *rel {
	for _, r := range c.rels {
		if p.is(r.alias) {
			return r
		}
	}
	if !c.broken[p.text] {
		f := c.faultf(stageNames, CodeAlias, at, "no source before this one is called %s", p.text)
		f.Nearest = nearest(p.text, c.aliases(env{}))
	}
	return nil
}

// comparableOn checks the types of pairs.
func (c *checker) comparableOn(e *edge, r *rel, at string) bool {
	for i := range e.own {
		a, b := c.columnOf(e.to, e.to.table.Column(e.parent[i])).typ, c.columnOf(r, r.table.Column(e.own[i])).typ
		if _, ok := common(a, b); !ok {
			c.faultf(stageNames, CodeType, fmt.Sprintf("%s/on/%d", at, i), "a comparison of %s and %s", a, b)
			return false
		}
	}
	return true
}

// provenOn tells that the pairs join what belongs together.
func (c *checker) provenOn(e *edge, j *Join, r *rel, at string) *edge {
	ways := append(c.edges(e.to, r, &Join{}), c.edges(e.to, r, &Join{Reverse: true})...)
	for _, found := range ways {
		rest, whole := without(e, &found)
		switch {
		case whole && len(rest) == 0:
			return &found // the key says it all
		case whole && c.sameThings(e, rest, r):
			e.key, e.forward, e.on = found.key, found.forward, true
			return e
		}
	}
	all := make([]int, len(e.own))
	for i := range all {
		all[i] = i
	}
	derived := e.to.query != nil || r.query != nil
	if derived && c.sameThings(e, all, r) {
		e.on = true
		return e
	}
	f := c.faultf(stageJoins, CodeJoin, at+"/on", "%s can't be joined on %s: the columns are neither the two ends of a declared relationship nor the same thing on both sides",
		r.name(j.As), strings.Join(e.own, ", "))
	for _, found := range ways {
		f.Nearest = append(f.Nearest, fmt.Sprintf("key %s", found.key.Name))
	}
	return nil
}

// without are the pairs of e that found doesn't hold; whole tells that all of
// found's are in e.
func without(e, found *edge) (rest []int, whole bool) {
	hits := 0
	for i := range e.own {
		if j := slices.Index(found.own, e.own[i]); j >= 0 && found.parent[j] == e.parent[i] {
			hits++
			continue
		}
		rest = append(rest, i)
	}
	return rest, hits == len(found.own)
}

// sameThings tells whether each of the pairs stands for the same thing on both sides.
func (c *checker) sameThings(e *edge, pairs []int, r *rel) bool {
	for _, i := range pairs {
		a, b := c.reached(e.to.traces(e.parent[i])), c.reached(r.traces(e.own[i]))
		if !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) }) {
			return false
		}
	}
	return true
}

// sharedColumns pairs the columns that stand for the same thing on both sides,
// where they make one row of either side meet at most one of the other.
func (c *checker) sharedColumns(to, r *rel, as string) [][]string {
	if to.query == nil || r.query == nil {
		return nil
	}
	var pairs [][]string
	var own, parent []string
	for _, a := range to.query.columns {
		for _, b := range r.query.columns {
			if a.name == b.name && slices.ContainsFunc(a.traces, func(s string) bool { return slices.Contains(b.traces, s) }) {
				pairs = append(pairs, []string{ColumnName(to.alias, a.name), ColumnName(as, b.name)})
				parent, own = append(parent, a.name), append(own, b.name)
			}
		}
	}
	if !to.query.uniqueOn(parent) || !r.query.uniqueOn(own) {
		return nil
	}
	return pairs
}
