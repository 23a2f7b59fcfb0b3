package plans

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TestDown leaves a store alone that doesn't answer, a while longer each time, and goes
// back to it at its first answer.
func TestDown(t *testing.T) {
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	lost := errors.New("connection refused")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	d := &down{}
	for i, c := range []struct {
		after  time.Duration
		ctx    context.Context
		answer error
		looks  bool
	}{
		{0, t.Context(), nil, true},
		{0, t.Context(), lost, true},
		{leastPause - 1, t.Context(), nil, false},
		{1, t.Context(), lost, true},
		{2*leastPause - 1, t.Context(), nil, false},
		{1, cancelled, lost, true}, // says nothing, and leaves the pause as it is
		{2*leastPause - 1, t.Context(), nil, false},
		{1, t.Context(), context.DeadlineExceeded, true},
		{mostPause, t.Context(), lost, true},
		{mostPause, t.Context(), lost, true},
		{mostPause, t.Context(), lost, true},
		{mostPause - 1, t.Context(), nil, false},
		{1, t.Context(), &pgconn.PgError{Code: "42501"}, true},
		{0, t.Context(), lost, true},
		{leastPause, t.Context(), pgx.ErrNoRows, true},
		{0, t.Context(), nil, true},
	} {
		at = at.Add(c.after)
		looked := false
		err := d.ask(c.ctx, now, func() error { looked = true; return c.answer })
		if looked != c.looks || c.looks && !errors.Is(err, c.answer) || !c.looks && (err == nil || !strings.HasPrefix(err.Error(), "not asked again yet: ")) {
			t.Errorf("%d: looked %v, %v", i, looked, err)
		}
	}
}

// TestDownAtOnce takes the failures of looks that were under way together for one.
func TestDownAtOnce(t *testing.T) {
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	lost := errors.New("connection refused")
	d := &down{}
	look := func() error { return lost }
	for range 5 {
		meanwhile := look
		look = func() error { _ = d.ask(t.Context(), now, meanwhile); return lost }
	}
	_ = d.ask(t.Context(), now, look)
	at = at.Add(leastPause)
	looked := false
	if err := d.ask(t.Context(), now, func() error { looked = true; return nil }); err != nil || !looked {
		t.Errorf("not asked after the least pause: %v", err)
	}
}

// TestSilentStore waits for a store once.
func TestSilentStore(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	p, err := NewPostgres("postgres://u@"+silent.Addr().String()+"/d?sslmode=disable", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	at := time.Now()
	p.now = func() time.Time { return at }
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if _, err := p.Get(ctx, []string{"k"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
	// With no end of its own, a question waits for no answer now.
	if _, err := p.Get(t.Context(), []string{"k"}); err == nil || !strings.HasPrefix(err.Error(), "not asked again yet: ") {
		t.Errorf("the plan: %v", err)
	}
	if _, err := p.Approved(t.Context(), "d"); err == nil || !strings.HasPrefix(err.Error(), "not asked again yet: ") {
		t.Errorf("approvals: %v", err)
	}
}
