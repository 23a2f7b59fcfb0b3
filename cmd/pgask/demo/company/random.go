package company

import (
	"math/bits"
	"math/rand/v2"
)

// random draws numbers from PCG, whose sequence is part of its definition; the
// helpers are our own, because those of math/rand may change between releases.
type random struct{ pcg *rand.PCG }

// stream gives each table its own numbers, so that a change to one table leaves
// the others as they are.
func stream(seed, table uint64) random { return random{rand.NewPCG(seed, table)} }

// below is a number from 0 to n-1; n must be positive. The bias of the
// multiplication is far below what 20,000 rows can show.
func (r random) below(n int) int {
	high, _ := bits.Mul64(r.pcg.Uint64(), uint64(n))
	return int(high)
}

// between is a number from low to high, both included.
func (r random) between(low, high int) int { return low + r.below(high-low+1) }

// chance is true in perMille of 1000 cases.
func (r random) chance(perMille int) bool { return r.below(1000) < perMille }

// weighted is an index into weights, each as likely as its weight says.
func (r random) weighted(weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	x := r.below(total)
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	return len(weights) - 1
}

// pick is one of the values.
func pick[T any](r random, values []T) T { return values[r.below(len(values))] }
