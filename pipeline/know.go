package pipeline

import (
	"context"
	"time"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/index"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/policy"
)

// knowledge is what a session's questions are read against: the permitted
// schema with values that this user may see, and its meaning.
type knowledge struct {
	catalog  *catalog.Snapshot
	semantic *semantic.Model
	sampled  time.Time
}

// samplesAge is how old values may get before they are sampled again: rows come
// with values that nobody has named before.
const samplesAge = time.Hour

// know is what the standing's questions are read against. Where its values are
// old they are sampled again aside.
func (s *Session) know(ctx context.Context, at *standing) (*knowledge, error) {
	k := at.known.Load()
	if k == nil {
		return s.learn(ctx, at)
	}
	if s.p.samples && !s.db.offline && s.old(k) && at.learning.CompareAndSwap(false, true) {
		s.db.asides.Go(func() {
			defer at.learning.Store(false)
			s.db.known.forget(func(k *knowledge) bool { return s.old(k) })
			if _, err := s.learn(s.db.closing, at); err != nil {
				s.log.Debug("values are old and could not be sampled", "database", s.db.Name, "error", err)
			}
		})
	}
	return k, nil
}

func (s *Session) old(k *knowledge) bool { return s.p.now().Sub(k.sampled) >= samplesAge }

// learn samples the permitted columns through the user's own scopes, once for
// everybody who may see the same and knows the same of its meaning.
func (s *Session) learn(ctx context.Context, at *standing) (*knowledge, error) {
	model, _ := semantic.Build(*at.rules.Semantic, at.snap)
	key := at.view.Digest() + at.snap.Version + model.Version
	k, err := s.db.known.get(ctx, key, func(ctx context.Context) (*knowledge, error) {
		visible := at.view.Catalog()
		seen := model.Visible(visible)
		samples, inferred, err := s.sample(ctx, at, seen.Dimensions, planner.Inferable(visible, model))
		if err != nil {
			return nil, err
		}
		full := catalog.WithSamples(visible, samples)
		meaning := seen.WithSamples(samples)
		meaning.Inferred = inferred
		return &knowledge{catalog: full, semantic: meaning, sampled: s.p.now()}, nil
	})
	if err != nil {
		return nil, err
	}
	at.known.Store(k)
	return k, nil
}

// near searches the database's vectors for a question within the permitted
// tables; nil where there are none. The schema they are made of is the whole
// one, so that all users share them.
func (s *Session) near(at *standing, k *knowledge, question string) func(context.Context) []index.Near {
	if s.p.vectors == nil || s.db.offline {
		return nil
	}
	return func(ctx context.Context) []index.Near {
		var tables []catalog.Name
		if len(k.catalog.Tables) < len(at.snap.Tables) {
			tables = make([]catalog.Name, 0, len(k.catalog.Tables))
			for _, t := range k.catalog.Tables {
				tables = append(tables, t.Name)
			}
		}
		return s.p.vectors.Near(ctx, index.Schema{Database: s.db.Name, Snapshot: at.snap, Meaning: at.rules.Semantic}, question, tables)
	}
}

// access is what the validator must know of the view's restrictions.
func access(v *policy.View) plan.Access {
	a := plan.Access{Scoped: map[catalog.Name]plan.Scope{}, Masked: v.Masked(), NullsKept: v.NullsKept()}
	for n, r := range v.Restrictions() {
		s := plan.Scope{Held: r.Held, Whole: r.Whole, Partition: r.Partition}
		if r.On != nil {
			s.Follows = &plan.Follow{Parent: r.Parent, Columns: r.On}
		}
		a.Scoped[n] = s
	}
	return a
}
