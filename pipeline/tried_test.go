package pipeline

import (
	"context"
	"testing"
	"time"

	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
)

// trier answers every question with a query that it has tried, as curated queries and SQL
// of models are.
type trier struct{ sql string }

func (trier) Name() string { return "curated" }

func (p trier) Plan(ctx context.Context, in planner.Input) (planner.Proposal, error) {
	tree, err := stmt.ParseOne(p.sql, stmt.DefaultLimits())
	if err == nil {
		err = in.Try(ctx, tree)
	}
	return planner.Proposal{Source: "curated", Query: tree}, err
}

var _ planner.Planner = trier{}

// stages counts the stages of decisions.
type stages struct {
	deaf
	seen map[string]int
}

func (s stages) Stage(name string, _ time.Duration) { s.seen[name]++ }

// TestTriedOnce has Postgres plan what was tried once, and again what stands elsewhere or
// is said later.
func TestTriedOnce(t *testing.T) {
	f := newFixture(t)
	seen := stages{seen: map[string]int{}}
	f.pipe.observe = seen
	const sql = "SELECT count(*) AS n FROM shops"
	rules := *f.pipe.Rules()
	rules.Planners = planner.New(trier{sql})
	f.pipe.Reload(&rules)
	s := f.session("clerk")
	for _, c := range []struct {
		text string
		want int
	}{
		{"ASK 'how many'", 1},
		{"ASK 'how many'", 1},
		{"SELECT n FROM ask('how many') AS a", 2},
		{"SELECT count(*) AS n FROM public.shops", 1},
	} {
		before := seen.seen["preflight"]
		rows, _ := f.play(s.Query(t.Context(), c.text))
		if rows[0][0] != "6" || seen.seen["preflight"]-before != c.want {
			t.Errorf("%s: %v, planned %d times, want %d", c.text, rows, seen.seen["preflight"]-before, c.want)
		}
		if s.trial != nil {
			t.Errorf("%s: what was tried is kept", c.text)
		}
	}
}
