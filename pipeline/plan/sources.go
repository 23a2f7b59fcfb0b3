package plan

import (
	"fmt"
	"slices"
)

// accessible refuses to read a source in another way than it can be read: it is told before
// anything is paid for, what is missing, and which ways there are (binding patterns, as in
// Florescu and others).
func (c *checker) accessible(b *block) {
	for _, r := range c.rels {
		source := c.Semantic.Source(r.table.Name)
		if r.query != nil || source == nil || source.Access.Whole {
			continue
		}
		a := source.Access
		switch {
		case r.search != nil && a.BySearch:
		case len(a.ByKey) > 0 && c.bound(b, r, a.ByKey):
		default:
			c.faultf(stageAccess, CodeAccess, r.at, "%s can't be read like this: it is read %s", TableName(r.table.Name), source.Ways())
		}
	}
}

// bound tells whether each of a source's key columns is held to values: constants, or those of
// another relation's rows, which are looked up.
func (c *checker) bound(b *block, r *rel, key []string) bool {
	return !slices.ContainsFunc(key, func(column string) bool {
		joined := r.parent != nil && slices.Contains(r.ownColumns, column)
		for _, x := range c.rels {
			joined = joined || x.parent == r && x.kind == "inner" && slices.Contains(x.parentColumns, column) && c.Semantic.Source(x.table.Name) == nil
		}
		return !joined && !b.pinned(r, column) && !b.listed(r, column)
	})
}

// listed tells whether the block's where holds the column to a list of values.
func (b *block) listed(r *rel, column string) bool {
	if b.where == nil {
		return false
	}
	return slices.ContainsFunc(conjuncts(b.where), func(t *typed) bool {
		return t.expr.Op != nil && t.expr.Op.Op == "in" && t.sub == nil && t.parts[0].rel == r && t.parts[0].column.Name == column
	})
}

// partly says why only some rows of a relation can be seen.
func (r *rel) partly() string {
	if r.search != nil {
		return "only its nearest matches are looked at"
	}
	return "you may see only some of its rows"
}

// complete is the gate for measures over rows of which some may be lacking: counts and sums
// over what a search found, or over the first rows of a block, are lower bounds and say so; an
// average or a ratio of matches is not one of anything, and is refused.
func (c *checker) complete(q *query) {
	if q.b == nil {
		return
	}
	found := q.found()
	first := c.first()
	if found == nil && first == nil {
		return
	}
	if found != nil {
		c.qualify("based on %s", found)
	}
	uses := slices.Concat(c.sums, c.overWindow)
	if len(uses) == 0 {
		return
	}
	for _, u := range uses {
		if found == nil || u.bounds() {
			continue
		}
		f := c.faultf(stageGuarantee, CodeIncomplete, u.at, "%s over what a search found says nothing of all rows: %s", u.called(), found)
		f.Hint = "count the matches, or list them"
	}
	if found != nil {
		c.qualify("counts are lower bounds, and so are sums where nothing is negative")
		return
	}
	c.qualify("measured over the first %d rows of a block: of all of them, counts are lower bounds, and so are sums where nothing is negative", *first)
}

// found is the first search whose rows the query reads.
func (q *query) found() *search {
	for _, r := range q.reads() {
		if r.search != nil {
			return r.search
		}
	}
	return nil
}

func (s *search) String() string {
	text := fmt.Sprintf("the %d nearest matches of %q in %s", s.k, s.query, s.source.Name)
	if s.within > 0 {
		text += fmt.Sprintf(", at most %g away", s.within)
	}
	return text
}

// first is the limit of a derived block that the block reads; nil where none cuts.
func (c *checker) first() *int64 {
	for _, r := range c.rels {
		if r.query != nil && !r.query.single && r.query.c.given.Limit != nil {
			return r.query.c.given.Limit
		}
	}
	return nil
}

// bounds tells whether a measure over some of the rows bounds that of all of them.
func (u *measureUse) bounds() bool {
	if u.metric != nil {
		a := u.metric.Additivity
		return u.metric.Expr.GetFuncCall() != nil && (a.Kind == "additive" || a.Kind == "semi" && a.Time != "avg" && u.rel.search == nil)
	}
	return slices.Contains([]string{"count", "sum", "min", "max", "bool_or", "string_agg"}, u.name)
}

// called is how a message names a measure.
func (u *measureUse) called() string {
	if u.metric != nil {
		return "metric " + u.metric.Name
	}
	return u.name
}

// partial tells whether an answer is made of some of the rows only: what a search found, or
// measures over the first rows of a block.
func (k *run) partial() bool {
	return len(k.searches) > 0 || slices.ContainsFunc(k.queries, func(q *query) bool {
		return q.b != nil && len(q.c.sums)+len(q.c.overWindow) > 0 && q.c.first() != nil
	})
}

// linked is how sure it is that rows belong together: the product of what the links and
// the inferred relationships that the plan follows are sure of. The answer says which those are.
func (k *run) linked() float64 {
	sure := 1.0
	for _, q := range k.queries {
		for _, r := range q.c.rels {
			if r.key != nil && r.key.Inferred {
				sure *= r.key.Confidence
				k.qualify("joined by %s.%s = %s.%s, which no foreign key declares",
					TableName(r.key.From), Ident(r.key.FromColumns[0]), TableName(r.key.To), Ident(r.key.ToColumns[0]))
			}
			if r.key == nil || r.key.Method == "" {
				continue
			}
			sure *= r.key.Confidence
			k.qualify("rows of %s are linked to %s by %s (confidence %.0f %%): some may be linked wrongly",
				r.key.From.Table, r.key.To.Table, r.key.Method, 100*r.key.Confidence)
		}
	}
	return sure
}

// hops refuses a block that follows more links than a source of it allows.
func (c *checker) hops() {
	n := 0
	for _, r := range c.rels {
		if r.key == nil || r.key.Method == "" {
			continue
		}
		n++
		if source := c.Semantic.Source(r.key.From); source != nil && n > source.MaxHops {
			c.faultf(stageJoins, CodeJoin, r.at, "the plan follows %d links, %s allows %d, since each may be wrong", n, source.Name, source.MaxHops)
		}
	}
}
