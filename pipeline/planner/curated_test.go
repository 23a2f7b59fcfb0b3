package planner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/stmt"
)

const curatedFile = `
queries:
  - id: top_models
    database: bikes
    question: "top {n} models by income"
    also: [best selling models]
    sql: "SELECT m.name FROM bike_models m ORDER BY m.price LIMIT :n"
    params: {n: {type: int, min: 1, max: 100, default: 5}}
  - id: stations_in
    database: bikes
    question: "stations of {city}"
    sql: "WITH s AS (SELECT * FROM public.stations) SELECT s.name FROM s WHERE s.city = :city"
    params: {city: {type: text, required: true}}
  - id: since
    database: bikes
    question: "repairs since {day} of {kind}"
    sql: "SELECT r.cost FROM repairs r WHERE r.done_on >= :day AND r.mechanic = :kind"
    params: {day: {type: date, required: true}, kind: {type: text, choices: [Ruth, Omar], required: true}}
  - id: pay
    database: bikes
    question: wages by month
    sql: "SELECT sum(w.pay) FROM wages w"
  - id: elsewhere
    database: other
    question: how many rentals
    sql: "SELECT 1"
`

func curated(t *testing.T, file string) (*Curated, []configs.Fault) {
	t.Helper()
	c, faults := configs.DecodeCurated("curated.yaml", []byte(file))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return NewCurated(c.Queries, configs.CuratedSettings{Enabled: true})
}

