package pipeline

import (
	"container/list"
	"hash/maphash"
	"sync"
)

// shards is how many parts a cache has, each with its own lock.
const shards = 16

// cache keeps rulings in a bounded number of bytes. Those that were used again
// have three quarters of the room to themselves, so texts that come once, however
// many, don't push out those that come again (2Q, Johnson and Shasha 1994, without
// its list of what was pushed out). Its methods may be called by anybody; none waits
// for more than a look-up, save drop.
//
// The libraries that were looked at either bound the number of entries, hash keys
// without comparing them, or have goroutines of their own.
type cache struct {
	seed  maphash.Seed
	parts [shards]part
}

// part is one shard. Both lists have the entry used last in front.
type part struct {
	mu            sync.Mutex
	room          int
	by            map[textKey]*list.Element
	fresh, proven list.List
	freshBytes    int
	provenBytes   int
}

// textKey is what a verdict was asked for: a text with the types that its Parse
// declares, by somebody with a standing.
type textKey struct {
	db       *Database
	standing uint64
	text     string
	types    string
}

type cached struct {
	key    textKey
	value  *ruling
	bytes  int
	proven bool
}

// newCache makes a cache of at most that many bytes, none for 0.
func newCache(bytes int) *cache {
	c := &cache{seed: maphash.MakeSeed()}
	for i := range c.parts {
		c.parts[i].room = bytes / shards
	}
	return c
}

func (c *cache) part(k textKey) *part {
	return &c.parts[(maphash.String(c.seed, k.text)^k.standing)%shards]
}

// get is what is kept under a key, else nil.
func (c *cache) get(k textKey) *ruling {
	p := c.part(k)
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.by[k]
	if e == nil {
		return nil
	}
	x := e.Value.(*cached)
	if x.proven {
		p.proven.MoveToFront(e)
		return x.value
	}
	p.take(e)
	x.proven = true
	p.put(x)
	for p.provenBytes > p.room/4*3 {
		p.demote()
	}
	return x.value
}

// put keeps a ruling of that many bytes, its key included, in place of what the
// key had. One that would take more than an eighth of a part isn't kept.
func (c *cache) put(k textKey, v *ruling, bytes int) {
	p := c.part(k)
	p.mu.Lock()
	defer p.mu.Unlock()
	x := &cached{key: k, value: v, bytes: bytes}
	if e := p.by[k]; e != nil {
		x.proven = e.Value.(*cached).proven
		p.take(e)
	}
	if bytes > p.room/8 {
		return
	}
	p.put(x)
	for p.freshBytes+p.provenBytes > p.room {
		if p.fresh.Len() == 0 {
			p.demote()
		}
		p.take(p.fresh.Back())
	}
}

// drop forgets the rulings whose key fits.
func (c *cache) drop(fits func(textKey) bool) {
	for i := range c.parts {
		p := &c.parts[i]
		p.mu.Lock()
		for k, e := range p.by {
			if fits(k) {
				p.take(e)
			}
		}
		p.mu.Unlock()
	}
}

// put puts an entry in front of its list.
func (p *part) put(x *cached) {
	if p.by == nil {
		p.by = map[textKey]*list.Element{}
	}
	if x.proven {
		p.by[x.key] = p.proven.PushFront(x)
		p.provenBytes += x.bytes
		return
	}
	p.by[x.key] = p.fresh.PushFront(x)
	p.freshBytes += x.bytes
}

// take takes an entry out.
func (p *part) take(e *list.Element) {
	x := e.Value.(*cached)
	delete(p.by, x.key)
	if x.proven {
		p.proven.Remove(e)
		p.provenBytes -= x.bytes
		return
	}
	p.fresh.Remove(e)
	p.freshBytes -= x.bytes
}

// demote puts what was used longest ago of the proven in front of the fresh.
func (p *part) demote() {
	e := p.proven.Back()
	x := e.Value.(*cached)
	p.take(e)
	x.proven = false
	p.put(x)
}
