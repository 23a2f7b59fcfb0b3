package score

import (
	"cmp"
	"slices"
)

// Point says what remains of the answers when those below a confidence are
// refused.
type Point struct {
	Confidence float64 `json:"min_confidence"`
	Right      int     `json:"right"`
	Wrong      int     `json:"wrong"`
	Precision  float64 `json:"precision"`
	Coverage   float64 `json:"coverage"`
}

// Curve is precision over coverage, from the surest answers to all of them: a
// point for each confidence that an answer has.
func Curve(results []Result) []Point {
	var answers []Result
	for _, r := range results {
		if r.answered() {
			answers = append(answers, r)
		}
	}
	slices.SortStableFunc(answers, func(a, b Result) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var out []Point
	var t Tally
	for i, r := range answers {
		if r.Outcome == Right {
			t.Right++
		} else {
			t.Wrong++
		}
		if i+1 == len(answers) || answers[i+1].Confidence != r.Confidence {
			out = append(out, Point{r.Confidence, t.Right, t.Wrong, t.Precision(), share(t.Answered(), len(results))})
		}
	}
	return out
}

// Thin keeps of a curve its ends and, of what lies between, a point for each step of
// coverage.
func Thin(curve []Point, step float64) []Point {
	var out []Point
	for i, p := range curve {
		if i == 0 || i+1 == len(curve) || p.Coverage-out[len(out)-1].Coverage >= step {
			out = append(out, p)
		}
	}
	return out
}

// Widest is the point with the most coverage whose precision is at least
// precision; false where there is none.
func Widest(curve []Point, precision float64) (Point, bool) {
	for _, p := range slices.Backward(curve) {
		if p.Precision >= precision {
			return p, true
		}
	}
	return Point{}, false
}
