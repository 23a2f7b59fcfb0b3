package proxy

import (
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/redact"
	"github.com/pgask/pgask/proxy/repeat"
	"github.com/pgask/pgask/proxy/transaction"
)

// object is what a prepared statement's or a portal's name stands for.
type object struct {
	// decision is the verdict of the Parse or PREPARE that made the statement.
	decision *pipeline.Decision
	// run watches the executions of a portal; denial replaces the error that
	// quotes its word; renames is what executing it does to statements' names;
	// begun is its first execution.
	run     *pipeline.Run
	denial  *pipeline.Denial
	renames *pipeline.NameChange
	own     *redact.Own
	begun   *change
	// statement is a prepared statement of a session whose backends are lent, rest
	// an unnamed one's Parse from its text on.
	statement *transaction.Statement
	rest      string
	// repeated is what the unnamed statement was executed by. absent: the backend
	// hasn't got the unnamed one itself, unless it gets that in the batch of the
	// number provided.
	repeated *repeat.Statement
	absent   bool
	provided uint64
	// clears: the text deallocates all statements.
	clears bool
	// bytes is what a statement's text and verdict hold, roughly.
	bytes int
}

// names is one of a session's name spaces: portals, or prepared statements,
// those of PREPARE and those of Parse.
type names struct {
	// unnamed is the last change of what has no name, by those of the names.
	unnamed *change
	by      map[string]*change
	// clears free every name but the unnamed one, oldest first; those that are
	// settled are gone from it, and floor is the order of the last that worked.
	clears []*change
	floor  uint64
	// order numbers the changes.
	order uint64
	// bytes is at least what the objects hold.
	bytes int
}

// Bounds of a name space: names, and the bytes of what they stand for.
const (
	maxNames     = 10_000
	maxNameBytes = 32 << 20
)

// last is the last change of a name, nil where there is nothing under it.
func (n *names) last(name []byte) *change {
	if len(name) == 0 {
		return n.unnamed
	}
	return n.by[string(name)]
}

// put makes it the last change of a name.
func (n *names) put(name []byte, c *change) {
	if len(name) == 0 {
		n.unnamed = c
		return
	}
	if n.by == nil {
		n.by = map[string]*change{}
	}
	n.by[string(name)] = c
}

// drop forgets the name.
func (n *names) drop(name []byte) {
	if len(name) == 0 {
		n.unnamed = nil
		return
	}
	delete(n.by, string(name))
}

// none reports whether there is nothing under any name.
func (n *names) none() bool { return n.unnamed == nil && len(n.by) == 0 }

// knows reports whether there may be something under the name.
func (n *names) knows(name []byte) bool { return n.last(name) != nil }

// full reports whether there is no room for the name to stand for more bytes.
func (n *names) full(name []byte, bytes int) bool {
	if n.bytes+bytes > maxNameBytes {
		n.count()
	}
	return n.bytes+bytes > maxNameBytes || (len(n.by) >= maxNames && !n.knows(name))
}

// count adds up what is still held; set only adds.
func (n *names) count() {
	n.bytes = n.unnamed.bytes()
	for _, c := range n.by {
		n.bytes += c.bytes()
	}
}

// set notes that a message that is about to be pushed gives the name to an
// object, or frees it.
func (n *names) set(name []byte, q *owed, to *object) *change {
	c := &change{}
	n.give(name, q, to, c)
	return c
}

// give is set by a change that the caller has made, and nobody has used.
func (n *names) give(name []byte, q *owed, to *object, c *change) {
	n.trim(q)
	below := n.last(name).standing(q)
	if below != nil && q.isSettled(below.batch) {
		below.below = nil
	}
	if to != nil {
		n.bytes += to.bytes
	}
	n.order++
	*c = change{batch: q.batches, order: n.order, to: to, below: below}
	n.put(name, c)
}

// clear notes that a message that is about to be pushed frees all names but
// the unnamed one: DEALLOCATE ALL and DISCARD ALL. It may return nil.
func (n *names) clear(q *owed) *change {
	n.trim(q)
	if len(n.by) == 0 {
		return nil
	}
	n.order++
	c := &change{batch: q.batches, order: n.order}
	n.clears = append(n.clears, c)
	return c
}

// trim forgets what settled clears have freed. Batches settle in their order.
func (n *names) trim(q *owed) {
	settled, floor := 0, n.floor
	for ; settled < len(n.clears) && q.isSettled(n.clears[settled].batch); settled++ {
		if c := n.clears[settled]; !c.failed() {
			floor = c.order
		}
	}
	if settled == 0 {
		return
	}
	if n.clears = n.clears[settled:]; len(n.clears) == 0 {
		n.clears = nil
	}
	if floor == n.floor {
		return
	}
	n.floor = floor
	for name, c := range n.by {
		if c.order < floor {
			delete(n.by, name)
		}
	}
}

// unsettled is a change whose outcome has to be known before the name can be
// looked up; nil when there is none.
func (n *names) unsettled(name []byte, q *owed) *change {
	c := n.last(name)
	if c == nil {
		return nil
	}
	if !c.known(q) {
		return c
	}
	if last := len(n.clears) - 1; last >= 0 && len(name) > 0 && !n.clears[last].known(q) {
		return n.clears[last]
	}
	return nil
}

// get looks the name up. It drops what can't come back.
func (n *names) get(name []byte, q *owed) *object {
	n.trim(q)
	last := n.last(name)
	c := last
	for c != nil && c.failed() {
		c = c.below
	}
	if c == nil {
		n.drop(name)
		return nil
	}
	if c != last {
		n.put(name, c)
	}
	settled := q.isSettled(c.batch)
	switch {
	case len(name) > 0 && c.order < n.cleared():
		return nil
	case c.to == nil || c.outcome == doubtful:
		if settled {
			n.drop(name)
		}
		return nil
	case settled:
		c.below = nil
	}
	return c.to
}

// cleared is the order of the last clear that hasn't failed.
func (n *names) cleared() uint64 {
	for i := len(n.clears) - 1; i >= 0; i-- {
		if !n.clears[i].failed() {
			return n.clears[i].order
		}
	}
	return n.floor
}
