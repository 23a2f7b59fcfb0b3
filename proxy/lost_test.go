package proxy_test

import (
	"context"
	"testing"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/transaction"
)

// scriptedLoans lends what lend gives: the backend's own end and the proxy's.
func scriptedLoans(t *testing.T, lend func() *proxy.Backend) string {
	t.Helper()
	return loans(t, nil, func(got func(*proxy.Backend, error)) { got(lend(), nil) })
}

func loans(t *testing.T, d proxy.Decider, borrow func(got func(*proxy.Backend, error))) string {
	t.Helper()
	lender := &proxy.Lender{
		Statements: transaction.NewTable(10, 1<<10),
		Greeting:   func(context.Context, *poll.Loop) (map[string]string, error) { return map[string]string{}, nil },
		Take:       func(func()) *proxy.Backend { return nil },
		Borrow:     func(_ context.Context, got func(*proxy.Backend, error)) { borrow(got) },
	}
	_, addr := serve(t, proxy.Options{Gate: gate(func(context.Context, auth.Principal, proxy.Startup) (proxy.Admission, error) {
		return proxy.Admission{Decider: d, Lend: lender}, nil
	})})
	return addr
}

// TestLostOnTheWay: a backend that dies before it was sent anything is replaced
// by another, unseen; one that says something else is used.
func TestLostOnTheWay(t *testing.T) {
	returned := make(chan bool, 100)
	var alive *pgtest.Peer
	n := 0
	addr := scriptedLoans(t, func() *proxy.Backend {
		n++
		peer, conn := pgtest.Pair(t)
		switch n {
		case 1:
			peer.Hangup()
		case 2:
			peer.Send(pgtest.Error("FATAL", "57P01", "terminating connection"))
		default:
			peer.Send(pgtest.Frame('S', "TimeZone", "UTC"))
			alive = peer
			go func() {
				peer.Expect("Q")
				peer.Send(pgtest.Complete("SELECT 0"), pgtest.Ready('I'))
			}()
		}
		return &proxy.Backend{Conn: poll.New(conn), PID: uint32(n), Return: func(reset bool) { returned <- reset }}
	})
	client := pgtest.Dial(t, addr)
	client.Login(password, "user", "ana")
	client.Send(pgtest.Query("select"))
	client.Expect("SCZ")
	for _, reset := range []bool{true, true, false} {
		if got := <-returned; got != reset {
			t.Errorf("returned with reset %v, want %v", got, reset)
		}
	}
	if n != 3 || alive == nil {
		t.Errorf("%d backends were lent", n)
	}
}

// TestAllLost: a server whose backends all die costs the session, in the end.
func TestAllLost(t *testing.T) {
	addr := scriptedLoans(t, func() *proxy.Backend {
		peer, conn := pgtest.Pair(t)
		peer.Hangup()
		return &proxy.Backend{Conn: poll.New(conn), Return: func(bool) {}}
	})
	client := pgtest.Dial(t, addr)
	client.Login(password, "user", "ana")
	client.Send(pgtest.Query("select"))
	client.ExpectError("08006")
	client.ExpectEnd()
}

// TestNoneToLend: the decider hears of what is refused because there is no backend.
func TestNoneToLend(t *testing.T) {
	full := &proxy.Failure{Code: "53300", Message: "all backends are in use"}
	d := &decider{governed: true}
	client := pgtest.Dial(t, loans(t, d, func(got func(*proxy.Backend, error)) { got(nil, full) }))
	client.Login(password, "user", "ana")
	client.Send(pgtest.Parse("", "select 1"), pgtest.Bind("", ""), pgtest.Sync(), pgtest.Query("select 2"))
	for range 2 {
		client.ExpectError("53300")
		client.Expect("Z")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.refused) != 2 || d.refused[0] != full {
		t.Errorf("%v", d.refused)
	}
}
