package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgask/pgask/pipeline/answer"
	"github.com/pgask/pgask/pipeline/llm"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// ASK NARRATE and ASK CHART are the answer's own statement, judged and capped as
// always, whose rows Postgres gathers into the value of one row. So they run where
// the client's statements run, in its transaction, prepared or not, and fail as they
// do. What the client is shown in the place of that value is made when it comes by:
// no statement of ours follows, and nothing of it is sent to Postgres.

// telling is how an answer's gathered rows are told.
type telling struct {
	form    stmt.Form
	text    bool // a chart in characters
	columns []answer.Column
	about   answer.Told
	cap     int64
	watched bool // see Budget
	// narrator is nil where no model may see the rows. Each tale has the budget that
	// planning has left.
	narrator *planner.Narrator
	budget   planner.Budget
	narrated func(modelCalls int, tokens, money int64)
	known    *knowledge
}

// Tale is what a client is shown in the place of gathered rows.
type Tale struct {
	Text []byte
	// Rows is how many the answer has, the cap where it was cut.
	Rows      int64
	Truncated bool
	// Tied tells that a row was left out that ties with the last.
	Tied bool
	// How says who made it: the template, or a model and what it said amiss.
	How        string
	ModelCalls int
	Cost       planner.Spend
}

// Teller makes a tale of the value that gathered an answer's rows. It may take as
// long as a model does; when ctx ends it goes on without one.
type Teller func(ctx context.Context, gathered []byte) (Tale, error)

// gathers is the column of the form of a question that tells its rows; nil for the
// others.
func gathers(ask *stmt.Ask) *policy.ToldColumn {
	switch {
	case ask.Form == stmt.FormNarrate:
		return &policy.ToldColumn{Name: "answer", Type: "text"}
	case ask.Form == stmt.FormChart && ask.Format == "text":
		return &policy.ToldColumn{Name: "chart", Type: "text"}
	case ask.Form == stmt.FormChart:
		return &policy.ToldColumn{Name: "spec", Type: "json"}
	}
	return nil
}

// teller tells an approved answer.
func (s *Session) teller(ctx context.Context, at *standing, ask *stmt.Ask, a answered, v *verdict) (Teller, error) {
	k, err := s.know(ctx, at)
	if err != nil {
		return nil, err
	}
	f := &v.facts
	if f.Query != nil { // of a PREPARE
		f = f.Query
	}
	t := &telling{form: ask.Form, text: ask.Format == "text", cap: f.Shown(), watched: f.Watched > 0,
		about: answer.Told{Question: ask.Question, Qualifiers: v.receipt.Qualifiers}}
	t.about.Today = s.p.now()
	if day, err := time.Parse(time.DateOnly, s.p.today); err == nil {
		t.about.Today = day
	}
	made := a.proposal.Checked
	if a.rewritten {
		made = nil
	}
	if made != nil {
		t.about.Limited = made.Limited()
	}
	if at.role.Model && a.budget != nil {
		t.narrator, t.budget, t.narrated = at.rules.Narrator, *a.budget, s.p.observe.Narrated
	}
	t.columns, t.known = columnsTold(f, made, k.semantic), k
	return t.tell, nil
}

// columnsTold are the columns of an answer, with what its plan, nil for none, and the
// semantic model know of them.
func columnsTold(f *policy.Facts, made *plan.Checked, m *semantic.Model) []answer.Column {
	outputs := map[string]plan.Output{}
	if made != nil {
		for _, o := range made.Outputs() {
			outputs[o.Name] = o
		}
	}
	out := make([]answer.Column, len(f.Gathered))
	for i, name := range f.Gathered {
		c := answer.Column{Name: name}
		o, known := outputs[name]
		c.Measure, c.Count, c.Additive, c.Period = o.Measure, o.Count, o.Additive, o.Period
		if metric := m.Metric(o.Metric); metric != nil {
			c.Unit = metric.Unit
		}
		c.Title = titleOf(m, o)
		c.Withheld = !known || o.Opaque || slices.ContainsFunc(o.From, func(r plan.Read) bool {
			shown := m.Exposure(r.Table, r.Column)
			return shown == semantic.Hidden || shown != semantic.Full && !o.Count // how many there are is no value
		})
		out[i] = c
	}
	return out
}

