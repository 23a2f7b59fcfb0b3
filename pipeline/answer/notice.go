package answer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Receipt is what must be said about an answer.
type Receipt struct {
	// Source says where the SQL came from: curated, cache, builtin, model …
	Source string
	// Scopes are the tables of which only permitted rows were read.
	Scopes []string
	// Qualifiers are what remains true only with a condition.
	Qualifiers []string
	// Curated is the id of a curated query, Values what it was given.
	Curated string
	Values  map[string]any
	// PlanHash is the plan's, nil for an answer without one, and Annotations what is
	// said of its reading, in words.
	PlanHash    *string
	Annotations string
}

// Notice makes the text of the NOTICE that goes with an answer. The message
// holds the source, every scope and every qualifier word for word, because
// some clients show nothing else; the detail says which values a curated query
// was given, which is what a reader of the answer may want changed, and which plan
// it was.
//
//	pgask: builtin; scopes: public.accounts, public.orders; qualifiers: arr is the last value of each month
//
// Several qualifiers are numbered, since one may hold any punctuation.
func Notice(r Receipt) (message, detail string) {
	var b strings.Builder
	b.WriteString("pgask: " + r.Source)
	if r.Curated != "" {
		b.WriteString(" " + r.Curated)
		detail = values(r.Values)
	}
	detail = joined(detail, r.plan())
	if len(r.Scopes) > 0 {
		b.WriteString("; scopes: " + strings.Join(r.Scopes, ", "))
	}
	switch len(r.Qualifiers) {
	case 0:
	case 1:
		b.WriteString("; qualifiers: " + r.Qualifiers[0])
	default:
		b.WriteString("; qualifiers:")
		for i, q := range r.Qualifiers {
			fmt.Fprintf(&b, " (%d) %s", i+1, q)
		}
	}
	return b.String(), detail
}

// Tied is what is said of so many rows, behind which others were left out that are equal to
// the last of them in what they are sorted by.
func Tied(rows int64) string {
	if rows == 1 {
		return "others tie with this row and were left out"
	}
	return fmt.Sprintf("others tie with the last of these %d rows and were left out", rows)
}

// Several is said of an answer that has so many rows at most, though nobody said how many.
func Several(rows int64) string {
	return fmt.Sprintf("the first %d, since no number was asked for", rows)
}

// MayTie is said of so many rows where nobody sees whether others tie with the last.
func MayTie(rows int64) string {
	return fmt.Sprintf("others that tie with the last of the %d rows may be left out", rows)
}

// shortHash is how much of a plan's hash people are shown.
const shortHash = 12

// plan says which plan it is, and how far that can be trusted.
func (r Receipt) plan() string {
	if r.PlanHash == nil {
		return r.Annotations
	}
	return joined("plan "+ShortHash(*r.PlanHash), r.Annotations)
}

// ShortHash is as much of a plan's hash as people are shown.
func ShortHash(hash string) string { return hash[:min(len(hash), shortHash)] }

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// values writes a curated query's values as name = value, sorted by name.
func values(v map[string]any) string {
	if len(v) == 0 {
		return ""
	}
	parts := make([]string, 0, len(v))
	for name, value := range v {
		parts = append(parts, name+" = "+spell(value))
	}
	slices.Sort(parts)
	return "with " + strings.Join(parts, ", ")
}

// spell writes a value so that text can be told from numbers.
func spell(value any) string {
	if text, ok := value.(string); ok {
		return strconv.Quote(text)
	}
	return fmt.Sprint(value)
}
