package proxy

import "github.com/pgask/pgask/pipeline"

// object is what a prepared statement's or a portal's name stands for.
type object struct {
	// decision is the verdict of the Parse that made the statement.
	decision *pipeline.Decision
	// run watches the executions of a portal; denial replaces the error that
	// quotes its word.
	run    *pipeline.Run
	denial *pipeline.Denial
	// bytes is what a statement's text and verdict hold, roughly.
	bytes int
}

// change is what a Parse, Bind, Close or Query does to a name. Whether
// Postgres did it is known when the batch that holds the message has been
// answered.
type change struct {
	// batch is how many batches had ended before it.
	batch uint64
	// failed is written by the downstream loop before the batch is settled,
	// and read by the upstream loop after that.
	failed bool
	// to is the name's object from then on, nil when the name is free.
	to *object
	// below is what held before, for as long as it may come back.
	below *change
	// also is a second change by the same message.
	also *change
}

func (c *change) undo() {
	for ; c != nil; c = c.also {
		c.failed = true
	}
}

// names is one of a session's name spaces: prepared statements or portals. The
// upstream loop owns it.
type names struct {
	by map[string]*change
	// bytes is at least what the objects hold.
	bytes int
}

// Bounds of a name space: names, and the bytes of what they stand for.
const (
	maxNames     = 10_000
	maxNameBytes = 32 << 20
)

// knows reports whether there may be something under the name.
func (n *names) knows(name []byte) bool {
	_, ok := n.by[string(name)]
	return ok
}

// full reports whether there is no room for the name to stand for more bytes.
func (n *names) full(name []byte, bytes int) bool {
	if n.bytes+bytes > maxNameBytes {
		n.count()
	}
	return n.bytes+bytes > maxNameBytes || (len(n.by) >= maxNames && !n.knows(name))
}

// count adds up what is still held; set only adds.
func (n *names) count() {
	n.bytes = 0
	for _, c := range n.by {
		for ; c != nil; c = c.below {
			if c.to != nil {
				n.bytes += c.to.bytes
			}
		}
	}
}

// set notes that a message that is about to be pushed gives the name to an
// object, or frees it.
func (n *names) set(name []byte, q *owed, to *object) *change {
	if n.by == nil {
		n.by = map[string]*change{}
	}
	below := n.by[string(name)]
	for below != nil && q.isSettled(below.batch) && below.failed {
		below = below.below
	}
	if below != nil && q.isSettled(below.batch) {
		below.below = nil
	}
	if to != nil {
		n.bytes += to.bytes
	}
	c := &change{batch: q.batches, to: to, below: below}
	n.by[string(name)] = c
	return c
}

// unsettled is the batch that has to be answered before the name can be looked
// up, if there is one. What the current batch has done to a name is taken as
// done: if it fails, the message that asks is skipped, too.
func (n *names) unsettled(name []byte, q *owed) (batch uint64, waits bool) {
	c := n.by[string(name)]
	if c == nil || c.batch == q.batches || q.isSettled(c.batch) {
		return 0, false
	}
	return c.batch, true
}

// get looks the name up. It drops what can't come back.
func (n *names) get(name []byte, q *owed) *object {
	c := n.by[string(name)]
	for c != nil && c.batch != q.batches && c.failed {
		c = c.below
	}
	switch {
	case c == nil:
		delete(n.by, string(name))
		return nil
	case c.batch == q.batches:
		n.by[string(name)] = c
		return c.to
	case c.to == nil:
		delete(n.by, string(name))
		return nil
	}
	c.below = nil
	n.by[string(name)] = c
	return c.to
}
