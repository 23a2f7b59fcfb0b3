package pipeline

import (
	"sync"
	"testing"
	"time"
)

// TestLedger holds what a day's tokens are: each user's own, whole at midnight, and
// never more than the limit for those who ask at once.
func TestLedger(t *testing.T) {
	var l ledger
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		user   string
		tokens int64
		now    time.Time
		want   bool
	}{
		{"ana", 60, noon, true},
		{"ana", 41, noon, false},
		{"ana", 40, noon, true},
		{"ben", 100, noon, true},
		{"ana", 1, noon.Add(11 * time.Hour), false},
		{"ana", 1, noon.Add(11 * time.Hour).In(time.FixedZone("", 3600*9)), false},
		{"ana", 100, noon.Add(12 * time.Hour), true},
	} {
		if got := l.reserve(c.user, c.tokens, 100, c.now); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	l.settle("ana", -30, noon.Add(12*time.Hour))
	if l.reserve("ana", 31, 100, noon.Add(12*time.Hour)) || !l.reserve("ana", 30, 100, noon.Add(12*time.Hour)) {
		t.Error("what wasn't needed isn't given back")
	}
	l.settle("ana", 500, noon.Add(12*time.Hour))
	l.settle("ana", -1000, noon.Add(12*time.Hour))
	if l.reserve("ana", 101, 100, noon.Add(12*time.Hour)) {
		t.Error("somebody has more than the limit")
	}

	var at sync.WaitGroup
	var mu sync.Mutex
	granted := 0
	for range 50 {
		at.Go(func() {
			if l.reserve("finn", 10, 100, noon) {
				mu.Lock()
				granted++
				mu.Unlock()
			}
		})
	}
	at.Wait()
	if granted != 10 {
		t.Errorf("%d calls of 10 tokens within 100", granted)
	}
}
