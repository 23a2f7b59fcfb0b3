package score

import (
	"fmt"
	"maps"
	"slices"
)

// Tally counts outcomes.
type Tally struct {
	Right    int `json:"right"`
	Wrong    int `json:"wrong"`
	Declined int `json:"declined"`
	Refused  int `json:"refused"`
	// Tied are those of the wrong that ties allow, Baseless those that answer what has no
	// answer.
	Tied     int `json:"tied"`
	Baseless int `json:"baseless"`
}

// Count counts results.
func Count(results []Result) Tally {
	var t Tally
	for _, r := range results {
		switch r.Outcome {
		case Right:
			t.Right++
		case Wrong:
			t.Wrong++
		case Declined:
			t.Declined++
		case Refused:
			t.Refused++
		}
		if r.Tied {
			t.Tied++
		}
		if r.Unanswerable && r.Outcome == Wrong {
			t.Baseless++
		}
	}
	return t
}

// Asked is how many questions there were.
func (t Tally) Asked() int { return t.Answered() + t.Declined + t.Refused }

// Answered is how many got rows.
func (t Tally) Answered() int { return t.Right + t.Wrong }

// Precision is the share of right answers, 1 where there is no answer.
func (t Tally) Precision() float64 {
	if t.Answered() == 0 {
		return 1
	}
	return share(t.Right, t.Answered())
}

// Coverage is the share of the questions with an answer that got one.
func (t Tally) Coverage() float64 {
	return share(t.Answered()-t.Baseless, t.Answered()-t.Baseless+t.Declined)
}

// Unanswerable is how many questions had to be refused.
func (t Tally) Unanswerable() int { return t.Refused + t.Baseless }

// Reliability is the reliability score with a penalty of 10, RS(10): 1 for a right answer or a right
// refusal, 0 for a needless refusal, -10 for a wrong answer, in percent of the questions.
func (t Tally) Reliability() float64 {
	return 100 * share(t.Right+t.Refused-10*t.Wrong, t.Asked())
}

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

// String is one line of figures.
func (t Tally) String() string {
	s := fmt.Sprintf("%4d asked %4d answered %4d right %3d wrong  precision %5.1f %%  coverage %5.1f %%  RS(10) %6.1f",
		t.Asked(), t.Answered(), t.Right, t.Wrong, 100*t.Precision(), 100*t.Coverage(), t.Reliability())
	if t.Unanswerable() > 0 {
		s += fmt.Sprintf("  refused %d of %d unanswerable", t.Refused, t.Unanswerable())
	}
	return s
}

// By counts results by what keys says of each; a result counts for each of its
// keys.
func By(results []Result, keys func(Result) []string) map[string]Tally {
	parts := map[string][]Result{}
	for _, r := range results {
		for _, k := range keys(r) {
			parts[k] = append(parts[k], r)
		}
	}
	out := map[string]Tally{}
	for k, rs := range parts {
		out[k] = Count(rs)
	}
	return out
}

func byDB(r Result) []string        { return []string{r.DB} }
func byConstruct(r Result) []string { return r.Constructs }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