// titleOf is what people call a metric whose name they spell otherwise, and a column whose
// own name says nothing without its table's; empty for others.
func titleOf(m *semantic.Model, o plan.Output) string {
	if metric := m.Metric(o.Metric); metric != nil {
		for _, s := range metric.Synonyms { // "ARR" is how people write arr
			if strings.EqualFold(s, o.Name) {
				return s
			}
		}
	}
	if len(o.From) != 1 || o.Measure || !slices.Contains([]string{"name", "title", "id", "code", "label"}, o.From[0].Column) || o.Name != o.From[0].Column {
		return ""
	}
	of := o.From[0].Table.Table
	for _, e := range m.Entities {
		if e.Table == o.From[0].Table {
			return e.Name + " " + o.Name
		}
	}
	if strings.HasSuffix(of, "s") && !strings.HasSuffix(of, "ss") {
		of = strings.TrimSuffix(of, "s")
	}
	return of + " " + o.Name
}

// tell makes the tale.
func (t *telling) tell(ctx context.Context, gathered []byte) (Tale, error) {
	rows, err := answer.Read(gathered, t.columns, t.cap)
	if err != nil {
		return t.untold(err)
	}
	if t.watched {
		rows.Cut, rows.Tied = false, rows.Cut
	}
	tale := Tale{Rows: rows.Count, Truncated: rows.Cut, Tied: rows.Tied, How: "template"}
	switch {
	case t.form == stmt.FormNarrate && t.narrator != nil:
		t.narrate(ctx, rows, &tale)
	case t.form == stmt.FormNarrate:
		tale.Text = []byte(answer.Narrate(rows, t.about))
	case t.text:
		tale.Text = []byte(answer.TextChart(rows, t.about))
	default:
		tale.Text, err = answer.Chart(rows, t.about)
	}
	return tale, err
}

// untold is the tale of rows that can't be read for what the client's session or its data
// is: no error can be said any more, since the statement has ended. Postgres writes JSON
// well, so that the decoder only objects to its depth.
func (t *telling) untold(err error) (tale Tale, _ error) {
	why := "client_encoding is not UTF8"
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		why = "they are nested too deeply"
	} else if !errors.Is(err, answer.ErrEncoding) {
		return tale, err
	}
	tale.How = "template: " + why
	if t.form == stmt.FormChart && !t.text {
		tale.Text, err = answer.Undrawn(t.about, why)
		return tale, err
	}
	tale.Text = []byte(answer.Untold(t.about, why))
	return tale, nil
}

// narrate has a model tell the rows. Where it fails, or is cancelled, the template does
// and says so.
func (t *telling) narrate(ctx context.Context, rows *answer.Table, tale *Tale) {
	columns, lines, notes, ok := answer.Prompt(rows, t.about)
	if !ok {
		tale.Text = []byte(answer.Narrate(rows, t.about))
		return
	}
	budget := t.budget
	said, cost, err := t.narrator.Narrate(ctx, planner.Sections{Question: t.about.Question, Columns: columns, Rows: lines,
		Notes: planner.Mentionable(notes, t.known.catalog, t.known.semantic)}, &budget)
	tale.ModelCalls, tale.Cost = cost.ModelCalls, cost.Cost
	t.narrated(cost.ModelCalls, cost.Cost.Tokens, cost.Cost.Money) // also where the client is gone by now
	if err != nil {
		about := t.about
		why := failed(ctx, err)
		about.Qualifiers = append(slices.Clip(about.Qualifiers), "told without a model: "+why)
		tale.Text, tale.How = []byte(answer.Narrate(rows, about)), "template: "+why
		return
	}
	text, replaced := answer.Check(ctx, said, rows, t.about)
	tale.Text, tale.How = []byte(text), "model"
	if replaced > 0 {
		tale.How += fmt.Sprintf(", %d of %d sentences replaced", replaced, len(said))
	}
}

// failed says why a model didn't tell an answer, in words that hold nothing of its own.
func failed(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "cancelled"
	}
	if p, ok := errors.AsType[*llm.ProviderError](err); ok {
		return p.Detail()
	}
	return err.Error()
}

// Teller tells how the client is shown the row that this execution brings; nil where
// it is shown as it comes.
func (r *Run) Teller() Teller {
	v := r.of
	if r.origin != nil {
		v = r.origin
	}
	if v == nil {
		return nil
	}
	return v.teller
}

// Told notes what the client is shown instead.
func (r *Run) Told(t Tale) { r.tale = &t }
