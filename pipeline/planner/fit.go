package planner

import (
	"slices"
	"strings"

	"github.com/pgask/pgask/pipeline/plan"
)

// Fit tells whether an answer's columns are those that WITH (columns = …)
// demands, in whatever order. Names must agree: a number under the name of
// another one would be a wrong answer.
func Fit(have, want []plan.Column) bool {
	names := func(list []plan.Column) []string {
		out := make([]string, len(list))
		for i, c := range list {
			out[i] = c.Name
		}
		return slices.Sorted(slices.Values(out))
	}
	return slices.Equal(names(have), names(want))
}

// columnList spells columns as WITH (columns = …) takes them.
func columnList(have []plan.Column) string {
	out := make([]string, len(have))
	for i, c := range have {
		out[i] = plan.Ident(c.Name) + " " + c.Type
	}
	return strings.Join(out, ", ")
}
