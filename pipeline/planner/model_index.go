package planner

import (
	"sync"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/semantic"
)

// mostIndexes bounds the indexes kept: one for each snapshot that a role's
// view made. An old one goes when a new one comes.
const mostIndexes = 16

// indexes keeps the indexes of the catalogs that were asked about last. They
// are told apart by identity, never by version: two roles may see equal
// schemas and other values, and neither may search the other's.
type indexes struct {
	mu   sync.Mutex
	kept []*keptIndex // most recently used last
}

type keptIndex struct {
	catalog  *catalog.Snapshot
	semantic *semantic.Model
	once     sync.Once
	index    *index.Index
}

func newIndexes() *indexes { return &indexes{} }

// of gives the index of what the asker may see, built at its first use.
func (x *indexes) of(in Input) *index.Index {
	k := x.entry(in)
	k.once.Do(func() { k.index = index.Build(in.Catalog, in.Semantic) })
	return k.index
}

func (x *indexes) entry(in Input) *keptIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, k := range x.kept {
		if k.catalog == in.Catalog && k.semantic == in.Semantic {
			x.kept = append(append(x.kept[:i:i], x.kept[i+1:]...), k)
			return k
		}
	}
	k := &keptIndex{catalog: in.Catalog, semantic: in.Semantic}
	x.kept = append(x.kept, k)
	if len(x.kept) > mostIndexes {
		x.kept = append([]*keptIndex(nil), x.kept[1:]...)
	}
	return k
}
