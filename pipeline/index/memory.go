package index

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/pgask/pgask/pipeline/catalog"
)

// Memory is a store in the process: each instance editions its own, and again
// after each start.
type Memory struct {
	mu       sync.Mutex
	editions map[string]*memoryEdition // by database
}

// memoryEdition is immutable. Vectors have length 1.
type memoryEdition struct {
	Edition
	vectors [][]float32
}

// NewMemory makes an empty store.
func NewMemory() *Memory { return &Memory{editions: map[string]*memoryEdition{}} }

func (m *Memory) edition(database string) *memoryEdition {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.editions[database]
}

// Update fails only where the embedder does.
func (m *Memory) Update(ctx context.Context, b Edition, e Embedder) (Built, error) {
	old := m.edition(b.Database)
	if old != nil && old.Digest == b.Digest {
		return Built{Chunks: len(b.Chunks)}, nil
	}
	known := map[string][]float32{}
	if old != nil && old.Embedder == b.Embedder {
		for i, c := range old.Chunks {
			known[c.Text] = old.vectors[i]
		}
	}
	texts := slices.DeleteFunc(Texts(b.Chunks), func(text string) bool { return known[text] != nil })
	fresh, err := e.Documents(ctx, texts)
	if err != nil {
		return Built{}, fmt.Errorf("embed the schema: %w", err)
	}
	for i, text := range texts {
		known[text] = unit(fresh[i])
	}
	next := &memoryEdition{Edition: b}
	for _, c := range b.Chunks {
		next.vectors = append(next.vectors, known[c.Text])
	}
	m.mu.Lock()
	m.editions[b.Database] = next
	m.mu.Unlock()
	return Built{Changed: true, Chunks: len(b.Chunks), Embedded: len(texts)}, nil
}

// Search compares with every chunk.
func (m *Memory) Search(_ context.Context, q Query) ([]Near, error) {
	b := m.edition(q.Database)
	if b == nil || b.Embedder != q.Embedder {
		return nil, nil
	}
	var within map[catalog.Name]bool
	if q.Tables != nil {
		within = make(map[catalog.Name]bool, len(q.Tables))
		for _, n := range q.Tables {
			within[n] = true
		}
	}
	question := unit(q.Vector)
	var out []Near
	for i, c := range b.Chunks {
		if (within == nil || within[c.Table]) && len(b.vectors[i]) == len(question) {
			out = append(out, Near{c.Kind, c.Table, c.Name, dot(question, b.vectors[i])})
		}
	}
	slices.SortStableFunc(out, func(a, b Near) int {
		switch {
		case a.Likeness > b.Likeness:
			return -1
		case a.Likeness < b.Likeness:
			return 1
		}
		return 0
	})
	return out[:min(len(out), q.Most)], nil
}

// Close has nothing to end.
func (m *Memory) Close() {}

func dot(a, b []float32) float64 {
	var sum float32
	for i, x := range a {
		sum += x * b[i]
	}
	return float64(sum)
}

// unit is the vector of the same direction and length 1.
func unit(v []float32) []float32 {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return v
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(square))
	}
	return out
}
