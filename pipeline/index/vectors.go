package index

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

const (
	// searchTime bounds a search by vectors, the question's own vector included.
	// A question that gets none in time goes on with what words find.
	searchTime = 5 * time.Second
	// retryAfter is how long a database whose vectors could not be made is left
	// alone.
	retryAfter = 30 * time.Second
	// nearChunks is how many chunks a search asks for: enough for many more
	// tables than are shown.
	nearChunks = 100
)

// Schema is a database's as its questions are read against it. It is told apart
// by identity: a schema that was read again and a model that was loaded again
// are new ones.
type Schema struct {
	Database string
	Snapshot *catalog.Snapshot
	Meaning  *configs.Semantic
}

// Observer hears what became of vectors, for metrics. Its methods must not block.
type Observer interface {
	// Indexed counts an update of a database's vectors.
	Indexed(database string, b Built, took time.Duration, err error)
	// Searched counts a search.
	Searched(database string, took time.Duration, err error)
}

// Vectors searches the schemas of databases by vectors, and brings those up to
// date aside when a question finds that a schema or its meaning has changed. Nothing it
// fails at keeps a question from being answered. It is safe for concurrent use.
type Vectors struct {
	store    Store
	embedder Embedder // nil for the built-in one
	observe  Observer
	log      *slog.Logger
	now      func() time.Time

	mu      sync.Mutex
	known   map[string]*indexed // by database
	asides  sync.WaitGroup
	closing context.Context
	closed  context.CancelFunc
}

// indexed is one schema on its way into the store.
type indexed struct {
	schema Schema
	once   sync.Once
	// embedder and edition are there once prepared.
	embedder Embedder
	edition  Edition
	// busy while it is brought up to date; done afterwards, or due again at retry.
	busy, done bool
	retry      time.Time
}

// NewVectors makes one over a store; a nil embedder is the built-in one. Close
// closes the store too.
func NewVectors(store Store, e Embedder, observe Observer, log *slog.Logger, now func() time.Time) *Vectors {
	v := &Vectors{store: store, embedder: e, observe: observe, log: log, now: now, known: map[string]*indexed{}}
	v.closing, v.closed = context.WithCancel(context.Background())
	return v
}

// Close ends updates that are under way.
func (v *Vectors) Close() {
	v.closed()
	v.asides.Wait()
	v.store.Close()
}

// Near gives the chunks nearest to a question, of the tables given or, where
// those are nil, of all; nearest first. It is empty where vectors can't be had.
func (v *Vectors) Near(ctx context.Context, s Schema, question string, tables []catalog.Name) []Near {
	x := v.keep(s)
	ctx, stop := context.WithTimeout(ctx, searchTime)
	defer stop()
	start := v.now()
	near, err := v.search(ctx, x, question, tables)
	v.observe.Searched(s.Database, v.now().Sub(start), err)
	if err != nil {
		v.log.Warn("the schema was searched without vectors", "database", s.Database, "error", err)
		return nil
	}
	return near
}

func (v *Vectors) search(ctx context.Context, x *indexed, question string, tables []catalog.Name) ([]Near, error) {
	vector, err := x.embedder.Query(ctx, question)
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	return v.store.Search(ctx, Query{Database: x.schema.Database, Embedder: x.embedder.Name(), Vector: vector, Tables: tables, Most: nearChunks})
}

// Rebuild brings a schema's vectors up to date and waits for that.
func (v *Vectors) Rebuild(ctx context.Context, s Schema) (Built, error) {
	x := &indexed{schema: s}
	x.prepare(v.embedder)
	return v.update(ctx, x)
}

func (v *Vectors) update(ctx context.Context, x *indexed) (Built, error) {
	start := v.now()
	built, err := v.store.Update(ctx, x.edition, x.embedder)
	v.observe.Indexed(x.schema.Database, built, v.now().Sub(start), err)
	return built, err
}

// prepare makes chunks of the schema, once, and the built-in embedder for them.
func (x *indexed) prepare(e Embedder) {
	x.once.Do(func() {
		model, _ := semantic.Build(*x.schema.Meaning, x.schema.Snapshot)
		chunks := Chunks(x.schema.Snapshot, model)
		if e == nil {
			e = NewLexical(Texts(chunks))
		}
		x.embedder, x.edition = e, NewEdition(x.schema.Database, e, chunks)
	})
}

// keep finds the schema's entry, or begins one, and starts the update that it
// lacks.
func (v *Vectors) keep(s Schema) *indexed {
	v.mu.Lock()
	x := v.known[s.Database]
	if x == nil || x.schema != s {
		x = &indexed{schema: s}
		v.known[s.Database] = x
	}
	due := !x.busy && !x.done && !v.now().Before(x.retry) && v.closing.Err() == nil
	if due {
		x.busy = true
		v.asides.Add(1)
	}
	v.mu.Unlock()
	x.prepare(v.embedder)
	if due {
		go v.aside(x)
	}
	return x
}

// aside updates the store while questions go on. A schema that has changed
// again meanwhile has an entry of its own.
func (v *Vectors) aside(x *indexed) {
	defer v.asides.Done()
	built, err := v.update(v.closing, x)
	v.mu.Lock()
	x.busy, x.done, x.retry = false, err == nil, v.now().Add(retryAfter)
	v.mu.Unlock()
	switch {
	case v.closing.Err() != nil:
	case err != nil:
		v.log.Warn("the index could not be brought up to date", "database", x.schema.Database, "error", err)
	case built.Changed:
		v.log.Info("index built", "database", x.schema.Database, "chunks", built.Chunks, "embedded", built.Embedded)
	}
}
