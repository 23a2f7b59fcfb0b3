package planner

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

const bikeLevels = `
hierarchies:
  - {name: place, levels: [public.stations.city, public.stations.district, public.stations.name], synonyms: [location]}
  - {name: make, levels: [public.bike_models.maker, public.bike_models.kind]}
  - {name: ride, levels: [public.rentals.trip_class, public.rentals."hour started"]}
  - {name: home, levels: [public.riders.home_city, public.riders.plan]}
`

// TestLevels holds what questions and follow-ups about levels become. In levels.txt a line
// begins with > where it amends the answer before it.
func TestLevels(t *testing.T) {
	chain := New(NewBuiltin())
	in := bikeInput(t, "")
	file, faults := configs.DecodeSemantic("semantic.yaml", []byte(bikeSemantic+bikeLevels+"fiscal_year_start: 4\n"))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if in.Semantic, faults = semantic.Build(*file, in.Catalog); len(faults) > 0 {
		t.Fatal(faults)
	}
	var b bytes.Buffer
	var last *Last
	for _, line := range lines(t, "testdata/levels.txt") {
		fmt.Fprintf(&b, "? %s\n", line)
		in.Last, in.Question = nil, line
		if more, ok := strings.CutPrefix(line, "> "); ok {
			in.Last, in.Question = last, more
		}
		p, err := Proposal{}, error(nil)
		if given, ok := strings.CutPrefix(in.Question, "plan "); ok {
			p.Checked, err = plan.Validate(decoded(t, given), in.Context())
		} else {
			p, err = chain.Plan(context.Background(), in)
		}
		if err != nil {
			writeRefusal(&b, err)
			continue
		}
		sql, err := stmt.Print(plan.Compile(p.Checked))
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range append(p.Qualifiers, p.Checked.Qualifiers()...) {
			fmt.Fprintf(&b, "  %s\n", q)
		}
		fmt.Fprintf(&b, "%s\n\n", sql)
		if in.Last != nil {
			in.Question = in.Last.Question + ", " + in.Question
		}
		last = &Last{Question: in.Question, Plan: p.Checked.Plan()}
	}
	same(t, "testdata/levels.golden", b.Bytes())
}
