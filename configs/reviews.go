package configs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
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

// definitions are digests of what metrics are: all but their words, which change no number.
// A derived one is what those are that it names, too, wherever they stand.
func (s *Semantic) definitions() []string {
	out := make([]string, len(s.Metrics))
	for i := range s.Metrics {
		s.definition(i, out)
	}
	return out
}

// definition fills in the digest of a metric and of those that it is made of. One that is made
// of itself is a fault elsewhere.
func (s *Semantic) definition(i int, known []string) string {
	if known[i] != "" {
		return known[i]
	}
	known[i] = "open"
	m := s.Metrics[i]
	what := []any{m.Name, m.Table.Schema, m.Table.Table, m.Expr, m.Derived, m.Filter, m.Unit, m.Grain,
		m.Additivity.Kind, m.Additivity.NotOver, m.Additivity.Time, m.Owner, m.ReviewRequiredBy}
	if m.TimeDimension.Column != "" {
		what = append(what, m.TimeDimension.String())
	}
	for j, part := range s.Metrics {
		if slices.Contains(m.parts(), part.Name) {
			what = append(what, s.definition(j, known))
		}
	}
	b, err := json.Marshal(what)
	if err != nil {
		panic("configs: definition: " + err.Error()) // only strings, lists and maps of them are in it
	}
	sum := sha256.Sum256(b)
	known[i] = hex.EncodeToString(sum[:8])
	return known[i]
}

var partNames = regexp.MustCompile(`"(?:[^"]|"")+"|[A-Za-z_][\w$]*`)

// parts are the names in a derived metric's arithmetic, as SQL reads them.
func (m Metric) parts() []string {
	names := partNames.FindAllString(m.Derived, -1)
	for i, n := range names {
		if strings.HasPrefix(n, `"`) {
			names[i] = strings.ReplaceAll(n[1:len(n)-1], `""`, `"`)
			continue
		}
		names[i] = strings.ToLower(n)
	}
	return names
}

// reviewed marks the metrics whose definition was seen by those who have to, and finds those whose wasn't.
// Without a file of reviews that is a warning only: nobody has set the gate up.
func reviewed(all *All) []Fault {
	var faults []Fault
	definitions := all.Semantic.definitions()
	gated := map[string]bool{} // whether it has to be reviewed, by name
	for i := range all.Semantic.Metrics {
		m := &all.Semantic.Metrics[i]
		gated[m.Name] = m.ReviewRequiredBy != ""
		if m.ReviewRequiredBy == "" {
			continue
		}
		definition := definitions[i]
		m.Reviewed = slices.ContainsFunc(all.Reviews.Reviews, func(r Review) bool {
			return r.Metric == m.Name && r.By == m.ReviewRequiredBy && r.Definition == definition
		})
		if m.Reviewed {
			continue
		}
		entry := fmt.Sprintf("  - {metric: %s, by: %s, definition: %s}", m.Name, m.ReviewRequiredBy, definition)
		faults = append(faults, Fault{Pos: m.Pos, Key: "metrics." + m.Name + ".review_required_by", Warning: !all.Reviews.Given, Fix: []string{entry},
			Msg: fmt.Sprintf("definition %s wasn't reviewed by %s; once it is, files.reviews lists it", definition, m.ReviewRequiredBy)})
	}
	for _, r := range all.Reviews.Reviews {
		switch held, known := gated[r.Metric]; {
		case !known:
			faults = append(faults, Fault{Pos: r.Pos, Key: "reviews." + r.Metric, Msg: "there is no such metric", Warning: true})
		case !held: // only those who own this file lift the gate
			faults = append(faults, Fault{Pos: r.Pos, Key: "reviews." + r.Metric, Msg: "the metric doesn't say review_required_by any more"})
		}
	}
	return faults
}
