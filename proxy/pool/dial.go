package pool

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/proxy/poll"
)

// connect dials for a place that has been taken, and makes the backend known.
// Its error is for clients.
func (p *Pool) connect(ctx context.Context, l *lot, r Request, probe bool) (*Backend, error) {
	began := time.Now()
	b, err := p.dial(ctx, r)
	if crowded(err) && p.makeRoom(ctx) {
		b, err = p.dial(ctx, r)
	}
	now := time.Now()
	if err != nil {
		err = p.explain(ctx, err)
	}
	p.mu.Lock()
	l.dialling--
	l.totals.dials++
	do := p.judge(ctx, err, began, now, probe)
	if err == nil {
		err = p.refusal // killed meanwhile
	}
	if err != nil {
		l.places--
		l.totals.dialFailures++
	} else {
		p.adopt(b, l, r, now)
		do = append(do, p.fill(l)...)
	}
	do = append(do, p.serve(l)...)
	p.hush()
	p.mu.Unlock()
	run(do)
	if err != nil && b != nil {
		b.quit()
		b = nil
	}
	return b, err
}

// judge tells the back-off how a dial went, and serves those who waited for
// that.
func (p *Pool) judge(ctx context.Context, err error, began, now time.Time, probe bool) []func() {
	switch {
	case err == nil:
		p.backoff.reached(now)
	case ctx.Err() != nil:
		if probe {
			p.backoff.dropped()
		}
	case unreached(err):
		p.backoff.failed(err, began, now)
	default:
		p.backoff.reached(now)
	}
	if !probe {
		return nil
	}
	var do []func()
	for _, l := range p.lots {
		do = append(do, p.serve(l)...)
	}
	return do
}

// adopt makes a new backend a member of its lot, lent to who asked for it.
func (p *Pool) adopt(b *Backend, l *lot, r Request, now time.Time) {
	b.pool, b.lot, b.shape, b.generation = p, l, r.shape, p.generation
	b.single = replication(r.Params)
	if r.Loop != nil {
		b.poll, b.home = poll.Of(b.Conn), r.Loop
	}
	b.greeting = maps.Clone(b.ParameterStatuses)
	b.born = now
	if p.set.Lifetime > 0 {
		b.expires = now.Add(jitter(p.set.Lifetime, 0.1))
	}
	l.members[b] = struct{}{}
	l.lend(b, now)
}

// dial opens a connection as the request's login and takes it out of pgconn.
func (p *Pool) dial(ctx context.Context, r Request) (*Backend, error) {
	config := p.config.Copy()
	if r.Login != nil {
		// Both or nothing: the dsn's password is not for another login.
		config.User, config.Password = r.Login.User, r.Login.Password
	}
	maps.Copy(config.RuntimeParams, r.Params)
	configs.JudgeServer(config)
	var server target
	dialNet := config.DialFunc
	config.DialFunc = server.noting(dialNet, r.Loop != nil)
	var read tail
	build := config.BuildFrontend
	config.BuildFrontend = read.frontend
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	config.BuildFrontend = build // Cancel builds one too, which must not touch read
	config.DialFunc = server.only(dialNet)
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
		address:           server.address,
		hijacked:          h,
	}, nil
}
