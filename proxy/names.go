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
	by map[string]*change
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
	n.trim(q)
	if n.by == nil {
		n.by = map[string]*change{}
	}
	below := n.by[string(name)]
	for below != nil && q.isSettled(below.batch) && below.failed() {
		below = below.below
	}
	if below != nil && q.isSettled(below.batch) {
		below.below = nil
	}
	if to != nil {
		n.bytes += to.bytes
	}
	n.order++
	c := &change{batch: q.batches, order: n.order, to: to, below: below}
	n.by[string(name)] = c
	return c
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
		if name != "" && c.order < floor {
			delete(n.by, name)
		}
	}
}

// unsettled is a change whose outcome has to be known before the name can be
// looked up; nil when there is none.
func (n *names) unsettled(name []byte, q *owed) *change {
	c := n.by[string(name)]
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
	last := n.by[string(name)]
	c := last
	for c != nil && c.failed() {
		c = c.below
	}
	if c == nil {
		delete(n.by, string(name))
		return nil
	}
	if c != last {
		n.by[string(name)] = c
	}
	settled := q.isSettled(c.batch)
	switch {
	case len(name) > 0 && c.order < n.cleared():
		return nil
	case c.to == nil || c.outcome == doubtful:
		if settled {
			delete(n.by, string(name))
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

// change is what a message, or a statement of a Query, does to a name, or to
// all of them. Whether Postgres did it is known when it has been answered.
type change struct {
	// batch is how many batches had ended before it.
	batch uint64
	// answered, unless 0, is how many replies are popped when a statement of a
	// Query has been answered: what follows a Query in its batch is carried out
	// even where the Query failed.
	answered uint64
	// order is its place among the changes of its name space.
	order   uint64
	outcome outcome
	// to is the name's object from then on, nil when the name is free.
	to *object
	// below is what held before, for as long as it may come back.
	below *change
	// also is a second change by the same message.
	also *change
}

// outcome is what became of a change. What was cut short may have been done and may not:
// nothing is known by the name then.
type outcome byte

// Outcomes.
const (
	done outcome = iota
	undone
	doubtful
)

func (c *change) failed() bool { return c.outcome == undone }

// known reports whether the outcome is known. What the batch at hand does is
// taken as done: if it fails, the message that asks is skipped, too.
func (c *change) known(q *owed) bool {
	switch {
	case q.isSettled(c.batch):
		return true
	case c.batch != q.batches:
		return false
	}
	return c.answered == 0 || q.popped >= c.answered || q.skips()
}

// undo notes that nothing was done.
func (c *change) undo() { c.end(undone) }

// fail notes what an error with that SQLSTATE means.
func (c *change) fail(sqlstate string) {
	if before(sqlstate) {
		c.end(undone)
		return
	}
	c.end(doubtful)
}

func (c *change) end(as outcome) {
	for ; c != nil; c = c.also {
		if c.outcome == done {
			c.outcome = as
		}
	}
}

// before tells of errors that Postgres raises before a statement has changed a
// name, by their class: those about the statement, the name, the transaction's
// state. A cancelled or conflicting one can fail after that.
func before(sqlstate string) bool {
	if len(sqlstate) != 5 {
		return false
	}
	switch sqlstate[:2] {
	case "08", "0A", "22", "25", "26", "34", "3D", "3F", "42", "54", "55":
		return true
	}
	return false
}
