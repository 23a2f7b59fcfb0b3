package index

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
)

// scripted is a memory whose updates wait to be let through, or fail.
type scripted struct {
	*Memory
	gate chan error
}

func (s *scripted) Update(ctx context.Context, ed Edition, e Embedder) (Built, error) {
	select {
	case err := <-s.gate:
		if err != nil {
			return Built{}, err
		}
		return s.Memory.Update(ctx, ed, e)
	case <-ctx.Done():
		return Built{}, ctx.Err()
	}
}

// observed counts what an Observer hears.
type observed struct {
	mu                        sync.Mutex
	built, failed, unsearched int
}

func (o *observed) Indexed(_ string, _ Built, _ time.Duration, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.failed++
	} else {
		o.built++
	}
}

func (o *observed) Searched(_ string, _ time.Duration, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.unsearched++
	}
}

func schemaOf(s *catalog.Snapshot) Schema {
	return Schema{Database: "acme", Snapshot: s, Meaning: &configs.Semantic{}}
}

// Vectors are made aside, once for a schema, again when it changes, and again
// after a failure but not at once; meanwhile the old ones are searched.
func TestVectorsFollowTheSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, seen := &scripted{NewMemory(), make(chan error)}, &observed{}
		v := NewVectors(store, nil, seen, slog.New(slog.DiscardHandler), time.Now)
		defer v.Close()
		first := schemaOf(snapshot(shop()...))
		found := func(s Schema, question string) int { return len(v.Near(t.Context(), s, question, nil)) }
		if found(first, "products") != 0 {
			t.Error("found before anything was there")
		}
		store.gate <- errors.New("down")
		synctest.Wait()
		found(first, "products")
		select {
		case store.gate <- nil:
			t.Error("tried again at once")
		default:
		}
		time.Sleep(retryAfter)
		found(first, "products")
		store.gate <- nil
		synctest.Wait()
		if found(first, "products") == 0 {
			t.Error("found nothing")
		}
		synctest.Wait()
		second := schemaOf(snapshot(append(shop(), table("zebras", "stripes"))...))
		if found(second, "products") == 0 {
			t.Error("the old vectors are gone")
		}
		store.gate <- nil
		synctest.Wait()
		if near := v.Near(t.Context(), second, "zebras", nil); len(near) == 0 || near[0].Table.Table != "zebras" {
			t.Errorf("found %v", near)
		}
		if seen.built != 2 || seen.failed != 1 || seen.unsearched != 0 {
			t.Errorf("%+v", seen)
		}
	})
}

// mute is an embedder that no question gets a vector of in time.
type mute struct{ *Lexical }

func (mute) Query(ctx context.Context, _ string) ([]float32, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestVectorsGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := &observed{}
		v := NewVectors(NewMemory(), mute{NewLexical(nil)}, seen, slog.New(slog.DiscardHandler), time.Now)
		s := schemaOf(snapshot(shop()...))
		if built, err := v.Rebuild(t.Context(), s); err != nil || !built.Changed {
			t.Errorf("%+v, %v", built, err)
		}
		start := time.Now()
		if near := v.Near(t.Context(), s, "products", nil); near != nil || time.Since(start) != searchTime || seen.unsearched != 1 {
			t.Errorf("%v after %s", near, time.Since(start))
		}
		v.Close()
	})
}

// Closing ends an update that hangs.
func TestVectorsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := NewVectors(&scripted{NewMemory(), make(chan error)}, nil, &observed{}, slog.New(slog.DiscardHandler), time.Now)
		v.Near(t.Context(), schemaOf(snapshot(shop()...)), "products", nil)
		v.Close()
	})
}
