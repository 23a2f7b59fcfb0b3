package pipeline

import (
	"sync"
	"testing"
	"time"

	"github.com/pgask/pgask/pipeline/planner"
)

// TestLedger holds what a day's tokens are: each user's own, whole at midnight, and
// never more than the limit for those who ask at once.
func TestLedger(t *testing.T) {
	var l ledger
	reserve := func(user string, tokens, limit int64, now time.Time) bool {
		return l.reserve(user, planner.Spend{Tokens: tokens}, planner.Spend{Tokens: limit}, now) == nil
	}
	settle := func(user string, tokens int64, now time.Time) { l.settle(user, planner.Spend{Tokens: tokens}, now) }
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
		if got := reserve(c.user, c.tokens, 100, c.now); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	settle("ana", -30, noon.Add(12*time.Hour))
	if reserve("ana", 31, 100, noon.Add(12*time.Hour)) || !reserve("ana", 30, 100, noon.Add(12*time.Hour)) {
		t.Error("what wasn't needed isn't given back")
	}
	settle("ana", 500, noon.Add(12*time.Hour))
	settle("ana", -1000, noon.Add(12*time.Hour))
	if reserve("ana", 101, 100, noon.Add(12*time.Hour)) {
		t.Error("somebody has more than the limit")
	}

	var at sync.WaitGroup
	var mu sync.Mutex
	granted := 0
	for range 50 {
		at.Go(func() {
			if reserve("finn", 10, 100, noon) {
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
	dear := planner.Spend{Tokens: 1, Money: 600_000}
	limit := planner.Spend{Tokens: 100, Money: 1_000_000}
	if over := l.reserve("eve", dear, limit, noon); over != nil {
		t.Errorf("the first: %v", over)
	}
	if over := l.reserve("eve", dear, limit, noon); over == nil || !over.Money || !over.Day || over.Limit != limit.Money {
		t.Errorf("more money than there is: %+v", over)
	}
	if got := millionths(0.0000001); got != 1 {
		t.Errorf("the least limit is %d", got)
	}
}
