package pipeline

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pgask/pgask/policy"
)

// Run watches the replies of one execution in the downstream direction: it counts
// rows against the cap, and when the statement completes it corrects the tag
// and says what must be said. One goroutine uses it at a time.
type Run struct {
	// budget is shared by all executions that read the same result: a
	// portal's pieces, a cursor's fetches. Nil counts nothing.
	budget *Budget
	own    Budget // for what is read by this Run alone
	// resolve finds the budget when the first row arrives: a cursor may be
	// opened in the same message that fetches from it.
	resolve func() *Budget
	// skip is how many leading rows are no rows of the result (a COPY header).
	skip int64
	// finish takes the outcome of a completed or failed execution. It is one for
	// all Runs of a session: they are made for each execution.
	finish func(*Run, Outcome) []Notice
	// began is when the execution did.
	began time.Time
	rows  int64
	// of is the verdict that is executed, and origin, once it is known, the
	// prepared statement's that an EXECUTE shows.
	of, origin *verdict
	// planned tells that the first line of a plan has come.
	planned bool
	// tale is what the client is shown in the place of the row; nil for none.
	tale *Tale
	// request is the id of the execution at hand, empty until somebody asks.
	request string
}

// RequestID is what connects the execution at hand with the log, its receipt
// and its line in the audit log.
func (r *Run) RequestID() string {
	if r.request == "" {
		r.request = requestID()
	}
	return r.request
}

// Executes tells of an EXECUTE whose name isn't looked up yet.
func (r *Run) Executes() bool { return r.of != nil && r.of.facts.Tag == "EXECUTE" }

// Begin notes what an EXECUTE was found to run.
func (r *Run) Begin(e Execution) {
	r.origin = e.origin
	r.watch(e.origin)
}

// watch takes over how many rows of an answer that was prepared are shown.
func (r *Run) watch(origin *verdict) {
	if origin == nil {
		return
	}
	f := &origin.facts
	if f.Query != nil {
		f = f.Query
	}
	if f.Watched > 0 {
		r.own = Budget{Cap: f.Watched, watched: true}
		r.budget = &r.own
	}
}

// Budget is how many rows of one result may be shown. The statement itself was
// given Cap+1, so that one more row proves a truncation.
type Budget struct {
	Cap  int64
	seen int64
	cut  bool
	// watched tells that a row past Cap is one that ties with the last, not one of many.
	watched bool
	// spent shows no row at all, whatever the cap.
	spent bool
}

// Outcome is how one execution ended.
type Outcome struct {
	// Rows counts what the client was shown, over the whole result.
	Rows      int64
	Truncated bool
	// Tied tells that a row was left out that ties with the last.
	Tied bool
	// SQLState is empty for success.
	SQLState string
	// Tag is the corrected command tag.
	Tag string
	// Shown is how many of the rows this execution brought: others of the same
	// portal or cursor may have brought the rest.
	Shown int64
	// Suspended tells that a portal has more to give.
	Suspended bool
	// Unfinished tells that the session ended before the execution did.
	Unfinished bool
	// RequestID is what connects the execution with the log, empty until
	// somebody needs it.
	RequestID string
	// Tale is what the client was shown in the place of rows; nil for none.
	Tale *Tale
}

// of is how many rows the answer has, whether it was shown or told.
func (o *Outcome) of() int64 {
	if o.Tale != nil {
		return o.Tale.Rows
	}
	return o.Rows
}

// trailer is the size of what ends a binary COPY, in bytes. A row is larger,
// unless it has no columns.
const trailer = 2

// Row counts a row that arrived, of so many bytes, and reports whether the
// client may have it.
func (r *Run) Row(size int) bool {
	if size == trailer && r.of != nil && r.of.facts.CopyBinary {
		return true
	}
	if r.skip > 0 {
		r.skip--
		return true
	}
	if r.resolve != nil {
		r.budget, r.resolve = r.resolve(), nil
	}
	if r.budget == nil {
		r.rows++
		return true
	}
	if r.budget.spent || r.budget.Cap > 0 && r.budget.seen >= r.budget.Cap {
		r.budget.cut = true
		return false
	}
	r.budget.seen++
	r.rows++
	return true
}

// Plans tells that the rows are lines of a plan, of which the client may see those
// that Line says. An EXECUTE runs what was prepared by a message of its own.
func (r *Run) Plans() bool {
	return r.of != nil && r.of.facts.PlanTells || r.origin != nil && r.origin.facts.PlanTells
}

// Line takes the next line of a plan and reports whether the client may see it.
func (r *Run) Line(line []byte) bool {
	first := !r.planned
	r.planned = true
	return policy.ShowsPlanLine(line, first)
}

// Complete ends an execution: it returns the tag with the rows that were shown
// and the notices to send in front of it.
func (r *Run) Complete(tag string) (string, []Notice) {
	o := r.outcome()
	o.Tag = tag
	if o.Truncated || o.Tied {
		o.Tag = retag(tag, r.rows)
	}
	r.rows = 0
	if r.finish == nil {
		return o.Tag, nil
	}
	return o.Tag, r.finish(r, o)
}

// Suspend notes that a portal stopped at its row limit; the rest may follow.
func (r *Run) Suspend() {
	o := r.outcome()
	o.Suspended = true
	r.rows, r.tale = 0, o.Tale // whether that was cut is said at the end
	if r.finish != nil {
		r.finish(r, o)
	}
}

// Abandon notes that nobody will know how the execution ends: the session is
// over. The backend's SQLSTATE is empty where it gave none.
func (r *Run) Abandon(sqlstate string) {
	o := r.outcome()
	o.SQLState, o.Unfinished = sqlstate, true
	r.rows = 0
	if r.finish != nil {
		r.finish(r, o)
	}
}

// Fail ends an execution with the backend's SQLSTATE.
func (r *Run) Fail(sqlstate string) {
	o := r.outcome()
	o.SQLState = sqlstate
	r.rows = 0
	if r.finish != nil {
		r.finish(r, o)
	}
}

// outcome ends the execution at hand: what comes next is another request.
func (r *Run) outcome() Outcome {
	o := Outcome{Rows: r.rows, Shown: r.rows, RequestID: r.request}
	r.request = ""
	if r.budget != nil {
		o.Rows, o.Truncated, o.Tied = r.budget.seen, r.budget.cut && !r.budget.watched, r.budget.cut && r.budget.watched
	}
	if o.Tale = r.tale; o.Tale != nil {
		o.Truncated, o.Tied, r.tale = o.Truncated || o.Tale.Truncated, o.Tied || o.Tale.Tied, nil
	}
	return o
}

// retag puts the number of rows that were shown into a command tag, whose last
// word is the count (manual, "Message Formats", CommandComplete).
func retag(tag string, rows int64) string {
	i := strings.LastIndexByte(tag, ' ')
	if i < 0 {
		return tag
	}
	if _, err := strconv.ParseInt(tag[i+1:], 10, 64); err != nil {
		return tag
	}
	return fmt.Sprintf("%s %d", tag[:i], rows)
}
