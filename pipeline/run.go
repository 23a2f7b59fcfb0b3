package pipeline

import (
	"time"
)

// Run watches the replies of one statement on the downstream loop: it counts
// rows against the cap, and when the statement completes it corrects the tag
// and says what must be said. One goroutine uses it at a time.
type Run struct {
	// budget is shared by all executions that read the same result: a
	// portal's pieces, a cursor's fetches.
	budget *Budget
	// header rows of a COPY are not rows of the result.
	skip int64
	// session receives the receipt.
	finish  func(Outcome) []Notice
	started time.Time
	rows    int64
	cut     bool
}

// Budget is how many rows of one result may be shown.
type Budget struct {
	// Cap is the most rows to show, 0 for no cap. The statement itself was
	// given Cap+1, so that one more row proves a truncation.
	Cap  int64
	seen int64
}

// Outcome is how one execution ended.
type Outcome struct {
	Rows      int64
	Truncated bool
	// SQLState is empty for success.
	SQLState string
	Tag      string
}
