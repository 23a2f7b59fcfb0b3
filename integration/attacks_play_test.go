package integration

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// answer is what one message brought.
type answer struct {
	Err     error
	Results []attackResult
}

// attackResult is the result of one statement; a COPY's lines are its rows.
type attackResult struct {
	Columns []string
	Rows    []string
	Tag     string
}

// play sends the texts of an attack and says how it went: "refused" or, for
// forbidden ones, "leaked" or "answered"; for lawful ones "equal" or
// "different".
func (w *attackWorld) play(t *testing.T, a attack, protocol, mark string) (verdict, detail string) {
	t.Helper()
	conn, done := w.session(t, a, "governed", w.governed)
	defer done()
	answers, refusal := w.through(conn, a, protocol, mark)
	if a.Expect == "deny" {
		return w.forbidden(a, answers, refusal)
	}
	oracle, done := w.session(t, a, "direct", w.direct)
	defer done()
	for i, text := range a.texts() {
		want := send(oracle, text, protocol)
		switch {
		case i >= len(answers) || answers[i].Err != nil && want.Err == nil:
			return "refused", fmt.Sprint(refusal)
		case want.Err != nil && sqlState(answers[i].Err) != sqlState(want.Err):
			return "no oracle", fmt.Sprintf("direct: %v, through pgask: %v", want.Err, answers[i].Err)
		}
		ordered := strings.Contains(strings.ToUpper(text), "ORDER BY")
		if len(a.texts()) == 1 && strings.HasPrefix(strings.ToUpper(text), "SELECT") {
			for range 3 { // then by a statement that was prepared before
				again, _ := w.through(conn, a, protocol, mark)
				answers[i] = again[0]
			}
		}
		if diff := cmp.Diff(comparable(want.Results, ordered), comparable(answers[i].Results, ordered)); diff != "" {
			return "different", diff
		}
	}
	return "equal", ""
}

// through sends the texts through pgask, up to the first error that ends a
// lawful attack; a forbidden one goes on to its end.
func (w *attackWorld) through(conn *pgx.Conn, a attack, protocol, mark string) (answers []answer, refusal error) {
	for i, text := range a.texts() {
		m := mark + "_" + strconv.Itoa(i)
		got := send(conn, "/* "+m+" */ "+text, protocol)
		answers = append(answers, got)
		if got.Err != nil {
			w.refused[m] = true
			refusal = got.Err
			if a.Expect != "deny" {
				return answers, refusal
			}
		}
	}
	return answers, refusal
}

// forbidden judges the answers of an attack that must fail. Rows may come from
// its lawful steps, but never a secret; and some step must be refused.
func (w *attackWorld) forbidden(a attack, answers []answer, refusal error) (verdict, detail string) {
	if word, text := w.suite.secretIn(answers); word != "" {
		return "leaked", fmt.Sprintf("%q is in %q", word, text)
	}
	switch {
	case refusal != nil && sqlState(refusal) != "XX000":
		return "refused", refusal.Error()
	case refusal == nil && slices.Contains(w.suite.alternatives, a.Class) && !says(answers, "t"):
		return "answered", ""
	}
	return "leaked", fmt.Sprintf("not refused: %v, %v", answers, refusal)
}

// secretIn finds the first secret in rows and names of columns.
func (s attackSuite) secretIn(answers []answer) (secret, text string) {
	for _, got := range answers {
		for _, r := range got.Results {
			for _, text := range append(slices.Clone(r.Rows), r.Columns...) {
				for _, secret := range s.secrets {
					if strings.Contains(text, secret) {
						return secret, text
					}
				}
			}
		}
	}
	return "", ""
}

// says tells whether a row is just the given text, such as the t of true.
func says(answers []answer, text string) bool {
	for _, a := range answers {
		for _, r := range a.Results {
			if slices.Contains(r.Rows, text) {
				return true
			}
		}
	}
	return false
}

// comparable sorts rows that have no order.
func comparable(results []attackResult, ordered bool) []attackResult {
	out := slices.Clone(results)
	if !ordered {
		for i := range out {
			out[i].Rows = slices.Sorted(slices.Values(out[i].Rows))
		}
	}
	return out
}

// send sends one message and reads what it brings.
func send(conn *pgx.Conn, text, protocol string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	pg := conn.PgConn()
	if protocol == "extended" {
		r := pg.ExecParams(ctx, text, nil, nil, nil, nil).Read()
		return answerOf(r.Err, r)
	}
	if _, body, ok := strings.Cut(text, "*/ "); strings.HasPrefix(text, "COPY ") || ok && strings.HasPrefix(body, "COPY ") {
		var b bytes.Buffer
		tag, err := pg.CopyTo(ctx, &b, text)
		return answer{Err: err, Results: []attackResult{{Rows: strings.Split(b.String(), "\n"), Tag: tag.String()}}}
	}
	results, err := pg.Exec(ctx, text).ReadAll()
	return answerOf(err, results...)
}

func answerOf(err error, results ...*pgconn.Result) answer {
	a := answer{Err: err}
	for _, r := range results {
		out := attackResult{Tag: r.CommandTag.String()}
		for _, f := range r.FieldDescriptions {
			out.Columns = append(out.Columns, f.Name)
		}
		for _, row := range r.Rows {
			out.Rows = append(out.Rows, rowText(row))
		}
		a.Results = append(a.Results, out)
	}
	return a
}

func rowText(row [][]byte) string {
	cells := make([]string, len(row))
	for i, v := range row {
		cells[i] = string(v)
		if v == nil {
			cells[i] = "∅"
		}
	}
	return strings.Join(cells, "|")
}
