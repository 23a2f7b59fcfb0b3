package pipeline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

// annotations of an answer without a plan: what a verified query or a model's SQL
// leaves out is known to nobody here, but which rules were applied is. Nor is what SQL
// that a hook has put in a plan's place leaves out.
func (a answered) annotations(scoped bool) plan.Annotations {
	if c := a.proposal.Checked; c != nil {
		out := c.Annotations()
		if a.rewritten {
			out.Completeness = "unknown"
		}
		return out
	}
	out := plan.Annotations{Completeness: "exact", Confidence: 1, Guarantee: "full"}
	if a.proposal.Source == sourceModelSQL {
		out.Completeness, out.Confidence = "unknown", confidenceOfSQL
	}
	if scoped {
		out.Guarantee = "scoped"
	}
	return out
}

// sourceModelSQL is the source of answers that are SQL of a model. Nobody checks what
// it means, so it is as sure as the default demands, and no more.
const (
	sourceModelSQL  = "model_sql"
	confidenceOfSQL = 0.5
)

// annotate enters the annotations of a statement's answers into its receipt, or
// refuses it for them. What has no plan is said here to be within the asker's rows.
func (s *Session) annotate(at *standing, v *verdict, all []answered) error {
	scoped := scopedTables(at, v.facts.Tables)
	for i, a := range all {
		if err := s.abstain(at, a, len(scoped) > 0); err != nil {
			return err
		}
		has := rounded(a.annotations(len(scoped) > 0))
		if i > 0 {
			has = worse(*v.receipt.Annotations, has)
		}
		v.receipt.Annotations = &has
		within := "within what you may see: " + strings.Join(scoped, ", ")
		if a.proposal.Checked == nil && len(scoped) > 0 && !slices.Contains(v.receipt.Qualifiers, within) {
			v.receipt.Qualifiers = append(v.receipt.Qualifiers, within)
		}
	}
	return nil
}

// scopedTables are those of the tables of which the asker sees only some rows.
func scopedTables(at *standing, tables []catalog.Name) []string {
	var out []string
	for _, g := range at.view.Describe() {
		if g.Scope != "" && slices.Contains(tables, g.Table) {
			out = append(out, plan.TableName(g.Table))
		}
	}
	slices.Sort(out)
	return out
}

// rounded has a confidence that people can read.
func rounded(a plan.Annotations) plan.Annotations {
	a.Confidence = plan.Rounded(a.Confidence)
	return a
}

// annotated is annotations in words.
func annotated(a plan.Annotations) string {
	return fmt.Sprintf("completeness %s, confidence %s, guarantee %s", a.Completeness, plan.Confidence(a.Confidence), a.Guarantee)
}

// worse is what can be said of two answers in one statement.
func worse(a, b plan.Annotations) plan.Annotations {
	word := func(words []string, x, y string) string {
		if slices.Index(words, x) > slices.Index(words, y) {
			return x
		}
		return y
	}
	return plan.Annotations{Completeness: word(configs.Completenesses, a.Completeness, b.Completeness), Confidence: min(a.Confidence, b.Confidence),
		Guarantee: word(configs.Guarantees, a.Guarantee, b.Guarantee)}
}

// weakness is one reason not to answer.
type weakness struct{ code, text string }

// abstain refuses an answer whose annotations are less than the role wants. Whoever
// has models or hooks write SQL has accepted that its completeness isn't known.
func (s *Session) abstain(at *standing, a answered, scoped bool) error {
	least := at.rules.Abstain
	if at.role.Abstain != nil {
		least = *at.role.Abstain
	}
	has := a.annotations(scoped)
	var reasons []weakness
	if has.Confidence < least.Confidence {
		reasons = append(reasons, weakness{"LOW_CONFIDENCE", "the reading of the question has a confidence of " + plan.Confidence(has.Confidence) + ", below " + plan.Confidence(least.Confidence)})
	}
	if below(configs.Completenesses, has.Completeness, least.Completeness) && a.proposal.Source != sourceModelSQL && !a.rewritten {
		reasons = append(reasons, weakness{"INCOMPLETE", fmt.Sprintf("what the answer is computed of is %s, not %s", has.Completeness, orBetter(configs.Completenesses, least.Completeness))})
	}
	if below(configs.Guarantees, has.Guarantee, least.Guarantee) {
		reasons = append(reasons, weakness{"NO_GUARANTEE", whyNot(has.Guarantee, a)})
	}
	if len(reasons) == 0 {
		return nil
	}
	return &Abstention{ask: a.ask, reasons: reasons}
}

// below tells whether an annotation is less than is wanted; nothing is where that is
// empty.
func below(words []string, has, least string) bool {
	return least != "" && slices.Index(words, has) > slices.Index(words, least)
}

// whyNot says what takes a guarantee away. The plan's qualifiers name it, as the asker
// may know it.
func whyNot(guarantee string, a answered) string {
	text, prefix := "only some rows may be seen", "within what you may see"
	if guarantee == "none" {
		text, prefix = "a mask decides what comes out, not what it hides", "masked"
	}
	if c := a.proposal.Checked; c != nil {
		for _, q := range c.Qualifiers() {
			if strings.HasPrefix(q, prefix) {
				return text + " (" + q + ")"
			}
		}
	}
	return text
}

func orBetter(words []string, least string) string {
	i := slices.Index(words, least)
	if i == 0 {
		return least
	}
	return least + " or better"
}

// Abstention says that the evidence is too weak for an answer (PA008): its
// annotations are less than is wanted.
type Abstention struct {
	ask     *stmt.Ask
	reasons []weakness
}

// Error is the refusal in one line.
func (e *Abstention) Error() string { return "no answer: " + e.reasons[0].text }

// SQLState is PA008.
func (e *Abstention) SQLState() string { return "PA008" }

// Detail has every reason, and the first as one line of JSON.
func (e *Abstention) Detail() string {
	var lines []string
	for _, r := range e.reasons {
		lines = append(lines, r.code+": "+r.text)
	}
	last, _ := json.Marshal(struct { // strings always encode
		Code   string  `json:"code"`
		Path   string  `json:"path"`
		Repair *string `json:"repair"`
	}{e.reasons[0].code, "", nil})
	return strings.Join(append(lines, string(last)), "\n")
}

// Hint shows how the question was read, by what picked its plan. How a follow-up was
// read no statement shows.
func (e *Abstention) Hint() string {
	if e.ask.Form == stmt.FormMore {
		return ""
	}
	hint := "ASK PLAN " + quoted(e.ask.Question)
	switch {
	case e.ask.HasPlan:
		hint += " USING PLAN " + quoted(e.ask.Plan)
	case e.ask.Reading > 0:
		hint += fmt.Sprintf(" READING %d", e.ask.Reading)
	}
	return hint
}
