package pipeline

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
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

// get is the result under key. The computation is nobody's own: a caller whose
// ctx ends stops waiting, and the others get the whole result nevertheless. So
// compute must end by itself.
func (m *memo[V]) get(ctx context.Context, key string, compute func(context.Context) (V, error)) (V, error) {
	m.mu.Lock()
	v, ok := m.have[key]
	m.mu.Unlock()
	if ok {
		return v, nil
	}
	done := m.flight.DoChan(key, func() (any, error) {
		v, err := contained(func() (V, error) { return compute(context.WithoutCancel(ctx)) })
		if err == nil {
			m.put(key, v)
		}
		return v, err
	})
	select {
	case r := <-done:
		v, _ = r.Val.(V)
		return v, r.Err
	case <-ctx.Done():
		return v, ctx.Err()
	}
}

// contained turns a panic into an error: it happens on a goroutine of no
// session, where nobody else would.
func contained[V any](compute func() (V, error)) (v V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return compute()
}

// forget drops the results that are no longer wanted.
func (m *memo[V]) forget(unwanted func(V) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.have, func(_ string, v V) bool { return unwanted(v) })
}

func (m *memo[V]) put(key string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.have == nil || len(m.have) >= memoSize {
		m.have = map[string]V{}
	}
	m.have[key] = v
}
