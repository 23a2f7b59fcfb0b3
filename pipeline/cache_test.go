package pipeline

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pgask/pgask/policy"
)

// distinct is a ruling about one text, with strings of its own.
func distinct(i int) (textKey, *ruling) {
	text := fmt.Sprintf("SELECT %d, %s", i, strings.Repeat("x", 100+i%400))
	v := &verdict{text: text + " approved", facts: policy.Facts{Tag: "SELECT", Scopes: []string{strings.Clone(text)}, Columns: []string{"a"}}}
	v.receipt.Scopes = []string{strings.Clone(text)}
	return textKey{standing: 1, text: text}, &ruling{verdicts: []*verdict{v}, text: v.text}
}

func (c *cache) keep(k textKey, r *ruling) { c.put(k, r, r.bytes()+len(k.text)) }

// TestCacheIsBounded: however many texts come, what is kept takes no more than
// the bound, by the cache's own account and by the heap's.
func TestCacheIsBounded(t *testing.T) {
	const bound = 4 << 20
	c := newCache(bound)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 20_000 {
		k, r := distinct(i)
		c.keep(k, r)
		c.get(k)
		if got := c.bytes(); got > bound {
			t.Fatalf("%d bytes after %d texts", got, i+1)
		}
	}
	if c.bytes() < bound/2 {
		t.Errorf("only %d bytes are kept", c.bytes())
	}
	if after := heap(); after > before+bound {
		t.Errorf("the heap grew by %d bytes", after-before)
	}
	k, r := distinct(0)
	c.put(k, r, bound/4)
	if c.get(k) != nil {
		t.Error("a text that takes a quarter of all was kept")
	}
	none := newCache(0)
	if none.keep(k, r); none.get(k) != nil {
		t.Error("kept without any room")
	}
	runtime.KeepAlive(c)
}

// TestOneOffTexts: texts that come once don't push out what comes again.
func TestOneOffTexts(t *testing.T) {
	c := newCache(4 << 20)
	for i := range 100 {
		k, r := distinct(i)
		c.keep(k, r)
		c.get(k)
	}
	for i := range 50_000 {
		c.keep(distinct(1000 + i))
	}
	for i := range 100 {
		if k, _ := distinct(i); c.get(k) == nil {
			t.Fatalf("text %d is gone", i)
		}
	}
	// What is used no more goes when others are used again and again.
	for i := range 50_000 {
		k, r := distinct(1000 + i)
		c.keep(k, r)
		c.get(k)
	}
	if k, _ := distinct(0); c.get(k) != nil {
		t.Error("text 0 is still there")
	}
	if c.drop(func(k textKey) bool { return k.standing == 1 }); c.bytes() != 0 {
		t.Errorf("%d bytes are left", c.bytes())
	}
}

// TestCacheKeys: a key differs by each of its parts.
func TestCacheKeys(t *testing.T) {
	c, db := newCache(1<<20), &Database{}
	_, r := distinct(0)
	c.keep(textKey{db: db, standing: 1, text: "a", types: packed([]uint32{23})}, r)
	for _, k := range []textKey{{db, 1, "a", ""}, {db, 2, "a", packed([]uint32{23})}, {nil, 1, "a", packed([]uint32{23})},
		{db, 1, "A", packed([]uint32{23})}, {db, 1, "a", packed([]uint32{25})}, {db, 1, "a", packed([]uint32{23, 0})}} {
		if c.get(k) != nil {
			t.Errorf("%v was found", k)
		}
	}
	if c.get(textKey{db, 1, "a", packed([]uint32{23})}) != r {
		t.Error("not found")
	}
}

func TestCacheForMany(t *testing.T) {
	c := newCache(1 << 20)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				k, r := distinct(i % (100 * (g + 1)))
				if have := c.get(k); have != nil && have.text != r.text {
					t.Errorf("%q for %q", have.text, k.text)
				}
				c.keep(k, r)
				if i%500 == 0 {
					c.drop(func(k textKey) bool { return len(k.text)%2 == 0 })
				}
			}
		})
	}
	wg.Wait()
}

// bytes is how much is kept.
func (c *cache) bytes() int {
	n := 0
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		n += p.freshBytes + p.provenBytes
		p.mu.Unlock()
	}
	return n
}
