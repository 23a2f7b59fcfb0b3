package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline"
)

// foreseen is what is known of a message's allowed statements together.
type foreseen struct {
	Tables, Scopes, Masked, Columns []string
	Cap                             int64
	SQL                             string
}

// sumOf adds statements up; columns and cap are the last one's.
func sumOf(forecasts []pipeline.Forecast) foreseen {
	var out foreseen
	var texts []string
	for _, f := range forecasts {
		facts := f.Facts
		for _, t := range facts.Tables {
			out.Tables = append(out.Tables, configs.Name{Schema: t.Schema, Table: t.Table}.String())
		}
		out.Scopes = append(out.Scopes, f.Receipt.Scopes...)
		out.Masked = append(out.Masked, facts.Masked...)
		if facts.Query != nil {
			facts = *facts.Query
		}
		out.Columns, out.Cap = facts.Columns, facts.Cap
		texts = append(texts, f.SQL)
	}
	out.Tables, out.Scopes, out.Masked = unique(out.Tables), unique(out.Scopes), unique(out.Masked)
	out.SQL = strings.Join(texts, "; ")
	return out
}

// unique is a list sorted, with every word once.
func unique(words []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(words)))
}

// listed is a list for people.
func listed(words []string) string { return "[" + strings.Join(words, ", ") + "]" }

// spelled is a list of names as SQL spells them; nil stays nil.
func spelled[T fmt.Stringer](names []T) []string {
	if names == nil {
		return nil
	}
	out := []string{}
	for _, n := range names {
		out = append(out, n.String())
	}
	return out
}
