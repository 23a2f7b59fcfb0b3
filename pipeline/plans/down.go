package plans

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A store that doesn't answer isn't asked again for leastPause, then twice as long each
// time up to mostPause: every question would wait for it.
const (
	leastPause = time.Second
	mostPause  = 30 * time.Second
)

// down knows whether a store answers. The zero value takes it that it does.
type down struct {
	mu    sync.Mutex
	pause time.Duration // 0 while it answers
	until time.Time
	why   error
	// failures is how many looks have failed.
	failures int
}

// ask asks the store, unless it is to be left alone; then the error is that of the last
// look. When a pause is over one look is made, and others meanwhile get its predecessor's
// error.
func (d *down) ask(ctx context.Context, now func() time.Time, look func() error) error {
	d.mu.Lock()
	if d.pause > 0 && now().Before(d.until) {
		defer d.mu.Unlock()
		return fmt.Errorf("not asked again yet: %w", d.why)
	}
	d.until = now().Add(d.pause)
	failures := d.failures
	d.mu.Unlock()
	err := look()
	d.mu.Lock()
	defer d.mu.Unlock()
	var answered *pgconn.PgError
	switch {
	case err == nil, errors.As(err, &answered), errors.Is(err, pgx.ErrNoRows):
		d.pause = 0
	case context.Cause(ctx) == context.Canceled: // the asker gave up, which says nothing
	case failures != d.failures: // others looked at the same time, and one has said so
	default:
		d.failures++
		d.pause = min(max(leastPause, 2*d.pause), mostPause)
		d.until, d.why = now().Add(d.pause), err
	}
	return err
}
