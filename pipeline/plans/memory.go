package plans

import (
	"container/list"
	"context"
	"sync"
)

// MemoryBytes is how much a Memory keeps, keys included.
const MemoryBytes = 16 << 20

// Memory keeps plans until the process ends, at most MemoryBytes of them: those
// that were used least recently go first. The zero value is empty and ready.
type Memory struct {
	mu    sync.Mutex
	by    map[string]*list.Element
	used  list.List // the one used last in front
	bytes int
}

type remembered struct {
	key  string
	plan []byte
}

func (r *remembered) size() int { return len(r.key) + len(r.plan) }

// Get is the plan under the first of the keys that has one, else nil. It never fails.
func (m *Memory) Get(_ context.Context, keys []string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range keys {
		if e := m.by[key]; e != nil {
			m.used.MoveToFront(e)
			return e.Value.(*remembered).plan, nil
		}
	}
	return nil, nil
}

// Keep keeps a plan, in the place of the one under its key.
func (m *Memory) Keep(key string, plan []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by == nil {
		m.by = map[string]*list.Element{}
	}
	if old := m.by[key]; old != nil {
		m.drop(old)
	}
	r := &remembered{key, plan}
	m.by[key] = m.used.PushFront(r)
	for m.bytes += r.size(); m.bytes > MemoryBytes; {
		m.drop(m.used.Back())
	}
}

func (m *Memory) drop(e *list.Element) {
	r := m.used.Remove(e).(*remembered)
	delete(m.by, r.key)
	m.bytes -= r.size()
}

// Clear forgets all plans and tells how many there were. It never fails.
func (m *Memory) Clear(context.Context) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := int64(len(m.by))
	m.by, m.bytes = nil, 0
	m.used.Init()
	return n, nil
}
