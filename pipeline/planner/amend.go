package planner

import (
	"slices"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/plan"
)

// Last is the answer that a follow-up amends.
type Last struct {
	Question string
	Plan     *plan.Plan // canonical, as validated
	// Qualifiers are said of it besides the plan's.
	Qualifiers []string
	Several    bool // as the proposal's
}

// amendment is one follow-up being read.
type amendment struct {
	b    *Builtin
	in   Input
	plan *plan.Plan
	toks []token
	// also tells of an addition ("also by segment"), where others replace.
	also bool
	// words are those that have no part in any reading.
	words []string
	did   string
	// readAs says what words were read as that aren't the schema's.
	readAs []string
	// fresh are the conditions that were added to the plan's.
	fresh []plan.Expr
	// q and frame are what a plan of several parts was read from; nil for others.
	q     *question
	frame *frame
}

// amend answers a follow-up: the last plan with another condition, period, grouping, level of
// its groups, order or number of rows. The error is a *Declined, or the validator's.
func (b *Builtin) amend(in Input) (Proposal, error) {
	start := time.Now()
	a := &amendment{b: b, in: in}
	decline := func(words []string, reason string) (Proposal, error) {
		return Proposal{}, &Declined{Reason: reason, Words: words, Try: a.again(),
			Steps: []Step{{Stage: b.Name(), Outcome: "declined", Detail: reason, Took: time.Since(start)}}}
	}
	if len(in.Question) > maxQuestion {
		return decline(nil, "the question is too long")
	}
	var err error
	if a.plan, err = copied(in.Last.Plan); err != nil {
		return Proposal{}, err
	}
	a.strip()
	several := a.plan.Set != nil || a.plan.From.Table == ""
	if several && (!a.moves() || !a.reread()) {
		return decline(nil, "the last plan has several parts, and it isn't clear which is meant")
	}
	if moved, err := a.drilled(); err != nil {
		return Proposal{}, withSteps(err, []Step{{Stage: b.Name(), Outcome: "declined", Detail: err.Error(), Took: time.Since(start)}})
	} else if !moved && (several || !a.cut() && !a.sorted() && !a.grouped() && !a.restricted()) {
		if len(a.words) == 0 {
			a.words = []string{in.Question}
		}
		return decline(a.words, "every word must have its part in what changes")
	}
	checked, err := plan.Validate(a.plan, in.Context())
	if err != nil {
		return b.rejected(err, nil)
	}
	return Proposal{Source: b.Name(), Checked: checked, Qualifiers: a.readAs, Steps: []Step{{Stage: b.Name(), Outcome: "ok", Detail: a.did, Took: time.Since(start)}}}, nil
}

// Words around what changes.
var (
	amendStarts = set("only", "just", "but", "now", "and", "then", "please", "show", "make", "it", "ok", "okay", "same", "what", "about", "the", "instead", "also", "those", "ones", "them")
	amendEnds   = set("instead", "too", "also", "please", "only", "now", "ones", "rows")
)

// strip leaves the words that say what changes.
func (a *amendment) strip() {
	toks := tokenize(a.in.Question)
	drop := func(t token, words map[string]bool) bool {
		if t.kind != comma && (t.kind != word || !words[t.low]) {
			return false
		}
		a.also = a.also || t.low == "also" || t.low == "too"
		return true
	}
	for len(toks) > 1 && drop(toks[0], amendStarts) {
		toks = toks[1:]
	}
	for len(toks) > 1 && drop(toks[len(toks)-1], amendEnds) {
		toks = toks[:len(toks)-1]
	}
	a.toks = toks
}

// said is the words from a position on, as they can be read again.
func (a *amendment) said(from int) string {
	var parts []string
	for _, t := range a.toks[from:] {
		if t.kind == quoted {
			t.text = "'" + t.text + "'"
		}
		parts = append(parts, t.text)
	}
	return strings.Join(parts, " ")
}

// starts is how many words of the longest of the sequences the follow-up begins with.
func (a *amendment) starts(sequences ...string) int {
	best := 0
	for _, s := range sequences {
		words := strings.Fields(s)
		if len(words) > best && len(words) <= len(a.toks) && slices.EqualFunc(words, a.toks[:len(words)], func(w string, t token) bool { return t.low == w }) {
			best = len(words)
		}
	}
	return best
}

// whole tells whether the follow-up is just one of the sequences.
func (a *amendment) whole(sequences ...string) bool {
	n := a.starts(sequences...)
	return n > 0 && n == len(a.toks)
}

// copied is a plan that may be changed.
func copied(p *plan.Plan) (*plan.Plan, error) { return plan.Repair(nil).Apply(p) }
