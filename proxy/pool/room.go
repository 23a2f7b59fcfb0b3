package pool

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// crowded reports whether Postgres has no connection left: of its own, of the
// login's or of the database's.
func crowded(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "53300"
}

// makeRoom closes every idle backend, since without the pool there would be
// none. It waits for Postgres to have ended them, and reports whether there
// were any.
func (p *Pool) makeRoom(ctx context.Context) bool {
	p.mu.Lock()
	now := time.Now()
	var idle []*Backend
	for _, l := range p.lots {
		for len(l.idle) > 0 {
			b := l.idle[0]
			l.remove(b, now)
			idle = append(idle, b)
		}
	}
	p.mu.Unlock()
	var ending sync.WaitGroup
	for _, b := range idle {
		ending.Add(1)
		started := b.on(func() {
			if b.poll != nil {
				_ = b.poll.Detach()
			}
			go func() {
				defer ending.Done()
				b.end(ctx)
			}()
		})
		if !started {
			ending.Done()
		}
	}
	ending.Wait()
	return len(idle) > 0
}

// end says Terminate and waits for Postgres to hang up, which it does when the
// place is free.
func (b *Backend) end(ctx context.Context) {
	stop := context.AfterFunc(ctx, b.close)
	defer stop()
	_ = b.Conn.SetDeadline(time.Now().Add(goodbye))
	if _, err := b.Conn.Write(terminate); err == nil {
		_, _ = io.Copy(io.Discard, b.Conn)
	}
	b.close()
}
