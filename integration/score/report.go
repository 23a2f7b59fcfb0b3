package score

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report is what a set's questions came to, in one wording.
type Report struct {
	// Column is the wording, such as question or synonym_question.
	Column    string           `json:"column"`
	All       Tally            `json:"all"`
	Databases map[string]Tally `json:"databases"`
	// Constructs counts by what the golden statement is made of, or why there is none.
	Constructs map[string]Tally `json:"constructs"`
	Curve      []Point          `json:"curve"`
	Results    []Result         `json:"results"`
}

// New counts results. The curve is drawn from sure, the same questions asked with no
// least confidence.
func New(column string, results, sure []Result) Report {
	return Report{column, Count(results), By(results, byDB), By(results, byConstruct), Curve(sure), results}
}

// WriteJSON writes reports for programs.
func WriteJSON(w io.Writer, reports []Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(reports)
}

// steadiness is the precision at which the widest coverage is told, curveStep the coverage
// between two points that are printed.
const (
	steadiness = 0.95
	curveStep  = 0.04
)

// Write writes the report for people. With all, every wrong answer and every
// refused question is listed, else what they have in common.
func (r Report) Write(w io.Writer, all bool) {
	fmt.Fprintf(w, "== %s\n", r.Column)
	table(w, "by database", r.Databases)
	table(w, "by construct", r.Constructs)
	fmt.Fprintf(w, "\nprecision over coverage, by least confidence:\n")
	for _, p := range Thin(r.Curve, curveStep) {
		p.write(w)
	}
	if p, ok := Widest(r.Curve, steadiness); ok {
		fmt.Fprintf(w, "widest with %.0f %%:\n", 100*steadiness)
		p.write(w)
	}
	declines(w, r.Results, all)
	unplaced(w, r.Results)
	r.wrong(w)
	slow := r.times()
	if len(slow) > 0 {
		fmt.Fprintf(w, "\nms a question: p50 %.1f, p99 %.1f\n", slow[len(slow)/2], slow[len(slow)*99/100])
	}
	fmt.Fprintf(w, "%-28s %s\n", r.Column, r.All)
}

// times are the questions' times, sorted.
func (r Report) times() []float64 {
	var out []float64
	for _, x := range r.Results {
		out = append(out, x.MS)
	}
	slices.Sort(out)
	return out
}

func (p Point) write(w io.Writer) {
	fmt.Fprintf(w, "  confidence ≥ %.3f: precision %5.1f %% at coverage %5.1f %% (%d right, %d wrong)\n",
		p.Confidence, 100*p.Precision, 100*p.Coverage, p.Right, p.Wrong)
}

func table(w io.Writer, title string, rows map[string]Tally) {
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, k := range sortedKeys(rows) {
		fmt.Fprintf(w, "  %-28s %s\n", k, rows[k])
	}
}

// wrong lists the wrong answers.
func (r Report) wrong(w io.Writer) {
	fmt.Fprintf(w, "\nwrong answers (%d of them others that ties allow):\n", r.All.Tied)
	for _, x := range r.Results {
		if x.Outcome == Wrong {
			tied := ""
			if x.Tied {
				tied = " (tied)"
			}
			fmt.Fprintf(w, "  %s, confidence %.3f%s: %s\n    got  %s\n    want %s\n", x.DB, x.Confidence, tied, x.Question, inline(x.SQL), inline(x.Gold))
		}
	}
}

// inline is a text on one line.
func inline(s string) string { return strings.Join(strings.Fields(s), " ") }
