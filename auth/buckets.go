package auth

import (
	"container/list"
	"time"
)

// buckets are token buckets by key, of which those touched last are kept.
type buckets struct {
	size   float64 // tokens of a full one; it fills up in a minute
	most   int
	order  *list.List // of bucket, the one taken from last in front
	by     map[uint64]*list.Element
	filled time.Duration
}

type bucket struct {
	key    uint64
	tokens float64
	at     time.Time // when tokens was right
	told   bool      // that it is empty, since it was last full
}

func newBuckets(size, most int) *buckets {
	return &buckets{size: float64(size), most: most, order: list.New(), by: map[uint64]*list.Element{}, filled: time.Minute}
}

// empty tells whether there is no whole token in a bucket.
func (b *buckets) empty(key uint64, now time.Time) bool {
	e, ok := b.by[key]
	return ok && b.tokens(e.Value.(*bucket), now) < 1
}

// take takes a token, if there is one. It reports whether that empties the
// bucket for the first time since it was full.
func (b *buckets) take(key uint64, now time.Time) (emptied bool) {
	e, ok := b.by[key]
	if !ok {
		e = b.order.PushFront(&bucket{key: key, tokens: b.size, at: now})
		b.by[key] = e
		if b.order.Len() > b.most {
			last := b.order.Back()
			delete(b.by, b.order.Remove(last).(*bucket).key)
		}
	}
	b.order.MoveToFront(e)
	one := e.Value.(*bucket)
	have := b.tokens(one, now)
	one.told = one.told && have < b.size
	one.tokens, one.at = max(0, have-1), now
	emptied = one.tokens < 1 && !one.told
	one.told = one.told || emptied
	return emptied
}

// tokens are what a bucket holds now.
func (b *buckets) tokens(one *bucket, now time.Time) float64 {
	return min(b.size, one.tokens+b.size*float64(now.Sub(one.at))/float64(b.filled))
}
