package proxy

import (
	"testing"

	"github.com/pgask/pgask/pipeline"
)

// TestOwedOrder passes many replies from one goroutine to another.
func TestOwedOrder(t *testing.T) {
	const n = 100_000
	q := newOwed()
	marks := make([]pipeline.Run, 7)
	ended := make(chan struct{})
	go func() {
		for i := range n {
			if q.full() {
				q.wait(func() bool { return !q.full() }, ended)
			}
			kind := owesParse
			if i%10 == 9 {
				kind = owesSync
			}
			q.push(owedReply{kind: kind, run: &marks[i%7]})
		}
	}()
	for i := 0; i < n; {
		head := q.head()
		if head == nil {
			continue
		}
		if head.run != &marks[i%7] {
			t.Fatalf("reply %d is another one", i)
		}
		q.pop(false)
		i++
	}
	if !q.empty() || q.settled.Load() != n/10 {
		t.Errorf("empty %v, settled %d", q.empty(), q.settled.Load())
	}
}

// TestOwedAllocates nothing where replies come as fast as messages.
func TestOwedAllocates(t *testing.T) {
	q := newOwed()
	round := func() {
		for range 5 {
			q.push(owedReply{kind: owesParse})
		}
		q.push(owedReply{kind: owesSync})
		for q.head() != nil {
			q.pop(false)
		}
	}
	for range 100 { // both chunks exist then
		round()
	}
	if allocs := testing.AllocsPerRun(1000, round); allocs != 0 {
		t.Errorf("%v allocations a batch", allocs)
	}
}

func TestNames(t *testing.T) {
	q := newOwed()
	var n names
	one, two := &object{}, &object{}
	batch := func(kind owedKind, c *change, failed bool) {
		q.push(owedReply{kind: kind, change: c})
		q.push(owedReply{kind: owesSync})
		q.pop(failed)
		q.pop(false)
	}
	name := []byte("a")
	batch(owesParse, n.set(name, q, one), false)
	if n.get(name, q) != one {
		t.Error("a Parse that worked")
	}
	batch(owesParse, n.set(name, q, two), true)
	if n.get(name, q) != one {
		t.Error("a Parse that failed must not replace")
	}
	batch(owesClose, n.set(name, q, nil), true)
	if n.get(name, q) != one {
		t.Error("a Close that was skipped must not free")
	}
	c := n.set(name, q, nil)
	if n.get(name, q) != nil {
		t.Error("within its batch a Close counts at once")
	}
	q.push(owedReply{kind: owesClose, change: c})
	q.push(owedReply{kind: owesSync})
	if n.unsettled(name, q) == nil {
		t.Error("the next batch must wait")
	}
	q.pop(false)
	q.pop(false)
	if n.get(name, q) != nil || len(n.by) != 0 {
		t.Error("a Close that worked frees the name")
	}
	for range 1000 { // what was replaced is not kept
		batch(owesParse, n.set(nil, q, one), false)
	}
	depth := 0
	for c := n.by[""]; c != nil; c = c.below {
		depth++
	}
	if depth > 2 {
		t.Errorf("a name remembers %d changes", depth)
	}
}

func BenchmarkOwed(b *testing.B) {
	q := newOwed()
	b.ReportAllocs()
	for b.Loop() {
		q.push(owedReply{kind: owesParse})
		q.head()
		q.pop(false)
	}
}
