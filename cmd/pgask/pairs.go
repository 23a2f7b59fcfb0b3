package main

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// pairs finds the counters of a vector of two labels by one look-up in a map that
// nobody changes: each statement takes one, and there are few.
type pairs struct {
	vec   *prometheus.CounterVec
	mu    sync.Mutex // held to replace found
	found atomic.Pointer[map[[2]string]prometheus.Counter]
}

// of is the counter of two values.
func (p *pairs) of(first, second string) prometheus.Counter {
	key := [2]string{first, second}
	if known := p.found.Load(); known != nil {
		if c := (*known)[key]; c != nil {
			return c
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	more := map[[2]string]prometheus.Counter{key: p.vec.WithLabelValues(first, second)}
	if known := p.found.Load(); known != nil {
		maps.Copy(more, *known)
	}
	p.found.Store(&more)
	return more[key]
}
