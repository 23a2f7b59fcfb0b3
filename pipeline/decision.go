package pipeline

import "github.com/pgask/pgask/pipeline/redact"

// Decision is what one message's statement text became.
type Decision struct {
	// Untouched says that the client's own frame goes through as it came;
	// nothing else is set then, except Runs where something follows the
	// statement's completion.
	Untouched bool
	// Text replaces the statement text: approved SQL, or the planted word.
	Text string
	// Denial is set when Text is a planted word.
	Denial *Denial
	// Runs has one entry for each statement of Text, in order; an entry is nil
	// where nothing is counted or said. For a Parse it is the template that
	// Bind makes executions of.
	Runs []*Run
	// Renames is what each statement of a Query does to the names of prepared
	// statements when it completes; an entry is nil for nothing, and so may be
	// the whole.
	Renames []*NameChange
	// Told says that a Parse's Text has one parameter of our own ($1, json in
	// text form) that the client must not see: ParameterDescription is shown
	// with none, and Bind gets the value from Binding.
	Told bool
	// Repeats, unless 0, says that Text is one query that gives the same whether it
	// is sent each time or prepared once. It numbers what Text was judged by.
	Repeats uint64
	// Alters says that behind the message that doesn't hold for what was prepared
	// before: it changes a setting, or deallocates. For a Parse it is the execution
	// that does.
	Alters bool
	// Own is what the client said and what was sent instead, for errors of
	// Postgres's; nil for Untouched.
	Own *redact.Own

	// verdict and source are what Bind needs of a Parse.
	verdict *verdict
	source  source
}

// Denial is a refused statement: its planted word and the error in its place.
type Denial struct {
	// Word is denied_ and 32 hex digits. Postgres's complaint quotes it.
	Word string
	// Err is shown to the client. It has SQLState, and may have Detail and Hint.
	Err error
	// receipt of the refusal, for when the client gets it; nil for none.
	receipt func()
}

// Shown says that Err goes to the client, on the loop that reads the backend:
// a refusal that Postgres skipped, because something before it failed, never
// was the session's last statement.
func (d *Denial) Shown() {
	if d.receipt != nil {
		d.receipt()
	}
}

// Binding is what one Bind of a prepared statement became.
type Binding struct {
	// Denial, when set: the Bind names the word as its statement.
	Denial *Denial
	// Value is the told statement's parameter, in text form.
	Value string
	// Run watches the executions of the portal; nil where nothing is counted.
	Run *Run
	// Renames is what executing the portal does to the names of prepared
	// statements; nil for nothing.
	Renames *NameChange
}

// Execution is what the execution of a portal became whose statement is an
// EXECUTE.
type Execution struct {
	// Denial, when set: the Execute names the word as its portal.
	Denial *Denial
	// Trap is what the statement that runs raises when it passes the row cap.
	Trap *Denial
	// origin is what the EXECUTE runs; nil where nobody judged that.
	origin *verdict
}

// Notice is a NoticeResponse to send in front of a CommandComplete.
type Notice struct {
	Severity string // NOTICE or WARNING
	Code     string
	Message  string
	Detail   string
	Hint     string
}
