package proxy

import "github.com/pgask/pgask/pipeline"

// bound is a portal with all that goes with it: the change that gives it its name,
// and its Run. That is one piece of memory, since each execution takes one.
type bound struct {
	object
	change change
	run    pipeline.Run
	name   string
}

// portal is the memory for the next portal of that name. Where the unnamed one is bound
// again and again that is what the last but one was: only the last can come back,
// and every reply that anything older was for has been read.
func (n *names) portal(name []byte, q *owed) *bound {
	if len(name) > 0 {
		return &bound{}
	}
	last := n.unnamed.standing(q)
	if last == nil || !q.isSettled(last.batch) || last.below == nil || last.below.portal == nil {
		return &bound{}
	}
	b := last.below.portal
	last.below = nil
	return b
}

// bind notes that a Bind that is about to be pushed gives the name to the portal.
func (n *names) bind(name []byte, q *owed, b *bound, o object) *change {
	b.object, b.name = o, string(name)
	n.give(name, q, &b.object, &b.change)
	b.change.portal = b
	return &b.change
}
