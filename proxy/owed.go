package proxy

import (
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/redact"
)

// owedKind is which replies a client message is owed.
type owedKind byte

const (
	owesParse    owedKind = iota + 1 // '1'
	owesBind                         // '2'
	owesDescribe                     // statement: 't', then 'T' or 'n'
	owesColumns                      // portal: 'T' or 'n'
	owesExecute                      // rows or a copy, then 'C', 's' or 'I'
	owesClose                        // '3'
	owesSync                         // 'Z'
	owesQuery                        // its statements' replies, then 'Z'
	owesFunction                     // 'V', then 'Z'
	// owesCopyEnd is for CopyDone and CopyFail. They are owed nothing; they
	// mark which Syncs came during the copy, because Postgres ignores those.
	owesCopyEnd
)

// ready says that ReadyForQuery ends the replies.
func (k owedKind) ready() bool { return k == owesSync || k == owesQuery || k == owesFunction }

// owedReply is the replies that one client message is owed, and what to do
// with them.
type owedReply struct {
	kind owedKind
	// told hides the parameters in a ParameterDescription.
	told bool
	// ends marks the last message of a batch; push sets it.
	ends bool
	// change is undone when the message fails or is skipped.
	change *change
	// run watches an Execute's rows and a Bind's failure, runs the rows of a
	// Query's statements.
	run  *pipeline.Run
	runs []*pipeline.Run
	// renames are the changes by a Query's statements, nil where there is none.
	renames []*change
	// denial replaces the error that quotes its word.
	denial *pipeline.Denial
	// own is what the client said, for errors of Postgres's; nil for nothing that
	// is known.
	own *redact.Own
	// lent is for a message to a lent backend that isn't quite the client's.
	lent *lentReply
}

// bytes is about how much a reply that is owed will take: the texts that are
// kept for it, and with them its lines in the audit log.
func (r *owedReply) bytes() int {
	if r.own == nil || r.kind != owesQuery && r.kind != owesParse && r.kind != owesExecute {
		return 0
	}
	return len(r.own.Client) + len(r.own.Sent)
}

// chunkSize is how many replies a chunk of the queue holds: three kilobytes.
const chunkSize = 32

// maxOwed and maxOwedBytes bound the queue, and with it what a client's pipeline
// costs: the next message waits.
const (
	maxOwed      = 1 << 14
	maxOwedBytes = 4 << 20
)

type owedChunk struct {
	replies [chunkSize]owedReply
	next    *owedChunk
}

// owed is the exact order of what the client is owed: a queue from upstream,
// which calls push, to downstream, which calls head and pop. In the steady state
// it allocates nothing.
type owed struct {
	tail    *owedChunk // where push writes
	written int
	first   *owedChunk // where head reads
	read    int
	spare   *owedChunk

	bytes   int // of the replies in it
	pushed  uint64
	popped  uint64
	batches uint64 // ended batches
	settled uint64 // batches of which everything was popped
	open    bool   // the batch at hand has an extended message
	// skipping says that the rest of the batch that is being answered is skipped.
	skipping bool
}

func newOwed() *owed {
	c := &owedChunk{}
	return &owed{tail: c, first: c}
}

// push must come before the message is written.
func (q *owed) push(r owedReply) {
	if q.written == chunkSize {
		next := q.spare
		if q.spare = nil; next == nil {
			next = &owedChunk{}
		}
		q.tail.next = next
		q.tail, q.written = next, 0
	}
	r.ends = q.ends(r.kind)
	q.tail.replies[q.written] = r
	q.bytes += r.bytes()
	q.written++
	q.pushed++
}

// ends reports whether a message ends a batch: what comes behind is carried out
// whatever has become of what came before. A Sync always does. A Query does not
// behind extended messages without a Sync: if one of them fails, Postgres skips
// the Query and goes on skipping.
func (q *owed) ends(kind owedKind) bool {
	switch {
	case kind == owesSync, kind.ready() && !q.open:
		q.batches++
		q.open = false
		return true
	case kind != owesCopyEnd && !kind.ready():
		q.open = true
	}
	return false
}

// head is the reply that is due, nil when nothing is owed. It is valid until
// pop.
func (q *owed) head() *owedReply {
	if q.empty() {
		return nil
	}
	if q.read == chunkSize {
		done := q.first
		q.first, q.read = done.next, 0
		done.next = nil
		q.spare = done
	}
	return &q.first.replies[q.read]
}

// each visits the replies that are owed, in order.
func (q *owed) each(visit func(*owedReply)) {
	for c, i := q.first, q.read; c != nil; c, i = c.next, 0 {
		end := chunkSize
		if c == q.tail {
			end = q.written
		}
		for ; i < end; i++ {
			visit(&c.replies[i])
		}
	}
}

// pop takes the head off. failed says that the message did nothing.
func (q *owed) pop(failed bool) {
	r := q.head()
	if failed {
		r.lent.undo()
		r.change.undo()
		for _, c := range r.renames {
			c.undo()
		}
	}
	if r.ends {
		q.settled++
	}
	q.bytes -= r.bytes()
	*r = owedReply{} // nothing is kept alive
	q.read++
	q.popped++
}

// skips reports that the batch at hand has failed: whatever the client sends up
// to the next Sync does nothing.
func (q *owed) skips() bool { return q.settled == q.batches && q.skipping }

func (q *owed) empty() bool { return q.popped == q.pushed }

// full tells that the next message has to wait. What is skipped up to the next
// Sync is answered by that alone.
func (q *owed) full() bool {
	return (q.pushed-q.popped >= maxOwed || q.bytes >= maxOwedBytes) && !q.skips()
}

// isSettled reports whether the outcome of every message of the batch is known.
func (q *owed) isSettled(batch uint64) bool { return q.settled > batch }
