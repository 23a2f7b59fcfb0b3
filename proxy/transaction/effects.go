package transaction

// Effects is what a text may leave behind in the session of the backend that
// runs it, as a set. The zero value is nothing.
type Effects uint8

const (
	// Pins: something that nothing here follows, or a text that can't be read
	// for sure. The backend stays with the client until a DISCARD ALL.
	Pins Effects = 1 << iota
	// Reports: values of parameters that Postgres reports, by SET or RESET.
	Reports
	// DiscardsAll: the text is one DISCARD ALL and nothing else; within several
	// statements Postgres refuses it.
	DiscardsAll
	// DeallocatesAll: all prepared statements of the backend are gone. The tag
	// of CommandComplete says whether and when, but for those within a DO, which
	// pin as well.
	DeallocatesAll
	// Names: EXECUTE or DEALLOCATE of one prepared statement, by the client's
	// name for it.
	Names
)

// Has reports whether e holds all of what.
func (e Effects) Has(what Effects) bool { return e&what == what }
