package planner

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
)

// PlanningFailed says that no attempt of the model gave an acceptable plan.
type PlanningFailed struct {
	Attempts int
	// Mode is what was rejected.
	Mode Mode
	// Last is why the last plan was rejected.
	Last *plan.Rejections
}

// Error is the failure in one line.
func (e *PlanningFailed) Error() string {
	what := "plan"
	if e.Mode == ModeSQL {
		what = "SQL"
	}
	return fmt.Sprintf("planning failed: the model's %s was rejected %d times", what, e.Attempts)
}

// SQLState is PA001.
func (e *PlanningFailed) SQLState() string { return "PA001" }

// Detail is the last rejection.
func (e *PlanningFailed) Detail() string { return clip(e.Last.Detail(), detailRunes) }

// Hint is the rejection's own, where it has one.
func (e *PlanningFailed) Hint() string { return e.Last.Hint() }

// Bounds of what is quoted of a rejection: a model chooses the names in it.
const (
	detailRunes   = 2000
	messageRunes  = 300
	feedbackLines = 20
)

// final tells a refusal by policy from a fault that a better plan mends.
// Asking again would only invite a plan that answers something else.
func final(err error) bool {
	var coded interface{ SQLState() string }
	if !errors.As(err, &coded) {
		return true
	}
	switch coded.SQLState() {
	case "PA005", "PA006":
		return false
	}
	return true
}

// codeColumns says that the output isn't what WITH (columns = …) demands.
const codeColumns plan.Code = "WRONG_COLUMNS"

// demanded compares names: a plan that gives other columns than the asker
// demands is made again. Types are for the statement that will cast them.
func demanded(got, want []plan.Column) error {
	if want == nil || Fit(got, want) {
		return nil
	}
	names := func(c []plan.Column) string {
		quoted := make([]string, len(c))
		for i := range c {
			quoted[i] = plan.Ident(c[i].Name)
		}
		return strings.Join(quoted, ", ")
	}
	return rejection(codeColumns, "/select", "the output is "+names(got)+" but must be "+names(want))
}

func rejection(code plan.Code, path, message string) *plan.Rejections {
	return &plan.Rejections{All: []*plan.Rejection{{Code: code, Path: path, Message: message}}}
}

// feedback writes the faults of an attempt for the next one, one JSON object a
// line. Names that semantic.yaml hides from models are left out.
func feedback(r *plan.Rejections, hidden map[string]bool) []string {
	if r == nil {
		return nil
	}
	var lines []string
	for _, x := range r.All[:min(len(r.All), feedbackLines)] {
		line, err := json.Marshal(struct {
			Code    plan.Code   `json:"code"`
			Path    string      `json:"path,omitempty"`
			Message string      `json:"message,omitempty"`
			Nearest []string    `json:"nearest,omitempty"`
			Repair  plan.Repair `json:"repair,omitempty"`
		}{x.Code, x.Path, withoutHidden(x.Message, hidden), keepShown(x.Nearest, hidden), shownRepair(x.Repair, hidden)})
		if err == nil {
			lines = append(lines, string(line))
		}
	}
	return lines
}
