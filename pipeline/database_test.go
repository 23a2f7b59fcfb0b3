package pipeline

import (
	"context"
	"testing"
	"time"
)

// A statement that needs nothing new of the schema doesn't wait for one that
// does, however long the catalog takes to read; and who waits can leave.
func TestKnownSchemaIsNotWaitedFor(t *testing.T) {
	f := newFixture(t)
	f.session("clerk") // has the schema read
	lock, err := f.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Exec(t.Context(), "LOCK TABLE pg_catalog.pg_attribute IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	waiting, leave := context.WithCancel(t.Context())
	reading := make(chan struct{})
	left := make(chan error)
	f.db.now = func() time.Time {
		select {
		case <-reading:
		default:
			close(reading) // asked how old the schema is: it is somebody's turn
		}
		return time.Now().Add(time.Hour)
	}
	go func() {
		_, err := f.db.Refresh(waiting)
		left <- err
	}()
	<-reading
	if _, err := f.db.Snapshot(t.Context()); err != nil {
		t.Error(err)
	}
	second, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.db.Refresh(second); sqlState(err) != "57P03" {
		t.Errorf("a second reader: %v", err)
	}
	leave()
	if err := <-left; err == nil {
		t.Error("the catalog was read in spite of the lock")
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.db.Refresh(t.Context()); err != nil {
		t.Errorf("after that: %v", err)
	}
}
