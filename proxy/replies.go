package proxy

import (
	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/proxy/wire"
)

// replies follows what the backend answers against what is owed.
type replies struct {
	q *owed
	// loaded says that run is that of the reply at the head of q.
	loaded bool
	run    *pipeline.Run
	// statement is which statement of a Query is being answered.
	statement int
	// skipping is after an error in an extended batch: Postgres ignores every
	// message up to the next Sync.
	skipping bool
	// swallow says that what was answered last was a message of ours.
	swallow bool
	// copies counts copies from the client that the head has begun.
	copies int
}

// watching is the Run of the rows that are coming.
func (r *replies) watching() *pipeline.Run {
	if !r.loaded {
		r.load()
	}
	return r.run
}

func (r *replies) load() {
	head := r.q.head()
	r.loaded, r.run = head != nil, nil
	switch {
	case head == nil || r.skipping:
	case head.kind == owesExecute, head.kind == owesBind: // which brings no rows, but may fail
		r.run = head.run
	case head.kind == owesQuery && r.statement < len(head.runs):
		r.run = head.runs[r.statement]
	}
}

// due is the head of the queue for a reply other than ReadyForQuery.
func (r *replies) due() *owedReply {
	for {
		head := r.q.head()
		if head == nil || head.kind != owesCopyEnd {
			return head
		}
		r.pop(false)
	}
}

func (r *replies) pop(failed bool) {
	r.q.pop(failed)
	r.loaded, r.run = false, nil
}

// answered takes a reply that is not an error and not ReadyForQuery, and
// reports whether it was owed.
func (r *replies) answered(kind byte) bool {
	head := r.due()
	if head == nil || r.skipping {
		return false
	}
	if head.kind == owesQuery {
		return r.statementAnswered(kind)
	}
	switch replyTo(head.kind, kind) {
	case unowed:
		return false
	case more:
		if kind == wire.CopyInResponse {
			r.copies++
		}
	case last:
		copies := r.copies
		r.pop(false)
		r.endCopies(copies)
	}
	return true
}

// statementAnswered takes a reply to one of a Query's statements.
func (r *replies) statementAnswered(kind byte) bool {
	switch kind {
	case wire.CommandComplete, wire.EmptyQueryResponse:
		r.statement++
		r.loaded = false
	case wire.CopyInResponse:
		r.copies++
	case wire.RowDescription, wire.DataRow, wire.CopyOutResponse, wire.CopyBothResponse, wire.CopyData, wire.CopyDone:
	default:
		return false
	}
	return true
}

// answer is how a reply stands to a message.
type answer int

const (
	unowed answer = iota
	more
	last
)

// replyTo is the table of the extended protocol's replies (manual, "Message
// Flow").
func replyTo(owes owedKind, kind byte) answer {
	switch owes {
	case owesParse:
		return lastIf(kind == wire.ParseComplete)
	case owesBind:
		return lastIf(kind == wire.BindComplete)
	case owesClose:
		return lastIf(kind == wire.CloseComplete)
	case owesColumns:
		return lastIf(kind == wire.RowDescription || kind == wire.NoData)
	case owesDescribe:
		if kind == wire.ParameterDescription {
			return more
		}
		return lastIf(kind == wire.RowDescription || kind == wire.NoData)
	case owesExecute:
		switch kind {
		case wire.CommandComplete, wire.PortalSuspended, wire.EmptyQueryResponse:
			return last
		case wire.DataRow, wire.CopyInResponse, wire.CopyOutResponse, wire.CopyBothResponse, wire.CopyData, wire.CopyDone:
			return more
		}
	case owesFunction:
		if kind == wire.FunctionCallResponse {
			return more
		}
	}
	return unowed
}

func lastIf(fits bool) answer {
	if fits {
		return last
	}
	return unowed
}

// failed takes an ErrorResponse with that SQLSTATE. An error in an extended
// batch skips to the Sync; one of a Query or at the Sync itself is followed by
// its ReadyForQuery.
func (r *replies) failed(sqlstate string) {
	head := r.due()
	r.loaded, r.run = head != nil, nil
	if head != nil && !r.skipping {
		head.lent.failed()
	}
	if head != nil && !head.kind.ready() && !r.skipping {
		head.change.fail(sqlstate)
		r.skip(true)
	}
	if head != nil && head.kind == owesQuery {
		r.queryFailed(head, sqlstate)
	}
}

// queryFailed: the statement at hand failed, and nothing of the rest is run.
func (r *replies) queryFailed(head *owedReply, sqlstate string) {
	for i := r.statement; i < len(head.renames); i++ {
		if i == r.statement {
			head.renames[i].fail(sqlstate)
		}
		head.renames[i].undo()
	}
	r.statement = max(len(head.runs), len(head.renames))
}

func (r *replies) skip(on bool) {
	r.skipping = on
	r.q.skipping = on
}

// ready takes a ReadyForQuery and reports whether it was owed.
func (r *replies) ready() bool {
	if r.skipping {
		return r.skipped()
	}
	head := r.due()
	if head == nil || !head.kind.ready() {
		return false
	}
	copies := r.copies
	r.swallow = head.lent.isOurs()
	r.pop(false)
	r.statement = 0
	r.endCopies(copies)
	r.due() // ends of copies that failed
	return true
}

// skipped ends the skipping of a failed batch with the Sync's ReadyForQuery.
func (r *replies) skipped() bool {
	r.skip(false)
	r.statement = 0
	failedCopy := r.copies > 0
	r.copies = 0
	for head := r.q.head(); head != nil; head = r.q.head() {
		kind := head.kind
		r.swallow = head.lent.isOurs()
		r.pop(kind != owesSync)
		if kind != owesSync {
			continue
		}
		// A copy that failed while the client was sending has swallowed the
		// Syncs in front of its end; the one behind it brought this reply.
		if failedCopy && r.copyEndFollows() {
			failedCopy = false
			continue
		}
		return true
	}
	return false
}

// copyEndFollows reports whether the end of a copy and a Sync behind it are
// next.
func (r *replies) copyEndFollows() bool {
	head := r.q.head()
	return head != nil && head.kind == owesCopyEnd
}

// endCopies takes off what Postgres has swallowed during copies from the
// client that succeeded: Syncs, up to each copy's end.
func (r *replies) endCopies(copies int) {
	r.copies = 0
	for ; copies > 0; copies-- {
		for head := r.q.head(); head != nil; head = r.q.head() {
			kind := head.kind
			if kind != owesSync && kind != owesCopyEnd {
				return
			}
			r.pop(false)
			if kind == owesCopyEnd {
				break
			}
		}
	}
}

// abandon tells the Runs of what is still owed that the session is over, and
// what the backend has said about that. What Postgres was skipping has not run.
func (r *replies) abandon(sqlstate string) {
	skipping, statement := r.skipping, r.statement
	r.q.each(func(due *owedReply) {
		switch {
		case skipping:
			skipping = due.kind != owesSync
			return
		case due.kind == owesExecute && due.run != nil:
			due.run.Abandon(sqlstate)
		}
		for i := statement; i < len(due.runs); i++ {
			if run := due.runs[i]; run != nil {
				run.Abandon(sqlstate)
			}
		}
		statement = 0
	})
}
