package proxy

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline"
	"github.com/pgask/pgask/pipeline/redact"
)

// TestOwedOrder: replies come out in their order, however many wait.
func TestOwedOrder(t *testing.T) {
	const n = 10_000
	q := newOwed()
	marks := make([]pipeline.Run, 7)
	pushed, popped := 0, 0
	for round := 1; popped < n; round++ {
		for range round * 37 % 200 {
			if pushed == n {
				break
			}
			kind := owesParse
			if pushed%10 == 9 {
				kind = owesSync
			}
			q.push(owedReply{kind: kind, run: &marks[pushed%7]})
			pushed++
		}
		for range min(pushed-popped, round*41%200) {
			if q.head().run != &marks[popped%7] {
				t.Fatalf("reply %d is another one", popped)
			}
			q.pop(false)
			popped++
		}
	}
	if !q.empty() || q.head() != nil || q.settled != n/10 {
		t.Errorf("empty %v, settled %d", q.empty(), q.settled)
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
	if n.get(name, q) != nil || !n.none() {
		t.Error("a Close that worked frees the name")
	}
	for range 1000 { // what was replaced is not kept
		batch(owesParse, n.set(nil, q, one), false)
	}
	depth := 0
	for c := n.unnamed; c != nil; c = c.below {
		depth++
	}
	if depth > 2 {
		t.Errorf("a name remembers %d changes", depth)
	}
}

// TestNamesCleared: DEALLOCATE ALL frees what was there before it, and not the
// unnamed statement.
func TestNamesCleared(t *testing.T) {
	q := newOwed()
	var n names
	one, a, b := &object{}, []byte("a"), []byte("b")
	batch := func(c *change, failed bool) {
		q.push(owedReply{kind: owesExecute, change: c})
		q.push(owedReply{kind: owesSync})
		q.pop(failed)
		q.pop(false)
	}
	for _, name := range [][]byte{nil, a} {
		batch(n.set(name, q, one), false)
	}
	batch(n.clear(q), true)
	if n.get(a, q) != one {
		t.Error("a clear that failed frees nothing")
	}
	c := n.clear(q)
	after := n.set(b, q, one)
	if n.get(a, q) != nil || n.get(b, q) != one || n.get(nil, q) != one {
		t.Error("within its batch a clear counts at once, for what was there")
	}
	q.push(owedReply{kind: owesExecute, change: c})
	batch(after, false)
	if n.unsettled(a, q) == nil {
		t.Error("the next batch must wait for the clear")
	}
	for q.head() != nil {
		q.pop(false)
	}
	if n.get(a, q) != nil || n.get(b, q) != one || n.get(nil, q) != one || len(n.by) != 1 || n.clears != nil {
		t.Errorf("after it: %v, %v", n.by, n.clears)
	}
}

// TestDoubt: what a cancelled statement may have done stands for nothing.
func TestDoubt(t *testing.T) {
	q := newOwed()
	var n names
	name := []byte("a")
	for code, known := range map[string]bool{"42P05": true, "25P02": true, "57014": false, "40001": false, "": false} {
		c := n.set(name, q, &object{})
		q.push(owedReply{kind: owesQuery, change: c})
		q.pop(false)
		c = n.set(name, q, &object{})
		q.push(owedReply{kind: owesQuery, renames: []*change{c}})
		r := replies{q: q}
		r.failed(code)
		q.pop(false)
		if got := n.get(name, q) != nil; got != known {
			t.Errorf("after %q the name is known: %v", code, got)
		}
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

// TestOwedBytes: long texts fill the queue, unless what is in it is skipped.
func TestOwedBytes(t *testing.T) {
	q := newOwed()
	long := owedReply{kind: owesParse, own: &redact.Own{Client: strings.Repeat("x", maxOwedBytes/2), Sent: "x"}}
	q.push(long)
	if q.full() {
		t.Error("full too early")
	}
	q.push(long)
	if !q.full() {
		t.Error("not full")
	}
	q.skipping = true
	if q.full() {
		t.Error("what is skipped waits for its Sync")
	}
	q.skipping = false
	q.pop(false)
	if q.full() {
		t.Error("full still")
	}
	q.pop(false)
	if q.bytes != 0 {
		t.Errorf("%d bytes of nothing", q.bytes)
	}
}
