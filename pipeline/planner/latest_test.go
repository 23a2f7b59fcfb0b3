package planner

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
)

// A relative period that begins behind all known dates is the latest one in the data, and
// the plan says so; none is where the data goes on, where nothing is known of its end, or
// where periods are compared.
func TestLatest(t *testing.T) {
	const known = "2025-11-03 10:00:00+00"
	for _, c := range []struct{ question, max, want string }{
		{"how many trips this year", known, `{"period":{"column":"rentals.started_at","unit":"year","latest":true}}`},
		{"how many trips last month", known, `{"period":{"column":"rentals.started_at","unit":"month","complete":true,"latest":true}}`},
		{"how many trips in the last 2 weeks", known, `{"period":{"column":"rentals.started_at","unit":"day","last":14,"latest":true}}`},
		{"how many trips in the past 3 quarters", "2024-11-03", `{"period":{"column":"rentals.started_at","unit":"quarter","last":3,"complete":true,"latest":true}}`},
		{"how many trips last year", known, ""},
		{"how many trips in the past 3 quarters", "2026-01-05", ""},
		{"how many trips this year", "2026-01-01 00:00:00+00", ""},
		{"how many trips this year", "", ""},
		{"how many trips this year", "infinity", ""},
		{"how many trips yesterday", known, ""},
		{"how many trips next year", known, ""},
		{"how many trips since last month", known, ""},
		{"how many trips this year in the last 2 weeks", known, ""},
	} {
		in := bikeInput(t, c.question)
		in.Catalog.Table(catalog.Name{Schema: "public", Table: "rentals"}).Column("started_at").Max = c.max
		p, err := NewBuiltin().Plan(t.Context(), in)
		if err != nil {
			t.Errorf("%s: %v", c.question, err)
			continue
		}
		text, err := json.Marshal(p.Checked.Plan().Where)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Contains(string(text), `"latest"`)
		if c.want == "" && got || c.want != "" && strings.ReplaceAll(string(text), `,"last":1,`, ",") != c.want {
			t.Errorf("%s: %s, want %s", c.question, text, c.want)
		}
		const says = "where public.rentals.started_at ends before the period asked for (of the rows sampled the last is "
		if said := strings.Contains(strings.Join(p.Checked.Qualifiers(), "\n"), says); said != (c.want != "") {
			t.Errorf("%s: qualifiers %q", c.question, p.Checked.Qualifiers())
		}
	}
}
