package configs

import "slices"

// Abstain is the least that an answer must be for it to be given: how sure its
// reading is, how complete what it is computed of, and what of that the asker sees.
type Abstain struct {
	Confidence float64
	// Completeness is exact, bounded, sampled or unknown, Guarantee full, scoped or
	// none, best first.
	Completeness, Guarantee string
}

// Completenesses and Guarantees are the annotations of an answer, best first.
var (
	Completenesses = []string{"exact", "bounded", "sampled", "unknown"}
	Guarantees     = []string{"full", "scoped", "none"}
)

// defaultAbstain refuses what is hardly an answer.
func defaultAbstain() Abstain {
	return Abstain{Confidence: 0.5, Completeness: "sampled", Guarantee: "scoped"}
}

// roleAbstain reads a role's own, in the place of pgask.yaml's.
func roleAbstain(dst **Abstain) setter {
	return func(v value) {
		a := defaultAbstain()
		v.object(fields{
			"confidence":   number(&a.Confidence, 0, 1),
			"completeness": enum(&a.Completeness, Completenesses...),
			"guarantee":    enum(&a.Guarantee, Guarantees...),
		})
		*dst = &a
	}
}

// Stricter demands what either does.
func (a Abstain) Stricter(b Abstain) Abstain {
	best := func(words []string, x, y string) string {
		if slices.Index(words, x) < slices.Index(words, y) {
			return x
		}
		return y
	}
	return Abstain{Confidence: max(a.Confidence, b.Confidence), Completeness: best(Completenesses, a.Completeness, b.Completeness),
		Guarantee: best(Guarantees, a.Guarantee, b.Guarantee)}
}
