package pipeline

import (
	"sync"

	"golang.org/x/sync/singleflight"
)

// memoSize is how many results a memo keeps; past it, it forgets them all,
// which is rare and costs only time.
const memoSize = 64

// memo remembers expensive results by key. Callers that want the same one wait
// for a single computation; failures are not remembered.
type memo[V any] struct {
	mu     sync.Mutex
	have   map[string]V
	flight singleflight.Group
}

func (m *memo[V]) get(key string, compute func() (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.have[key]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	got, err, _ := m.flight.Do(key, func() (any, error) {
		v, err := compute()
		if err == nil {
			m.put(key, v)
		}
		return v, err
	})
	v, _ = got.(V)
	return v, err
}

func (m *memo[V]) put(key string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.have == nil || len(m.have) >= memoSize {
		m.have = map[string]V{}
	}
	m.have[key] = v
}
