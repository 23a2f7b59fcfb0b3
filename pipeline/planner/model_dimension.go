package planner

import (
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// shownDimension is a registered expression over a table's columns as a model sees it: as one of
// its columns, with what it is made of.
type shownDimension struct {
	shownColumn
	Definition string `json:"definition,omitempty"`
}

// shownDimensions are those of a table that models may hear of, by name.
func shownDimensions(in Input, t *catalog.Table, d detail) []shownDimension {
	var out []shownDimension
	for _, x := range in.Semantic.DimensionsOf(t.Name) {
		if x.LLM == semantic.Hidden {
			continue
		}
		one := shownDimension{shownColumn: showColumn(x.Column, semantic.Column{Synonyms: x.Synonyms, LLM: x.LLM}, false).told(d)}
		one.Name = x.Name // in a plan it stands as it is
		if x.LLM == semantic.Full && d < bareNames {
			one.Definition = x.ExprText
		}
		out = append(out, one)
	}
	return out
}
