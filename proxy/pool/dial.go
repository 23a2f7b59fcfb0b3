package pool

import (
	"context"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5/pgconn"
)

// dial opens a connection as the request's login and takes it out of pgconn.
func (p *Pool) dial(ctx context.Context, r Request) (*Backend, error) {
	config := p.config.Copy()
	if r.Login != nil {
		// Both or nothing: the dsn's password is not for another login.
		config.User, config.Password = r.Login.User, r.Login.Password
	}
	maps.Copy(config.RuntimeParams, r.Params)
	var read tail
	build := config.BuildFrontend
	config.BuildFrontend = read.frontend
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	config.BuildFrontend = build // Cancel builds one too, which must not touch read
	buffered := read.rest(conn.Frontend().ReadBufferLen())
	if len(buffered) == 0 {
		// With an empty buffer this only waits for pgconn's background reader,
		// if it ever ran; it would throw buffered bytes away.
		if err := conn.SyncConn(ctx); err != nil {
			_ = conn.Conn().Close()
			return nil, fmt.Errorf("settle backend connection: %w", err)
		}
	}
	h, err := conn.Hijack()
	if err != nil {
		return nil, fmt.Errorf("take over backend connection: %w", err)
	}
	return &Backend{
		Conn:              h.Conn,
		PID:               h.PID,
		SecretKey:         h.SecretKey,
		ParameterStatuses: h.ParameterStatuses,
		TxStatus:          h.TxStatus,
		Buffered:          buffered,
		hijacked:          h,
	}, nil
}
