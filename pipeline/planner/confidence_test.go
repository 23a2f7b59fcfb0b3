package planner

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestMinConfidence holds that a reading answers only where it is as sure as is
// demanded, and that the answer says how sure it is.
func TestMinConfidence(t *testing.T) {
	for question, least := range map[string]struct{ answers, refuses float64 }{
		"how many riders":                                {0.9, 1},
		"plans of riders who rented bikes":               {0.7, 0.93},
		"which model has the most bikes":                 {0.7, 0.93},
		"show the names of models and number of repairs": {0.6, 0.93},
	} {
		b := NewBuiltin()
		b.MinConfidence = least.answers
		p, err := b.Plan(context.Background(), bikeInput(t, question))
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		if c := p.Checked.Annotations().Confidence; c < least.answers || c >= least.refuses {
			t.Errorf("%s: confidence %.2f", question, c)
		}
		if last := p.Steps[len(p.Steps)-1]; !strings.Contains(last.Detail, "confidence") {
			t.Errorf("%s: the last step says %q", question, last.Detail)
		}
		b.MinConfidence = least.refuses
		var d *Declined
		if _, err := b.Plan(context.Background(), bikeInput(t, question)); !errors.As(err, &d) {
			t.Errorf("%s: %v, want it declined", question, err)
		} else if d.Try == "" || !strings.Contains(d.Reason, "sure enough") {
			t.Errorf("%s: declined as %q, try %q", question, d.Reason, d.Try)
		}
	}
}

// TestSignals holds that every doubt makes a reading less sure.
func TestSignals(t *testing.T) {
	sure := signals{}.confidence()
	for _, s := range []signals{{cost: 0.3}, {joins: 1}, {exists: true}, {ranked: true}, {counted: true}, {beside: true}} {
		if c := s.confidence(); c >= sure {
			t.Errorf("%+v: confidence %.3f, without %.3f", s, c, sure)
		}
	}
	if all := (signals{cost: 0.4, joins: 4, exists: true, ranked: true, counted: true, beside: true}).confidence(); all > 0.3 {
		t.Errorf("with every doubt: %.3f", all)
	}
}
