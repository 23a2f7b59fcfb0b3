package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgproto3"
)

// failure is an error that administrators read.
type failure struct{ code, message, detail, hint string }

func (f *failure) Error() string { return f.message }

// unknown is a statement that is none of the commands.
func unknown(s statement) error {
	return &failure{code: "42601", message: fmt.Sprintf("unknown command %q", s), hint: "Commands: " + commandList + "."}
}

// response makes an error message of any error. What has no code of ours is
// told as it is: administrators may know.
func response(err error) *pgproto3.ErrorResponse {
	r := &pgproto3.ErrorResponse{Severity: "ERROR", SeverityUnlocalized: "ERROR", Code: "XX000", Message: err.Error()}
	if f, ok := errors.AsType[*failure](err); ok {
		r.Code, r.Detail, r.Hint = f.code, f.detail, f.hint
	} else if errors.Is(err, context.Canceled) {
		r.Code, r.Message = "57014", "canceling statement due to user request"
	}
	return r
}
