package pool

import (
	"context"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/proxy/poll"
)

// target is the server that was dialled last. Cancel must go there, whichever
// host of the dsn that is; a unix socket's own address doesn't tell.
type target struct {
	network, address string
}

// noting is dial, with connections that can be attached to a loop if need be.
func (t *target) noting(dial pgconn.DialFunc, attachable bool) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		t.network, t.address = network, address
		conn, err := dial(ctx, network, address)
		if err != nil || !attachable {
			return conn, err
		}
		return poll.New(conn), nil
	}
}

// only is dial, to the target and nowhere else.
func (t *target) only(dial pgconn.DialFunc) pgconn.DialFunc {
	return func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, t.network, t.address) }
}

// speak32 asks for protocol 3.2, which servers from PostgreSQL 18 on have long
// cancel keys in, unless the dsn says what to ask for. Older servers negotiate.
func speak32(dsn string, config *pgconn.Config) {
	const key = "max_protocol_version"
	if !strings.Contains(dsn, key) && os.Getenv("PGMAXPROTOCOLVERSION") == "" {
		config.MaxProtocolVersion = "latest"
	}
}

// unfit is a server that is none of those that target_session_attrs wants.
type unfit struct {
	cause error
}

func (u *unfit) Error() string { return u.cause.Error() }

// sortFaults marks the refusals of target_session_attrs, except those that
// pgconn itself looks for.
func sortFaults(config *pgconn.Config) {
	validate := config.ValidateConnect
	if validate == nil {
		return
	}
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		err := validate(ctx, conn)
		if _, second := err.(*pgconn.NotPreferredError); err == nil || second {
			return err
		}
		return &unfit{cause: err}
	}
}
