package integration

import (
	"testing"
	"time"
)

// TestCancelPreflight cancels a statement while Postgres is at its EXPLAIN, on
// a connection of our own: the client hears at once, and the EXPLAIN ends.
func TestCancelPreflight(t *testing.T) {
	f := acme(t)
	ana, direct, locker := f.Connect(t, "ana"), f.Direct(t), f.Direct(t)
	const statement = "SELECT count(*) FROM products"
	table(t, ana, "SELECT count(*) FROM accounts") // has the schema read; the estimate of the statement is still to be made
	table(t, locker, "BEGIN")
	table(t, locker, "LOCK TABLE products IN ACCESS EXCLUSIVE MODE")
	const waiting = "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
	ended := make(chan error, 1)
	go func() {
		_, err := tryTable(ana, statement)
		ended <- err
	}()
	waitFor(t, func() bool { return len(table(t, direct, waiting)) == 1 })
	if got := table(t, direct, waiting+" and query like '%;EXPLAIN (%'"); len(got) != 1 {
		t.Fatalf("what waits is no EXPLAIN: %v", table(t, direct, waiting))
	}
	asked := time.Now()
	if err := ana.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; sqlState(err) != "57014" {
		t.Errorf("cancelled in EXPLAIN: %v after %s", err, time.Since(asked))
	}
	waitFor(t, func() bool { return len(table(t, direct, waiting)) == 0 })
	table(t, locker, "ROLLBACK")
	table(t, ana, statement)
}
