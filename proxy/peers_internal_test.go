package proxy

import (
	"testing"
	"time"
)

// TestRate: a peer is sent a hundred requests at once, then a hundred a second.
func TestRate(t *testing.T) {
	l, now := newLinks(1), time.Unix(0, 0)
	took := func() (n int) {
		for l.take(1, now) {
			n++
		}
		return n
	}
	for _, c := range []struct {
		after time.Duration
		want  int
	}{{0, perSecond}, {0, 0}, {250 * time.Millisecond, perSecond / 4}, {time.Hour, perSecond}} {
		now = now.Add(c.after)
		if got := took(); got != c.want {
			t.Errorf("after %s: %d, want %d", c.after, got, c.want)
		}
	}
	if !l.take(2, now) {
		t.Error("one peer's requests count for another")
	}
}
