package planner

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

var updateBuiltin = flag.Bool("update-builtin", false, "rewrite the built-in planner's golden")

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// TestBuiltinGolden holds what questions become: the SQL of the plan, or the
// refusal with what it names.
func TestBuiltinGolden(t *testing.T) {
	for _, name := range []string{"builtin", "everyday"} {
		t.Run(name, func(t *testing.T) { golden(t, "testdata/"+name) })
	}
}

func golden(t *testing.T, path string) {
	chain := New(NewBuiltin())
	var b bytes.Buffer
	for _, q := range lines(t, path+".txt") {
		fmt.Fprintf(&b, "? %s\n", q)
		p, err := chain.Plan(context.Background(), bikeInput(t, q))
		if err != nil {
			writeRefusal(&b, err)
			offers(t, chain, q, err)
			continue
		}
		sql, err := stmt.Print(plan.Compile(p.Checked))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n\n", sql)
	}
	same(t, path+".golden", b.Bytes())
}

// same holds that plans are those of a golden file.
func same(t *testing.T, golden string, got []byte) {
	t.Helper()
	if *updateBuiltin {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("plans differ from %s (-want +got):\n%s", golden, diff)
	}
}

// offers holds that what a refusal offers to ask is answered.
func offers(t *testing.T, chain *Chain, question string, err error) {
	t.Helper()
	var r interface{ Hint() string }
	if !errors.As(err, &r) {
		return
	}
	for _, m := range offered.FindAllStringSubmatch(r.Hint(), -1) {
		if _, err := chain.Plan(context.Background(), bikeInput(t, strings.ReplaceAll(m[1], "''", "'"))); err != nil {
			t.Errorf("%s: is offered %s: %v", question, m[0], err)
		}
	}
}

var offered = regexp.MustCompile(`(?m)^ASK '((?:[^']|'')*)'$`)

func writeRefusal(b *bytes.Buffer, err error) {
	var r interface {
		SQLState() string
		Detail() string
		Hint() string
	}
	if !errors.As(err, &r) {
		fmt.Fprintf(b, "! %v\n\n", err)
		return
	}
	fmt.Fprintf(b, "! %s %v\n", r.SQLState(), err)
	if d := r.Detail(); d != "" {
		fmt.Fprintf(b, "  detail: %s\n", strings.ReplaceAll(d, "\n", "\n          "))
	}
	fmt.Fprintf(b, "  hint: %s\n\n", strings.ReplaceAll(r.Hint(), "\n", "\n        "))
}

// TestBuiltinRefuses holds that questions the schema has no answer to get none.
func TestBuiltinRefuses(t *testing.T) {
	chain := New(NewBuiltin())
	for _, q := range lines(t, "testdata/unanswerable.txt") {
		p, err := chain.Plan(context.Background(), bikeInput(t, q))
		if err == nil {
			sql, _ := stmt.Print(plan.Compile(p.Checked))
			t.Errorf("%s: answered by %s", q, sql)
			continue
		}
		var n *NotAnswerable
		if !errors.As(err, &n) {
			t.Errorf("%s: %v, want a refusal as not answerable", q, err)
		}
	}
}

// TestBuiltinScoped holds that what can't be proven for a role is refused by the
// validator's own error, with a question that can be asked instead.
func TestBuiltinScoped(t *testing.T) {
	in := bikeInput(t, "riders without rentals")
	in.Access.Scoped = map[catalog.Name]plan.Scope{{Schema: "public", Table: "rentals"}: {}}
	_, err := New(NewBuiltin()).Plan(context.Background(), in)
	var r interface {
		SQLState() string
		Detail() string
		Hint() string
	}
	if !errors.As(err, &r) || r.SQLState() != "PA007" || r.Hint() != "ASK 'how many rentals per rider'" {
		t.Fatalf("%v, want PA007 with a question", err)
	}
	in.Question = "how many rentals per rider"
	if _, err := New(NewBuiltin()).Plan(context.Background(), in); err != nil {
		t.Errorf("the question that the hint names: %v", err)
	}
}

// TestMetricOfOwnWords: a metric's own words are one phrase, though a table's synonym is in them.
func TestMetricOfOwnWords(t *testing.T) {
	in := bikeInput(t, "number of fixes per mechanic")
	file, faults := configs.DecodeSemantic("semantic.yaml", []byte(strings.Replace(bikeSemantic, "dimensions:",
		"  - {name: jobs, table: public.repairs, expr: count(*), additivity: {kind: additive}, synonyms: [number of fixes], owner: workshop}\ndimensions:", 1)))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	in.Semantic, faults = semantic.Build(*file, in.Catalog)
	p, err := NewBuiltin().Plan(context.Background(), in)
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	if names := p.Checked.Columns(); len(names) != 2 || names[1].Name != "jobs" {
		t.Errorf("%v", names)
	}
}

// TestBuiltinColumns holds that demanded columns come, in any order, or nothing.
func TestBuiltinColumns(t *testing.T) {
	for want, ok := range map[string]bool{"income,plan": true, "plan,income": true, "plan": false, "plan,revenue": false} {
		in := bikeInput(t, "income by plan")
		for _, name := range strings.Split(want, ",") {
			in.Columns = append(in.Columns, plan.Column{Name: name})
		}
		p, err := NewBuiltin().Plan(context.Background(), in)
		var d *Declined
		if !ok {
			if !errors.As(err, &d) {
				t.Errorf("%s: %v, want it declined", want, err)
			}
			continue
		}
		if err != nil || !Fit(p.Checked.Columns(), in.Columns) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func BenchmarkBuiltin(b *testing.B) {
	planner, in := NewBuiltin(), bikeInput(&testing.T{}, "how many cancelled trips per plan last month")
	for b.Loop() {
		if _, err := planner.Plan(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
}

// Names of what the asker may not read make no difference: a question that
// says one is answered, or declined with the same words and hint, as if there
// were no such thing.
func TestBuiltinHiddenIsMissing(t *testing.T) {
	chain := New(NewBuiltin())
	hidden := []catalog.Name{{Schema: "public", Table: "wages"}, {Schema: "public", Table: "api_keys"}, {Schema: "vault", Table: "secrets"},
		{Schema: "public", Table: "bike_riders"}, {Schema: "public", Table: "bike_models"}, {Schema: "public", Table: "trip_stations"}}
	questions := append(lines(t, "testdata/builtin.txt"), "how many wages", "bikes per api keys", "vault secrets", "how many bike riders", "how many trip stations per month")
	for _, q := range questions {
		var said [2]string
		for i, names := range [][]catalog.Name{hidden, nil} {
			in := bikeInput(t, q)
			in.Hidden = names
			var b bytes.Buffer
			p, err := chain.Plan(context.Background(), in)
			if err != nil {
				writeRefusal(&b, err)
			} else if sql, err := stmt.Print(plan.Compile(p.Checked)); err != nil {
				t.Fatal(err)
			} else {
				b.WriteString(sql)
			}
			said[i] = b.String()
		}
		if diff := cmp.Diff(said[1], said[0]); diff != "" {
			t.Errorf("%s: hidden names change the answer (-without +with):\n%s", q, diff)
		}
	}
}
