package pipeline

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pgask/pgask/pipeline/stmt"
)

// What a refusal offers is an ASK of the answer's rows. Whoever asked in another form
// wants to type it in that form.

// offer is one line of such a HINT: the question, what picks its plan, and its columns.
var offer = regexp.MustCompile(`(?s)\AASK (E?'(?:[^']|'')*')( READING [0-9]+| USING PLAN E?'(?:[^']|'')*')?(?: WITH \(columns = (E?'(?:[^']|'')*')\))?(?:\n|\z)`)

// offered is a refusal whose HINT is in the form of the question.
type offered struct {
	error
	hint string
}

func (o *offered) Unwrap() error    { return o.error }
func (o *offered) SQLState() string { return sqlState(o.error) }
func (o *offered) Hint() string     { return o.hint }

// Place is that of the refusal.
func (o *offered) Place() int {
	var e interface{ Place() int }
	if errors.As(o.error, &e) {
		return e.Place()
	}
	return 0
}

// Detail is that of the refusal.
func (o *offered) Detail() string {
	var e interface{ Detail() string }
	if errors.As(o.error, &e) {
		return e.Detail()
	}
	return ""
}

// inForm offers what a refusal does in other words, if it offers questions.
func inForm(err error, words func(question, picked, columns string) string) error {
	var hinted interface{ Hint() string }
	if err == nil || !errors.As(err, &hinted) {
		return err
	}
	var lines []string
	for rest := hinted.Hint(); rest != ""; {
		m := offer.FindStringSubmatch(rest)
		if m == nil {
			return err
		}
		rest = rest[len(m[0]):]
		lines = append(lines, words(m[1], m[2], m[3]))
	}
	if hint := strings.Join(lines, "\n"); hint != hinted.Hint() {
		return &offered{err, hint}
	}
	return err
}

// asStatement is an offer as the ASK that was refused, with its options.
func asStatement(st stmt.Statement, ask *stmt.Ask) func(question, picked, columns string) string {
	return func(question, picked, columns string) string {
		form := ask.Form
		if form == stmt.FormMore || form == stmt.FormRevoke || form == stmt.FormApprove && picked == "" {
			form = stmt.FormRows // what is offered isn't about that any more
		}
		var options []string
		if columns == "" && ask.Columns != "" && picked != "" {
			columns = quoted(ask.Columns)
		}
		if columns != "" {
			options = append(options, "columns = "+columns)
		}
		if ask.Format != "" {
			options = append(options, "format = "+ask.Format)
		}
		out := "ASK " + form.Word() + question + picked
		if len(options) > 0 {
			out += " WITH (" + strings.Join(options, ", ") + ")"
		}
		if st.Prepare != nil {
			out = "PREPARE " + ident(st.Prepare.Name) + " AS " + out
		}
		return out
	}
}

// asTable is an offer for those who insist on SQL, by ask() or a comment. A plan can't
// be given there.
func asTable(question, picked, columns string) string {
	var n int
	if _, err := fmt.Sscanf(picked, " READING %d", &n); err == nil {
		question += fmt.Sprintf(", reading => %d", n)
	}
	return "SELECT * FROM ask(" + question + ")"
}
