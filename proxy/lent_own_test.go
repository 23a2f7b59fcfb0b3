package proxy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy"
	"github.com/pgask/pgask/proxy/pgtest"
)

// TestLentOwnAsDirect: a client whose prepared statements SQL uses by name hears
// what it hears directly, values included, whatever another client has left in the
// backend.
func TestLentOwnAsDirect(t *testing.T) {
	for name, decider := range map[string]func() proxy.Decider{
		"relay": nil, "passthrough": func() proxy.Decider { return &decider{follows: &follower{}} },
		"known": func() proxy.Decider { return &decider{governed: true, knows: true, follows: &follower{all: true}} },
	} {
		t.Run(name, func(t *testing.T) {
			db := postgres.ForTest(t).CreateDatabase(t)
			addr := transactions(t, db, 1, 20*time.Second, decider)
			through, another := pgtest.Dial(t, addr), pgtest.Dial(t, addr)
			through.Login(password, "user", "ana", "database", db)
			another.Login(password, "user", "ana", "database", db)
			ways := [2]*pgtest.Peer{direct(t, db), through}
			first := ""
			rapid.Check(t, func(t *rapid.T) {
				if first != "" { // what is left behind makes the rest doubtful
					t.Fatal(first)
				}
				another.Send(pgtest.Parse("", "select 'another''s'"), pgtest.Sync())
				another.Expect("1Z")
				var history []string
				for turn := range rapid.IntRange(1, 5).Draw(t, "turns") {
					var frames [][]byte
					var texts []string
					for range rapid.IntRange(1, 10).Draw(t, "messages") {
						frame, text := ownMessage(t)
						frames, texts = append(frames, frame), append(texts, text)
					}
					history = append(history, strings.Join(texts, " "))
					marker := fmt.Sprintf("marker %d", turn)
					frames = append(frames, pgtest.Sync(), pgtest.Query("rollback"), pgtest.Query("select '"+marker+"'"))
					var heard [2]string
					for way, c := range ways {
						c.Send(frames...)
						for last := ""; !strings.Contains(last, marker); {
							last, _ = hear(c, "")
							heard[way] += last
						}
					}
					if heard[0] != heard[1] {
						first = fmt.Sprintf("%s\nthrough: %s\ndirect:  %s", strings.Join(history, "\n"), heard[1], heard[0])
						t.Fatal(first)
					}
				}
				for _, c := range ways {
					_, _ = run(c, "rollback")
					_, _ = run(c, "discard all")
				}
			})
		})
	}
}

func ownMessage(t *rapid.T) (frame []byte, text string) {
	name := rapid.SampledFrom([]string{"", "", "", "a", "b"}).Draw(t, "name")
	queries := []string{"select 1", "select 2", "select 3", "select 'x' where false", "select broken"}
	sql := rapid.SampledFrom(append(queries, "execute a", "execute b", "deallocate a", "deallocate all", "", "begin", "commit", "rollback")).Draw(t, "sql")
	return messageOf(t, name, "", sql, queries)
}

// TestLentUnnamedOwn: a client whose names are the backend's has its own unnamed
// statement, and not whatever the backend has by no name.
func TestLentUnnamedOwn(t *testing.T) {
	execute := [][]byte{pgtest.Bind("", ""), pgtest.Execute("", 0), pgtest.Sync()}
	batch := func(sql string) [][]byte { return append([][]byte{pgtest.Parse("", sql)}, execute...) }
	ask := func(c *pgtest.Peer, want string, frames ...[]byte) {
		t.Helper()
		c.Send(frames...)
		if reply, _ := heard(c); reply != want {
			t.Errorf("%q, want %q", reply, want)
		}
	}
	t.Run("repeated", func(t *testing.T) {
		db := postgres.ForTest(t).CreateDatabase(t)
		c := pgtest.Dial(t, transactions(t, db, 1, 20*time.Second, repeater))
		c.Login(password, "user", "ana", "database", db)
		ask(c, "", pgtest.Parse("p", "select 1"), pgtest.Sync())
		expect(t, c, "execute p", "1", 'I')
		ask(c, "", pgtest.Parse("", "select 'first'"), pgtest.Sync())
		ask(c, "second", batch("select 'second'")...)
		ask(c, "second", execute...)
		ask(c, "", pgtest.Close('S', ""), pgtest.Sync())
		ask(c, "26000", execute...)
	})
	t.Run("another's", func(t *testing.T) {
		db := postgres.ForTest(t).CreateDatabase(t)
		addr := transactions(t, db, 1, 20*time.Second, nil)
		a, b := pgtest.Dial(t, addr), pgtest.Dial(t, addr)
		a.Login(password, "user", "ana", "database", db)
		b.Login(password, "user", "ana", "database", db)
		ask(a, "ana's", batch("select 'ana''s'")...)
		ask(b, "bea's", batch("select 'bea''s'")...)
		ask(a, "", pgtest.Parse("p", "select 1"), pgtest.Sync())
		ask(a, "", pgtest.Parse("d", "deallocate p"), pgtest.Sync())
		ask(a, "ana's", execute...)
	})
}
