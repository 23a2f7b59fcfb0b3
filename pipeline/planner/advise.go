package planner

import (
	"errors"
	"strings"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
)

// advised is a rejection with a question that can be typed instead.
type advised struct {
	*plan.Rejections
	ask string
}

// Hint is a question that would be answered.
func (a *advised) Hint() string { return a.ask }

// Unwrap is the rejection itself.
func (a *advised) Unwrap() error { return a.Rejections }

// advise puts a question that can be answered beside a rejected "without": how many
// there are of what can't be proven absent.
func (q *question) advise(err error, f frame) error {
	var r *plan.Rejections
	if !errors.As(err, &r) || r.SQLState() != "PA007" || f.subject == nil {
		return err
	}
	for _, l := range f.linked {
		if l.kind != "anti" {
			continue
		}
		in := q.in
		in.Question = "how many " + spoken(l.table) + " per " + spoken(f.subject)
		instead := newQuestion(q.x, in)
		rs, _ := instead.readings()
		if len(rs) == 0 {
			return err
		}
		best, bestErr := instead.best(rs, nil)
		if bestErr != nil {
			return err
		}
		if _, invalid := plan.Validate(best.plan, in.Context()); invalid == nil {
			return &advised{Rejections: r, ask: "ASK " + literal(in.Question)}
		}
	}
	return err
}

// spoken is a table's name as people say it.
func spoken(t *catalog.Table) string { return strings.Join(splitIdentifier(t.Name.Table), " ") }
