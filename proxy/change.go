package proxy

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
	// portal is what the change is a part of; nil for any other.
	portal *bound
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

// bytes is what the objects hold that the name stands for or did.
func (c *change) bytes() int {
	n := 0
	for ; c != nil; c = c.below {
		if c.to != nil {
			n += c.to.bytes
		}
	}
	return n
}

// standing is the change that counts, or the last that may not: those that have
// failed for sure are passed over.
func (c *change) standing(q *owed) *change {
	for c != nil && q.isSettled(c.batch) && c.failed() {
		c = c.below
	}
	return c
}

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
