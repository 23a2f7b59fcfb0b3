package planner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// FuzzBuiltin holds that no question makes the planner panic, and that it
// either answers or says why not.
func FuzzBuiltin(f *testing.F) {
	for _, q := range []string{"how many riders", "top 3 models by income", "'", "\"a\" or", "between 1 and", "riders with more than", "İstanbul’s — 3.5.1", "\x00", "a.B.C. D"} {
		f.Add(q)
	}
	b, base := NewBuiltin(), sync.OnceValue(func() Input { return bikeInput(&testing.T{}, "") })
	f.Fuzz(func(t *testing.T, q string) {
		in := base()
		in.Question = q
		if _, err := b.Plan(context.Background(), in); err != nil && err.Error() == "" {
			t.Error("a refusal without a reason")
		}
	})
}

// TestLongQuestions holds that no question takes long, however many ways there
// are to read its parts.
func TestLongQuestions(t *testing.T) {
	b, in := NewBuiltin(), bikeInput(t, "")
	for _, part := range []string{"name, ", "names and cities of stations and ", "income by city and ", "Lisbon or ", "stations in Lisbon or capacity above 3 or ", "'", "the ",
		"average price and ", "name of name for name ", "each city ", "with more than 3 rentals ", "finished finished ", "order by name, ", "of the stations ", "last 3 months "} {
		for _, n := range []int{5, 20, 2000} {
			in.Question = "stations " + strings.Repeat(part, n)
			start := time.Now()
			_, _ = b.Plan(context.Background(), in)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%d times %q: %v", n, part, took)
			}
		}
	}
}

// TestEveryWordCounts holds the rule that makes the planner right or silent: a
// word that nothing in the schema answers to makes any answered question
// unanswerable, wherever it stands, and a negation is never passed over.
func TestEveryWordCounts(t *testing.T) {
	b, base := NewBuiltin(), bikeInput(t, "")
	ask := func(q string) (string, error) {
		in := base
		in.Question = q
		p, err := b.Plan(context.Background(), in)
		if err != nil {
			return "", err
		}
		return p.Checked.Hash(), nil
	}
	answered := map[string]string{}
	var questions []string
	for _, q := range lines(t, "testdata/builtin.txt") {
		if hash, err := ask(q); err == nil && !strings.ContainsAny(q, `"'`) {
			q = strings.TrimRight(q, "?")
			answered[q] = hash
			questions = append(questions, q)
		}
	}
	foreign := []string{"purple", "profitable", "unhappy", "Berlin", "xyzzy"}
	negations := []string{"not", "without", "except", "no", "never"}
	rapid.Check(t, func(rt *rapid.T) {
		question := rapid.SampledFrom(questions).Draw(rt, "question")
		words := strings.Fields(question)
		at := rapid.IntRange(0, len(words)).Draw(rt, "position")
		extra := rapid.SampledFrom(append(foreign, negations...)).Draw(rt, "word")
		q := strings.Join(slices.Insert(words, at, extra), " ")
		hash, err := ask(q)
		var d *Declined
		if slices.Contains(foreign, extra) && !errors.As(err, &d) {
			rt.Errorf("%q: %v, want it declined", q, err)
		}
		if err == nil && hash == answered[question] {
			rt.Errorf("%q: the same answer as without %q", q, extra)
		}
	})
}
