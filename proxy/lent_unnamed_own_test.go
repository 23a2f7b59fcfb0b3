package proxy_test

import (
	"testing"
	"time"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/pgtest"
)

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
