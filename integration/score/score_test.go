package score

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func results() []Result {
	return []Result{
		{DB: "a", Constructs: []string{"join", "where"}, Outcome: Right, Confidence: 0.9},
		{DB: "a", Constructs: []string{"where"}, Outcome: Right, Confidence: 0.7},
		{DB: "a", Constructs: []string{"plain"}, Outcome: Wrong, Confidence: 0.7, Tied: true, Question: "which?", SQL: "SELECT 1,\n 2", Gold: "SELECT 2"},
		{DB: "b", Constructs: []string{"join"}, Outcome: Right, Confidence: 0.5},
		{DB: "b", Constructs: []string{"join"}, Outcome: Declined, Code: "PA002", Message: `no match for "x", "y"`, Detail: "every word\nmore"},
		{DB: "b", Constructs: []string{"vague"}, Unanswerable: true, Outcome: Wrong, Confidence: 0.5},
		{DB: "b", Constructs: []string{"opinion"}, Unanswerable: true, Outcome: Refused, Code: "PA002", Message: `no match for "z"`},
	}
}

func TestCount(t *testing.T) {
	r := New("question", results(), results())
	if diff := cmp.Diff(Tally{Right: 3, Wrong: 2, Declined: 1, Refused: 1, Tied: 1, Baseless: 1}, r.All); diff != "" {
		t.Error(diff)
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"precision":                   {r.All.Precision(), 0.6},
		"coverage":                    {r.All.Coverage(), 4.0 / 5},
		"reliability":                 {r.All.Reliability(), -100 * 16.0 / 7},
		"precision of a database":     {r.Databases["b"].Precision(), 0.5},
		"precision of a construct":    {r.Constructs["join"].Precision(), 1},
		"coverage of a construct":     {r.Constructs["join"].Coverage(), 2.0 / 3},
		"reliability of a refusal":    {r.Constructs["opinion"].Reliability(), 100},
		"precision without an answer": {Tally{Declined: 1}.Precision(), 1},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func TestCurve(t *testing.T) {
	want := []Point{{0.9, 1, 0, 1, 1.0 / 5}, {0.7, 2, 1, 2.0 / 3, 3.0 / 5}, {0.5, 3, 2, 0.6, 4.0 / 5}}
	curve := Curve(results())
	if diff := cmp.Diff(want, curve); diff != "" {
		t.Error(diff)
	}
	if p, ok := Widest(curve, 0.6); !ok || p != want[2] {
		t.Errorf("widest with 0.6: %v", p)
	}
	if p, ok := Widest(curve, 0.9); !ok || p != want[0] {
		t.Errorf("widest with 0.9: %v", p)
	}
	if _, ok := Widest(curve[1:], 0.9); ok {
		t.Error("no point has 0.9")
	}
	if diff := cmp.Diff([]Point{want[0], want[2]}, Thin(curve, 0.5)); diff != "" {
		t.Error(diff)
	}
}

func TestReport(t *testing.T) {
	var b strings.Builder
	New("question", results(), results()).Write(&b, false)
	for _, want := range []string{
		"== question\n", "  a                               3 asked", "refused 1 of 2 unanswerable\n", "  join                            3 asked",
		"  confidence ≥ 0.700: precision  66.7 % at coverage  60.0 % (2 right, 1 wrong)",
		"     1 PA002 no match for …; every word\n", `["x", "y"]`, "have an answer:\n  x 1/1 y 1/1\n",
		"  a, confidence 0.700 (tied): which?\n    got  SELECT 1, 2\n    want SELECT 2\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), `"z"`) {
		t.Error("a right refusal is listed as a decline")
	}
}
