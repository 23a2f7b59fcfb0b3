package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Reviews is reviews.yaml: which definitions of metrics were seen by whom. It is kept
// beside the definitions, where whoever has to review can be made to approve changes of it.
type Reviews struct {
	Reviews []Review
	// Given tells that there is such a file, so that the gate holds.
	Given bool
}

// Review says that a team has seen a metric's definition, named by its digest.
type Review struct {
	Pos                    Pos
	Metric, By, Definition string
}

// DecodeReviews reads reviews.yaml.
func DecodeReviews(file string, data []byte) (*Reviews, []Fault) {
	v := open(file, data)
	r := &Reviews{Given: data != nil}
	v.object(reviewsFields(r))
	return r, sorted(v.d.faults)
}

func reviewsFields(r *Reviews) fields {
	return fields{"reviews": records(&r.Reviews, "metric", review)}
}

func review(r *Review) setter {
	return func(v value) {
		r.Pos = v.pos()
		v.object(fields{"metric": text(&r.Metric), "by": text(&r.By), "definition": text(&r.Definition)})
		v.need("metric", r.Metric != "")
		v.need("by", r.By != "")
		v.need("definition", r.Definition != "")
	}
}

// Definition is a digest of what a metric is: all but its words, which change no number.
func (m Metric) Definition() string {
	b, err := json.Marshal([]any{m.Name, m.Table.Schema, m.Table.Table, m.Expr, m.Derived, m.Filter, m.Unit, m.Grain,
		m.Additivity.Kind, m.Additivity.NotOver, m.Additivity.Time, m.Owner, m.ReviewRequiredBy})
	if err != nil {
		panic("configs: definition: " + err.Error()) // only strings, lists and maps of them are in it
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// reviewed marks the metrics whose definition was seen by those who have to, and finds those whose wasn't.
// Without a file of reviews that is a warning only: nobody has set the gate up.
func reviewed(all *All) []Fault {
	var faults []Fault
	known := map[string]bool{}
	for i := range all.Semantic.Metrics {
		m := &all.Semantic.Metrics[i]
		known[m.Name] = true
		if m.ReviewRequiredBy == "" {
			continue
		}
		m.Reviewed = slices.ContainsFunc(all.Reviews.Reviews, func(r Review) bool {
			return r.Metric == m.Name && r.By == m.ReviewRequiredBy && r.Definition == m.Definition()
		})
		if m.Reviewed {
			continue
		}
		entry := fmt.Sprintf("  - {metric: %s, by: %s, definition: %s}", m.Name, m.ReviewRequiredBy, m.Definition())
		faults = append(faults, Fault{Pos: m.Pos, Key: "metrics." + m.Name + ".review_required_by", Warning: !all.Reviews.Given, Fix: []string{entry},
			Msg: fmt.Sprintf("definition %s wasn't reviewed by %s; once it is, files.reviews lists it", m.Definition(), m.ReviewRequiredBy)})
	}
	for _, r := range all.Reviews.Reviews {
		if !known[r.Metric] {
			faults = append(faults, Fault{Pos: r.Pos, Key: "reviews." + r.Metric, Msg: "there is no such metric", Warning: true})
		}
	}
	return faults
}
