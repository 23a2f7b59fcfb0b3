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
	answerable := 0
	for _, r := range results {
		if !r.Unanswerable {
			answerable++
		}
		if r.answered() {
			answers = append(answers, r)
		}
	}
	slices.SortStableFunc(answers, func(a, b Result) int { return cmp.Compare(b.Confidence, a.Confidence) })
	var out []Point
	for i, r := range answers {
		if i+1 == len(answers) || answers[i+1].Confidence != r.Confidence {
			t := Count(answers[:i+1])
			out = append(out, Point{r.Confidence, t.Right, t.Wrong, t.Precision(), share(t.Answered()-t.Baseless, answerable)})
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
