package planner

import (
	"errors"
	"slices"
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
	if !errors.As(err, &r) || r.SQLState() != "PA007" {
		return err
	}
	for _, l := range f.linked {
		texts := []string{"how many " + spoken(l.table)}
		if f.subject != nil {
			per := texts[0] + " per "
			texts = append([]string{per + spokenOne(f.subject), per + spoken(f.subject)}, texts...)
		}
		for _, text := range texts {
			if ask := q.answerable(text); ask != "" {
				return &advised{Rejections: r, ask: ask}
			}
		}
	}
	return err
}

// averaged puts the question for the average beside a rejected sum of what isn't additive.
func (q *question) averaged(err error, f frame) error {
	var r *plan.Rejections
	if !errors.As(err, &r) || r.SQLState() != "PA006" {
		return err
	}
	for _, o := range f.outs {
		if o.fn != "sum" || o.col == nil || !slices.ContainsFunc(o.col.meanings, func(m meaning) bool { return !q.in.Semantic.Additive(m.table.Name, m.column.Name) }) {
			continue
		}
		for _, t := range q.parser.toks {
			if aggregateWords[t.low] != "sum" {
				continue
			}
			if ask := q.answerable(strings.Replace(q.in.Question, t.text, "average", 1)); ask != "" {
				return &advised{Rejections: r, ask: ask}
			}
		}
	}
	return err
}

// answerable is the statement that asks a question, where it would be answered; else "".
func (q *question) answerable(text string) string {
	in := q.in
	in.Question = text
	instead := newQuestion(q.x, in)
	rs, _ := instead.readings()
	if !oneFits(rs) { // best would look for what to ask instead
		return ""
	}
	if _, err := plan.Validate(rs[0].plan, in.Context()); err != nil {
		return ""
	}
	return "ASK " + literal(text)
}

// spokenOne is what one row of the table is called.
func spokenOne(t *catalog.Table) string {
	words := splitIdentifier(t.Name.Table)
	last := len(words) - 1
	switch w := singular(words[last]); {
	case strings.HasSuffix(w, "ies"):
		words[last] = strings.TrimSuffix(w, "ies") + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"):
		words[last] = strings.TrimSuffix(w, "es")
	case !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		words[last] = strings.TrimSuffix(w, "s")
	}
	return strings.Join(words, " ")
}

// spoken is a table's name as people say it.
func spoken(t *catalog.Table) string { return spokenName(t.Name.Table) }

func spokenName(name string) string { return strings.Join(splitIdentifier(name), " ") }