func TestCurated(t *testing.T) {
	c, faults := curated(t, curatedFile)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for question, want := range map[string]struct {
		id, reason string
		values     map[string]any
	}{
		"top 3 models by income":                     {id: "top_models", values: map[string]any{"n": int64(3)}},
		"  Top  THREE models by income ?":            {id: "top_models", values: map[string]any{"n": int64(3)}},
		"Show me the top 3 models by income, please": {reason: "no_candidates"}, // the comma separates
		"show me the top 3 models by income":         {id: "top_models", values: map[string]any{"n": int64(3)}},
		"best selling models":                        {id: "top_models", values: map[string]any{"n": int64(5)}},
		"best selling model":                         {id: "top_models", values: map[string]any{"n": int64(5)}},
		"top 0 models by income":                     {reason: "param_invalid: top_models.n"},
		"top 3; drop table x models by income":       {reason: "param_invalid: top_models.n"},
		"top 3 models by price":                      {reason: "no_candidates"},
		"stations of Porto":                          {id: "stations_in", values: map[string]any{"city": "Porto"}},
		"stations of 'Vila Real'":                    {id: "stations_in", values: map[string]any{"city": "Vila Real"}},
		"stations of x' OR true --":                  {id: "stations_in", values: map[string]any{"city": "x' OR true --"}},
		"repairs since 2026-01-31 of omar":           {id: "since", values: map[string]any{"day": "2026-01-31", "kind": "Omar"}},
		"repairs since 2026-02-31 of omar":           {reason: "param_invalid"},
		"repairs since 2026-01-31 of Eve":            {reason: "param_invalid"},
		"wages by month":                             {reason: "policy_denied"},
		"how many rentals":                           {reason: "no_candidates"},
		"models by income top 3":                     {reason: "no_candidates"},
	} {
		p, err := c.Plan(context.Background(), bikeInput(t, question))
		if want.id == "" {
			var d *Declined
			if !errors.As(err, &d) || !strings.HasPrefix(d.Steps[0].Detail, want.reason) {
				t.Errorf("%s: %v, want %s", question, err, want.reason)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		if diff := cmp.Diff(&CuratedUse{ID: want.id, Values: want.values}, p.Curated); diff != "" {
			t.Errorf("%s (-want +got):\n%s", question, diff)
		}
	}
}

// TestCuratedValues holds that values are constants of the tree, never text.
func TestCuratedValues(t *testing.T) {
	c, _ := curated(t, curatedFile)
	for question, want := range map[string]string{
		"top 3 models by income":           "SELECT m.name FROM bike_models m ORDER BY m.price LIMIT 3::",
		"stations of x' OR true --":        "s.city = 'x'' OR true --'::",
		"repairs since 2026-01-31 of omar": "r.done_on >= '2026-01-31'::",
	} {
		p, err := c.Plan(context.Background(), bikeInput(t, question))
		if err != nil {
			t.Fatal(err)
		}
		sql, err := stmt.Print(p.Query)
		if err != nil || !strings.Contains(sql, want) {
			t.Errorf("%s: %s (%v), want it to hold %s", question, sql, err, want)
		}
	}
}

func TestCuratedOff(t *testing.T) {
	file, _ := configs.DecodeCurated("curated.yaml", []byte(curatedFile))
	c, _ := NewCurated(file.Queries, configs.CuratedSettings{})
	in := bikeInput(t, "stations of Porto")
	_, off := c.Plan(context.Background(), in)
	c, _ = NewCurated(file.Queries, configs.CuratedSettings{Enabled: true})
	in.PlanOnly = true
	_, planOnly := c.Plan(context.Background(), in)
	in.PlanOnly, in.Database = false, "third"
	_, third := c.Plan(context.Background(), in)
	for name, err := range map[string]error{"off": off, "plan only": planOnly, "another database": third} {
		var d *Declined
		if !errors.As(err, &d) || d.Steps[0].Detail != "not_configured" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCuratedFaults(t *testing.T) {
	for name, c := range map[string]struct{ query, want string }{
		"not SQL":           {`{id: a, database: d, question: q, sql: "SELEC 1"}`, "queries.a.sql: "},
		"not a SELECT":      {`{id: a, database: d, question: q, sql: "DELETE FROM t"}`, "one SELECT"},
		"two statements":    {`{id: a, database: d, question: q, sql: "SELECT 1; SELECT 2"}`, "queries.a.sql: "},
		"writes inside":     {`{id: a, database: d, question: q, sql: "WITH x AS (DELETE FROM t RETURNING 1) SELECT * FROM x"}`, "only reads"},
		"makes a table":     {`{id: a, database: d, question: q, sql: "SELECT 1 INTO t"}`, "only reads"},
		"undeclared":        {`{id: a, database: d, question: q, sql: "SELECT :n"}`, ":n, which isn't declared"},
		"unused":            {`{id: a, database: d, question: q, sql: "SELECT 1", params: {n: {type: int, default: 1}}}`, "doesn't use :n"},
		"unknown hole":      {`{id: a, database: d, question: "q {m}", sql: "SELECT :n", params: {n: {type: int, default: 1}}}`, "{m} in"},
		"hole missing":      {`{id: a, database: d, question: q, sql: "SELECT :n", params: {n: {type: int}}}`, "doesn't state {n}"},
		"holes touch":       {`{id: a, database: d, question: "q {n}{m}", sql: "SELECT :n + :m", params: {n: {type: int}, m: {type: int}}}`, "words between"},
		"default not taken": {`{id: a, database: d, question: q, sql: "SELECT :n", params: {n: {type: int, max: 3, default: 5}}}`, "default: 5"},
		"same question":     {`{id: a, database: d, question: the Q, sql: "SELECT 1"}` + "\n  - " + `{id: b, database: d, question: "Q?", sql: "SELECT 2"}`, "answered by a"},
	} {
		file, decoding := configs.DecodeCurated("curated.yaml", []byte("queries:\n  - "+c.query+"\n"))
		if configs.Faulty(decoding) {
			if !strings.Contains(faultText(decoding), c.want) {
				t.Errorf("%s: %v", name, decoding)
			}
			continue
		}
		_, faults := NewCurated(file.Queries, configs.CuratedSettings{Enabled: true})
		if !strings.Contains(faultText(faults), c.want) {
			t.Errorf("%s: %q, want %q", name, faultText(faults), c.want)
		}
		for _, f := range faults {
			if f.Pos.Line == 0 {
				t.Errorf("%s: %v stands nowhere", name, f)
			}
		}
	}
}

func faultText(faults []configs.Fault) string {
	var b strings.Builder
	for _, f := range faults {
		b.WriteString(f.Error() + "\n")
	}
	return b.String()
}
