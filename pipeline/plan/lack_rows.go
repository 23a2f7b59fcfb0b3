package plan

// missing is one way in which rows may be lacking.
type missing struct {
	// cause is the outer joined relation whose row isn't visible, empty are those
	// that have no row then; without cause it is what derived blocks and sub-plans read.
	cause *rel
	empty map[*rel]bool
	// nothing tells that the block has no rows at all.
	nothing bool
	// hidden is a joined relation of whose rows some may be missing in every group, and with them
	// those that a filter looks for.
	hidden *rel
	// part is the part of hidden, a union, of which a group may have no row; nil for any.
	part *query
}

// lacks are the ways in which rows may be lacking in the block.
func (c *checker) lacks() []missing {
	out := []missing{{}}
	for i, r := range c.rels {
		if r.host != nil {
			continue
		}
		if r.outerJoined() && !r.added {
			if hidden := c.mayLack(r); hidden != nil {
				out = append(out, c.emptied(hidden, []*rel{r}))
			}
		}
		if r.kind == "right" || r.kind == "full" {
			if hidden := c.mayLackBefore(i); hidden != nil {
				out = append(out, c.emptied(hidden, c.rels[:i]))
			}
		}
	}
	for _, hidden := range c.fewer() {
		out = append(out, missing{hidden: hidden})
		for _, part := range hidden.parts() {
			out = append(out, missing{hidden: hidden, part: part})
		}
	}
	return out
}

// outerJoined tells whether its own join, or that of a relation which it joins to, may leave it
// without a row.
func (r *rel) outerJoined() bool {
	switch r.kind {
	case "left", "full":
		return true
	case "right":
		return false
	}
	return r.parent != nil && r.parent.outerJoined()
}

// emptied is the case that these relations have no row, since one of another is hidden,
// and none of those that join to them has.
func (c *checker) emptied(cause *rel, without []*rel) missing {
	m := missing{cause: cause, empty: map[*rel]bool{}}
	for _, r := range without {
		m.empty[r] = r.host == nil
	}
	for _, x := range c.rels { // parents come first
		if m.empty[x.parent] && x.kind != "right" && x.kind != "full" {
			m.empty[x] = true
		}
	}
	return m
}

// mayLackBefore is a relation whose hidden rows may be why a row of the i-th relation, which
// is right joined, has no partner: they all stand on the other side.
func (c *checker) mayLackBefore(i int) *rel {
	reached := map[*rel]bool{c.rels[i]: true}
	for grown := true; grown; {
		grown = false
		for _, x := range c.rels[:i+1] {
			if x.parent == nil || x.host != nil || reached[x] == reached[x.parent] {
				continue
			}
			step, next := x.joined(), x
			if reached[x] {
				step, next = step.reverse(), x.parent
			}
			if hidden := c.unseen(step); hidden != nil {
				return hidden
			}
			if x.where != nil {
				if hidden := c.unseenIn(x.where); hidden != nil {
					return hidden
				}
			}
			reached[next], grown = true, true
		}
	}
	return nil
}
