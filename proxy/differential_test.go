package proxy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
)

// direct opens a raw session with Postgres itself: pgconn logs in, and hands
// the connection over.
func direct(t *testing.T, database string) *pgtest.Peer {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), postgres.ForTest(t).DSN(database))
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.Hijack()
	if err != nil {
		t.Fatal(err)
	}
	return pgtest.On(t, h.Conn)
}

// message is one random message of a client; text says what it is.
func message(t *rapid.T) (frame []byte, text string) {
	name := rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "name")
	portal := rapid.SampledFrom([]string{"", "", "p", "q"}).Draw(t, "portal")
	asked := []string{"select 1", "select generate_series(1, 4)", "select generate_series(1, 2) -- ask", "select broken"}
	sql := rapid.SampledFrom([]string{
		"execute a", "execute b", "deallocate b", "discard all", "prepare a as select generate_series(1, 3)",
		"prepare b as select 1 where false -- ask", "deallocate b; prepare b as select generate_series(1, 5); execute b; execute a",
		"select 1; deallocate a; select 1/0; prepare a as select 2", "select generate_series(1, 2) -- ask",
		"select 1", "select generate_series(1, 4)", "select broken", "select 1/0", "", "begin", "commit", "rollback", "savepoint s", "rollback to s",
		"set local timezone to 'UTC'", "deallocate all", "syntax error",
		"prepare b as select 2", "declare p cursor for select 3", "close all",
	}).Draw(t, "sql")
	return messageOf(t, name, portal, sql, asked)
}

// messageOf draws the kind of a message that has its names and text already. A
// Parse with a name gets one of the queries instead.
func messageOf(t *rapid.T, name, portal, sql string, queries []string) (frame []byte, text string) {
	switch rapid.SampledFrom([]byte("PPPBBBBDDEEEECHSSSQQQ")).Draw(t, "kind") {
	case 'P':
		if name != "" { // what an EXECUTE runs is a query
			sql = rapid.SampledFrom(queries).Draw(t, "query")
		}
		return pgtest.Parse(name, sql), fmt.Sprintf("P(%s, %s)", name, sql)
	case 'B':
		return pgtest.Bind(portal, name), fmt.Sprintf("B(%s, %s)", portal, name)
	case 'D':
		if rapid.Bool().Draw(t, "statement") {
			return pgtest.Describe('S', name), fmt.Sprintf("D(S, %s)", name)
		}
		return pgtest.Describe('P', portal), fmt.Sprintf("D(P, %s)", portal)
	case 'E':
		most := rapid.IntRange(0, 2).Draw(t, "most")
		return pgtest.Execute(portal, most), fmt.Sprintf("E(%s, %d)", portal, most)
	case 'C':
		if rapid.Bool().Draw(t, "statement") {
			return pgtest.Close('S', name), fmt.Sprintf("C(S, %s)", name)
		}
		return pgtest.Close('P', portal), fmt.Sprintf("C(P, %s)", portal)
	case 'H':
		return pgtest.Flush(), "H"
	case 'S':
		return pgtest.Sync(), "S"
	}
	return pgtest.Query(sql), fmt.Sprintf("Q(%s)", sql)
}

// TestDirectAndThrough: any conversation gives through a relay, a passthrough
// session and a governed one whose statements are allowed, or known to be, what
// it gives directly.
func TestDirectAndThrough(t *testing.T) {
	db := postgres.ForTest(t).CreateDatabase(t)
	clients := map[string]*pgtest.Peer{"direct": direct(t, db)}
	all, known, passthrough := &follower{all: true}, &follower{all: true}, &follower{}
	for name, d := range map[string]func() proxy.Decider{
		"relay": nil, "passthrough": func() proxy.Decider { return &decider{follows: passthrough} },
		"governed": func() proxy.Decider { return &decider{governed: true, follows: all} },
		"known":    func() proxy.Decider { return &decider{governed: true, knows: true, follows: known} },
	} {
		_, addr := serve(t, proxy.Options{Gate: realBackend(t, db, d)})
		clients[name] = pgtest.Dial(t, addr)
		clients[name].Login(password, "user", "ana", "database", db)
	}
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		var frames [][]byte
		var texts []string
		for range rapid.IntRange(1, 25).Draw(t, "messages") {
			frame, text := message(t)
			frames, texts = append(frames, frame), append(texts, text)
		}
		marker := fmt.Sprintf("marker %d", round)
		frames = append(frames, pgtest.Sync(), pgtest.Query("rollback"), pgtest.Query("deallocate all"), pgtest.Query("select '"+marker+"'"))
		heard := map[string]string{}
		for name, c := range clients {
			c.Send(frames...)
			heard[name] = upTo(c, marker)
		}
		for name, got := range heard {
			want := heard["direct"]
			if name == "governed" || name == "known" {
				got, want = unportaled(got), unportaled(want)
			}
			if got != want {
				t.Fatalf("%s\n%s: %s\ndirect: %s", strings.Join(texts, " "), name, got, want)
			}
		}
		for _, f := range []*follower{all, known, passthrough} {
			if wrong := f.wrong(); wrong != "" {
				t.Fatalf("%s\n%s (all: %v)", strings.Join(texts, " "), wrong, f.all)
			}
		}
	})
}

// unportaled takes one error for another. A Query that fails inside a
// transaction leaves its unnamed portal behind, and Postgres tells who executes
// it that the transaction is aborted; a governed session says that there is no
// such portal.
func unportaled(heard string) string { return strings.ReplaceAll(heard, "E 25P02", "E 34000") }

// upTo reads everything up to the ReadyForQuery behind the marker's row.
func upTo(p *pgtest.Peer, marker string) string {
	var got []string
	for seen := false; ; {
		kind := p.Peek()
		body := p.Expect(string(kind))[0]
		got = append(got, string(kind))
		switch {
		case kind == 'E':
			got = append(got, field(body, 'C'))
		case kind == 'Z':
			got = append(got, string(body))
			if seen {
				return strings.Join(got, " ")
			}
		case kind == 'D' && strings.Contains(string(body), marker):
			seen = true
		}
	}
}
