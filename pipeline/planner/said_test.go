package planner

import (
	"slices"
	"testing"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// What isn't the schema's word is said, once; declared names, synonyms, abbreviations and
// inflections are the schema's.
func TestReadAs(t *testing.T) {
	for _, c := range []struct {
		question string
		want     []string
	}{
		{"how many bicycles", []string{`"bicycles" was read as table bikes`}},
		{"electrical models", []string{`"electrical" was read as bike_models.kind = electric`}},
		{"how many repairs by machinist", []string{`"machinist" was read as repairs.mechanic`}},
		{"how many trips", nil},
		{"how many members", nil},
		{"how many female riders", nil},
		{"how many electric models", nil},
		{"number of stations by city", nil},
		{"the oldest rider", nil},
		{"average fee of finished rentals by plan", nil},
	} {
		p, err := NewBuiltin().Plan(t.Context(), bikeInput(t, c.question))
		if err != nil {
			t.Errorf("%s: %v", c.question, err)
			continue
		}
		if !slices.Equal(p.Qualifiers, c.want) {
			t.Errorf("%s: %q, want %q", c.question, p.Qualifiers, c.want)
		}
	}
}

// A note that names a column of which a model may know the name only may hold a value of it.
func TestNotesMentionable(t *testing.T) {
	c := bikeCatalog()
	file, faults := configs.DecodeSemantic("semantic.yaml", []byte("tables:\n  - {table: public.riders, columns: {last_name: {llm: name_only}, age: {llm: hidden}}}\n"))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	m, faults := semantic.Build(*file, c)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	notes := []string{`"silvan" was read as riders.last_name = Silva`, `"years" was read as riders.age`, `"bicycles" was read as table bikes`}
	if got := Mentionable(notes, c, m); !slices.Equal(got, notes[2:]) {
		t.Errorf("%q", got)
	}
}

// A superlative of several has some rows, as the proposal says, of one it has one.
func TestSeveral(t *testing.T) {
	for question, want := range map[string]int64{"most expensive models": someRows, "plans of the oldest riders": someRows, "top models by income": someRows, "most common cities": someRows,
		"the most expensive model": 1, "plan of the oldest rider": 1, "what is the age of the oldest riders": 1, "top model by income": 1, "the 3 most expensive models": 3, "top 3 models by income": 3} {
		p, err := NewBuiltin().Plan(t.Context(), bikeInput(t, question))
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		if limit := p.Checked.Plan().Limit; limit == nil || *limit != want || p.Several != (want == someRows) {
			t.Errorf("%s: limit %v, several %v", question, limit, p.Several)
		}
	}
}

// A sum of what isn't additive is refused with the question for its average.
func TestAveraged(t *testing.T) {
	in := bikeInput(t, "total weight of models")
	in.Semantic.Tables[catalog.Name{Schema: "public", Table: "bike_models"}] = &semantic.Table{Columns: map[string]semantic.Column{"weight_kg": {NonAdditive: true}}}
	_, err := NewBuiltin().Plan(t.Context(), in)
	refused, ok := err.(interface {
		SQLState() string
		Hint() string
	})
	if !ok || refused.SQLState() != "PA006" || refused.Hint() != "ASK 'average weight of models'" {
		t.Errorf("%v", err)
	}
}

func TestTextOf(t *testing.T) {
	const said = "on March 15, 2026"
	toks := tokenize(said)
	if got := (&parser{toks: toks}).textOf(0, len(toks)); got != said {
		t.Errorf("got %q", got)
	}
}
