package main

import (
	"sync"
	"testing"
)

// TestPairs finds the vector's own counter of both labels, whoever else looks for
// one at the same time.
func TestPairs(t *testing.T) {
	p := pairs{vec: vec("c", "help", "kind", "verdict")}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				for _, of := range [][2]string{{"select", "allowed"}, {"select", "42501"}, {"ask", "allowed"}} {
					if p.of(of[0], of[1]) != p.vec.WithLabelValues(of[0], of[1]) {
						t.Errorf("%v is counted by another", of)
					}
				}
			}
		})
	}
	all.Wait()
	if n := len(*p.found.Load()); n != 3 {
		t.Errorf("%d counters are known", n)
	}
}
