package stmt

// SQLSTATEs of this package's errors.
const (
	codeSyntax   = "42601"
	codeLimit    = "54000"
	codeEncoding = "22021"
)

// Error is a text that is refused before anything judges it: it is not SQL that
// the grammar knows (42601), it is over a limit (54000), or it is not valid
// UTF-8 (22021).
type Error struct {
	// Code is the SQLSTATE.
	Code string
	// Message is one line, worded as Postgres words it where Postgres has the
	// same complaint.
	Message string
	// Help is something the user can type, empty where nothing helps.
	Help string
	// Position counts characters from 1 in the text that was given, 0 where
	// no place is to blame.
	Position int
}

func (e *Error) Error() string { return e.Message }

// SQLState is the SQLSTATE that a client is shown.
func (e *Error) SQLState() string { return e.Code }

// Hint is something the user can type, empty where nothing helps.
func (e *Error) Hint() string { return e.Help }

// Place is Position.
func (e *Error) Place() int { return e.Position }

func syntaxError(message, hint string) *Error {
	return &Error{Code: codeSyntax, Message: message, Help: hint}
}
