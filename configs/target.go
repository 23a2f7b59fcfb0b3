package configs

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
)

// readOnly is the setting that sessions start with where they only read.
const readOnly = "default_transaction_read_only"

// JudgeServer lets target_session_attrs judge the server where config's own
// start-up parameters make the session read-only, as those of governed roles do:
// "read-write" means a server that takes writes, whoever asks. What the login's
// settings say about reading counts no more than with such a parameter.
func JudgeServer(config *pgconn.Config) {
	validate := config.ValidateConnect
	if _, ours := config.RuntimeParams[readOnly]; validate == nil || !ours {
		return
	}
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if err := conn.Exec(ctx, "SET "+readOnly+" = off").Close(); err != nil {
			return err
		}
		verdict := validate(ctx, conn)
		if _, second := verdict.(*pgconn.NotPreferredError); verdict != nil && !second {
			return verdict
		}
		// Back to the start-up parameter, before anything else can run.
		if err := conn.Exec(ctx, "RESET "+readOnly).Close(); err != nil {
			return err
		}
		return verdict
	}
}
