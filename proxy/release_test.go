package proxy_test

import (
	"context"
	"testing"
	"time"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/wire"
)

// TestRelease: a backend is released open, with what Postgres last reported,
// only where it waits for the next message and nothing is half done.
func TestRelease(t *testing.T) {
	for name, c := range map[string]struct {
		sent    []byte
		replies [][]byte
		open    bool
		status  byte
		style   string
	}{
		"nothing done":      {open: true, status: 'I', style: "ISO"},
		"in a transaction":  {sent: pgtest.Query("begin"), replies: [][]byte{pgtest.Complete("BEGIN"), pgtest.Ready('T')}, open: true, status: 'T', style: "ISO"},
		"parameter changed": {sent: pgtest.Query("set"), replies: [][]byte{pgtest.Complete("SET"), pgtest.Frame(wire.ParameterStatus, "DateStyle", "German"), pgtest.Ready('I')}, open: true, status: 'I', style: "German"},
		"parameter unknown": {sent: pgtest.Query("set"), replies: [][]byte{pgtest.Complete("SET"), pgtest.Frame(wire.ParameterStatus, []byte("odd")), pgtest.Ready('I')}},
		"unfinished batch":  {sent: append(pgtest.Parse("", ""), pgtest.Flush()...), replies: [][]byte{pgtest.Frame(wire.ParseComplete)}},
		"reply owed":        {sent: pgtest.Query("select"), replies: [][]byte{pgtest.Complete("SELECT 0")}},
	} {
		t.Run(name, func(t *testing.T) {
			type end struct {
				open   bool
				status byte
				style  string
			}
			ended := make(chan end, 1)
			backend, raw := pgtest.Pair(t)
			near := poll.New(raw)
			_, addr := serve(t, proxy.Options{Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
				b := &proxy.Backend{Conn: near, TxStatus: 'I', ParameterStatuses: map[string]string{"DateStyle": "ISO"},
					Notices: []wire.Report{{Severity: "NOTICE", Code: "00000", Message: "waited"}},
					Cancel:  func(context.Context) error { return nil }}
				b.Release = func() {
					ended <- end{near.SetDeadline(time.Time{}) == nil, b.TxStatus, b.ParameterStatuses["DateStyle"]}
					_ = near.Close()
				}
				return proxy.Admission{Connect: func(context.Context, *poll.Loop) (*proxy.Backend, error) { return b, nil }}, nil
			})})
			client := pgtest.Dial(t, addr)
			client.Send(pgtest.Startup(wire.Version30, "user", "ana"))
			client.Authenticate(password)
			if kinds, _ := client.Until(wire.ReadyForQuery); kinds != "RRSKNZ" {
				t.Fatalf("welcome: %s", kinds)
			}
			if c.sent != nil {
				client.Send(c.sent)
				backend.ExpectBytes(c.sent)
				backend.Send(c.replies...)
				for _, r := range c.replies {
					client.ExpectBytes(r)
				}
			}
			client.Hangup()
			got := <-ended
			if got.open != c.open || c.open && (got.status != c.status || got.style != c.style) {
				t.Errorf("released %+v, want open %v, status %c, DateStyle %s", got, c.open, c.status, c.style)
			}
		})
	}
}
