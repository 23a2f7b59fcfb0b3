package pipeline

import (
	"context"
	"errors"
)

// Error is a refusal or failure that a client is shown as it is.
type Error struct {
	Code    string // SQLSTATE
	Message string
	Details string
	Advice  string // the HINT: something the user can type
	// Position counts characters from 1 in the client's message, 0 for none.
	Position int
}

func (e *Error) Error() string    { return e.Message }
func (e *Error) SQLState() string { return e.Code }
func (e *Error) Detail() string   { return e.Details }
func (e *Error) Hint() string     { return e.Advice }
func (e *Error) Place() int       { return e.Position }

// sqlState is the SQLSTATE of an error that has one, else XX000.
func sqlState(err error) string {
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		return coded.SQLState()
	}
	return "XX000"
}

// errCancelled is what Postgres says of a statement that its client cancelled.
var errCancelled = &Error{Code: "57014", Message: "canceling statement due to user request"}

// ended turns the end of a context into the error Postgres would give.
func ended(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), context.Canceled):
		return errCancelled
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return &Error{Code: "57014", Message: "canceling statement due to statement timeout"}
	}
	return err
}
