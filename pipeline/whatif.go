package pipeline

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/planner"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
)

// Forecast is what would become of one statement, for people who write
// policies. Nothing of it has run.
type Forecast struct {
	Statement string
	Steps     []planner.Step
	// SQL is what would be sent; empty with Err.
	SQL string
	// Facts and Receipt are what is known of an allowed statement; the receipt
	// is that of one which has not run.
	Facts   policy.Facts
	Receipt Receipt
	Notices []Notice
	Err     error
}

// Explain judges a text as Query would and tells how, statement by statement.
func (s *Session) Explain(ctx context.Context, text string) []Forecast {
	s.dry = true
	statements, mine, err := s.parse(text)
	if err != nil {
		return []Forecast{{Statement: text, Err: err, Steps: []planner.Step{{Stage: "parse", Outcome: sqlState(err), Detail: err.Error()}}}}
	}
	if !mine {
		return []Forecast{{Statement: text, SQL: text, Steps: []planner.Step{{Stage: "parse", Outcome: "ok", Detail: "sent as it came"}}}}
	}
	out := make([]Forecast, len(statements))
	for i, st := range statements {
		out[i] = s.forecast(ctx, st)
	}
	return out
}

func (s *Session) forecast(ctx context.Context, st stmt.Statement) Forecast {
	f := Forecast{Statement: st.Text, Steps: []planner.Step{{Stage: "parse", Outcome: "ok", Detail: kindOf(st)}}}
	began := s.p.now()
	v, err := s.judge(ctx, st, nil)
	if err != nil {
		f.Err = err
		f.Steps = append(append(f.Steps, planner.StepsOf(err)...),
			planner.Step{Stage: "verdict", Outcome: sqlState(err), Detail: err.Error(), Took: s.p.now().Sub(began)})
		return f
	}
	f.Steps = append(f.Steps, v.steps...)
	f.Facts, f.Receipt = v.facts, v.receipt
	if r := v.receipt; v.facts.Tag != "" {
		f.Steps = append(f.Steps, planner.Step{Stage: "authorize", Outcome: "ok", Detail: v.facts.Tag + tables(v) + scopes(r)})
		if r.EstimatedRows != nil {
			f.Steps = append(f.Steps, planner.Step{Stage: "preflight", Outcome: "ok", Detail: fmt.Sprintf("about %s rows", words(float64(*r.EstimatedRows)))})
		}
	}
	f.Steps = append(f.Steps, planner.Step{Stage: "verdict", Outcome: allowed, Took: s.p.now().Sub(began)})
	f.Notices = v.notices
	f.SQL, f.Err = v.literal(ctx)
	return f
}

func tables(v *verdict) string {
	var names []string
	for _, t := range v.facts.Tables {
		names = append(names, configs.Spell(t.Schema)+"."+configs.Spell(t.Table))
	}
	if names == nil {
		return ""
	}
	return " of " + strings.Join(names, ", ")
}

func scopes(r Receipt) string {
	if len(r.Scopes) == 0 {
		return ", no scopes"
	}
	return ", scopes " + strings.Join(r.Scopes, ", ")
}
