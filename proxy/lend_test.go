package proxy_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
	"github.com/pgask/pgask/proxy/poll"
	"github.com/pgask/pgask/proxy/pool"
	"github.com/pgask/pgask/proxy/transaction"
)

// transactions lends clients backends of a real database, size at most.
func transactions(t testing.TB, database string, size int, wait time.Duration, decider func() proxy.Decider) string {
	t.Helper()
	p, err := pool.New(configs.Database{Name: database, DSN: postgres.ForTest(t).DSN(database), Pool: configs.Pool{Size: size, Wait: wait, Idle: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	statements := transaction.NewTable(1000, 1<<20)
	_, addr := serve(t, proxy.Options{Gate: gate(func(_ context.Context, _ auth.Principal, s proxy.Startup) (proxy.Admission, error) {
		params := maps.Clone(s.Params)
		delete(params, "application_name")
		r := pool.Request{Params: params}
		a := proxy.Admission{Repeat: repeats, Lend: &proxy.Lender{
			Statements: statements,
			Greeting: func(ctx context.Context, l *poll.Loop) (map[string]string, error) {
				r.Loop = l
				r = r.Prepared()
				return p.Greeting(ctx, r)
			},
			Take: func(killed func()) *proxy.Backend {
				if b := p.Take(r, killed); b != nil {
					return lent(b)
				}
				return nil
			},
			Borrow: func(ctx context.Context, got func(*proxy.Backend, error)) {
				p.Borrow(ctx, r, func(b *pool.Backend, err error) {
					if err != nil {
						got(nil, err)
						return
					}
					got(lent(b), nil)
				})
			},
		}}
		if decider != nil {
			a.Decider = decider()
		}
		return a, nil
	})})
	return addr
}

func lent(b *pool.Backend) *proxy.Backend {
	shown, again := b.Keep.(*proxy.Backend)
	if !again {
		shown = &proxy.Backend{Conn: b.Conn, PID: b.PID, SecretKey: b.SecretKey, Buffered: b.Buffered, Attach: b.Attach, OnKill: b.OnKill,
			Cancel: func(ctx context.Context) error { return pool.Cancel(ctx, b) }}
		shown.Return = func(reset bool) {
			b.TxStatus = shown.TxStatus
			b.Return(reset)
		}
		b.Keep = shown
	}
	shown.TxStatus, shown.ParameterStatuses = b.TxStatus, b.ParameterStatuses
	return shown
}

// TestLentDirectAndThrough: any conversations of several clients give through
// one backend, or two, what they give directly.
func TestLentDirectAndThrough(t *testing.T) {
	for name, c := range map[string]struct {
		size    int
		decider func() proxy.Decider
	}{
		"one backend":      {1, nil},
		"two":              {2, nil},
		"one, passthrough": {1, func() proxy.Decider { return &decider{} }},
		"one, known":       {1, func() proxy.Decider { return &decider{governed: true, knows: true, follows: &follower{all: true}} }},
	} {
		t.Run(name, func(t *testing.T) {
			db := postgres.ForTest(t).CreateDatabase(t)
			addr := transactions(t, db, c.size, 20*time.Second, c.decider)
			var directs, lents []*pgtest.Peer
			for range 3 {
				directs = append(directs, direct(t, db))
				c := pgtest.Dial(t, addr)
				c.Login(password, "user", "ana", "database", db)
				lents = append(lents, c)
			}
			round, first := 0, ""
			rapid.Check(t, func(t *rapid.T) {
				round++
				var history []string
				for range rapid.IntRange(1, 6).Draw(t, "turns") {
					client := rapid.IntRange(0, 2).Draw(t, "client")
					var frames [][]byte
					var texts []string
					for range rapid.IntRange(1, 12).Draw(t, "messages") {
						frame, text := lentMessage(t)
						frames, texts = append(frames, frame), append(texts, text)
					}
					marker := fmt.Sprintf("marker %d", round)
					frames = append(frames, pgtest.Sync(), pgtest.Query("rollback"), pgtest.Query("select '"+marker+"'"))
					history = append(history, fmt.Sprintf("client %d: %s", client, strings.Join(texts, " ")))
					directs[client].Send(frames...)
					lents[client].Send(frames...)
					want, got := upTo(directs[client], marker), upTo(lents[client], marker)
					if got != want {
						if first == "" { // what is left behind makes the rest doubtful
							first = fmt.Sprintf("%s\nlent: %s\ndirect: %s", strings.Join(history, "\n"), got, want)
						}
						t.Fatal(first)
					}
				}
				for client := range lents { // so that nobody keeps a backend
					lents[client].Send(pgtest.Query("discard all"))
					directs[client].Send(pgtest.Query("discard all"))
					lents[client].Until('Z')
					directs[client].Until('Z')
				}
			})
		})
	}
}

// lentMessage is a random message of a client that leaves nothing in its
// backend that pins it, prepared statements excepted.
func lentMessage(t *rapid.T) (frame []byte, text string) {
	name := rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "name")
	portal := rapid.SampledFrom([]string{"", "", "p"}).Draw(t, "portal")
	sql := rapid.SampledFrom([]string{
		"select 1", "select generate_series(1, 4)", "select broken", "select 1/0", "", "begin", "commit", "rollback",
		"set timezone to 'UTC'", "set timezone to 'Asia/Tokyo'", "show timezone", "set datestyle = 'German'", "syntax error",
		"deallocate all", "discard all", "select 2; select 3", "set application_name = 'one'", "show application_name",
	}).Draw(t, "sql")
	return messageOf(t, name, portal, sql, []string{"select 1", "select generate_series(1, 4)", "select broken", "syntax error", "show timezone"})
}
