package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// undeclared is a schema without foreign keys.
func undeclared(tables ...*catalog.Table) *catalog.Snapshot {
	slices.SortFunc(tables, func(x, y *catalog.Table) int { return x.Name.Compare(y.Name) })
	return catalog.NewSnapshot("bikes", 150000, tables, nil)
}

// keyed is a table whose key is another column than id.
func keyed(key string, t *catalog.Table) *catalog.Table {
	t.PrimaryKey = []string{key}
	return t
}

func meant(t *testing.T, yaml string, c *catalog.Snapshot) *semantic.Model {
	t.Helper()
	file, faults := configs.DecodeSemantic("semantic.yaml", []byte(yaml))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	m, faults := semantic.Build(*file, c)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return m
}

func TestInferable(t *testing.T) {
	riders := func() *catalog.Table { return bikeTable("riders", "id", "int", "name", "text") }
	for _, test := range []struct {
		name   string
		tables []*catalog.Table
		yaml   string
		want   []string
	}{
		{"the table and its key", []*catalog.Table{riders(), bikeTable("rentals", "id", "int", "rider_id", "int")}, "", []string{"rentals.rider_id > riders.id"}},
		{"a plural of its own", []*catalog.Table{bikeTable("cities", "id", "int"), bikeTable("rentals", "id", "int", "city_id", "int")}, "", []string{"rentals.city_id > cities.id"}},
		{"the key's name", []*catalog.Table{keyed("rider_id", bikeTable("riders", "rider_id", "int")), bikeTable("rentals", "id", "int", "rider_id", "int")}, "",
			[]string{"rentals.rider_id > riders.rider_id"}},
		{"written as one", []*catalog.Table{keyed("stuid", bikeTable("student", "stuid", "int")), keyed("no", bikeTable("pets", "no", "int", "stuid", "int"))}, "",
			[]string{"pets.stuid > student.stuid"}},
		{"generic names", []*catalog.Table{riders(), bikeTable("bikes", "id", "int", "name", "text"), keyed("name", bikeTable("makers", "name", "text"))}, "", nil},
		{"another type", []*catalog.Table{riders(), bikeTable("rentals", "id", "int", "rider_id", "text")}, "", nil},
		{"no key", []*catalog.Table{keyed("no", bikeTable("riders", "id", "int", "no", "int")), bikeTable("rentals", "id", "int", "rider_id", "int")}, "", nil},
		{"declared in the file", []*catalog.Table{riders(), bikeTable("people", "id", "int"), bikeTable("rentals", "id", "int", "rider_id", "int")},
			"relationships: [{from: public.rentals.rider_id, to: public.people.id}]", nil},
		{"named for its table before others", []*catalog.Table{keyed("rider_id", bikeTable("riders", "rider_id", "int")), keyed("rider_id", bikeTable("licences", "rider_id", "int")),
			bikeTable("rentals", "id", "int", "rider_id", "int")}, "", []string{"licences.rider_id > riders.rider_id (one)", "rentals.rider_id > riders.rider_id"}},
		{"two keys, named for neither", []*catalog.Table{keyed("isbn", bikeTable("novels", "isbn", "text")), keyed("isbn", bikeTable("covers", "isbn", "text"))}, "",
			[]string{"covers.isbn > novels.isbn (one)", "novels.isbn > covers.isbn (one)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := undeclared(test.tables...)
			var got []string
			for _, r := range Inferable(c, meant(t, test.yaml, c)) {
				line := fmt.Sprintf("%s > %s.%s", r.Name, r.To.Table, r.ToColumns[0])
				if r.OneToOne {
					line += " (one)"
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestInferableDeclared: a column of a foreign key points where that says.
func TestInferableDeclared(t *testing.T) {
	for _, r := range Inferable(bikeCatalog(), &semantic.Model{}) {
		if r.Name != "transfers.from_station_id" {
			t.Errorf("%s is declared or nothing", r.Name)
		}
	}
}

// TestInferredJoins: inferred relationships lead where no declared ones do, with less
// confidence, and two that lead there are an ambiguity.
func TestInferredJoins(t *testing.T) {
	riders, makers := bikeTable("riders", "id", "int", "name", "text"), bikeTable("makers", "id", "int", "name", "text", "rider_id", "int")
	rentals := bikeTable("rentals", "id", "int", "rider_id", "int", "fee", "num")
	relate := func(from, column, to string) *semantic.Relationship {
		return &semantic.Relationship{Name: from + "." + column, From: catalog.Name{Schema: "public", Table: from}, FromColumns: []string{column},
			To: catalog.Name{Schema: "public", Table: to}, ToColumns: []string{"id"}}
	}
	inferred := func(r *semantic.Relationship) *semantic.Relationship {
		r.Inferred, r.Confidence = true, inferredConfidence
		return r
	}
	c := undeclared(riders, makers, rentals)
	ask := func(m *semantic.Model) (Proposal, error) {
		return New(NewBuiltin()).Plan(context.Background(), Input{Question: "total rental fee per rider", Database: "bikes", Catalog: c, Semantic: m, Today: "2026-11-29"})
	}
	declared, err := ask(&semantic.Model{Relationships: []*semantic.Relationship{relate("rentals", "rider_id", "riders")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(&semantic.Model{}); err == nil {
		t.Error("answered though nothing leads from rentals to riders")
	}
	by, err := ask(&semantic.Model{Inferred: []*semantic.Relationship{inferred(relate("rentals", "rider_id", "riders"))}})
	if err != nil {
		t.Fatal(err)
	}
	const says = "joined by public.rentals.rider_id = public.riders.id, which no foreign key declares"
	if got := by.Checked.Qualifiers(); !slices.Contains(got, says) {
		t.Errorf("qualifiers %q lack %q", got, says)
	}
	if less, more := by.Checked.Annotations().Confidence, declared.Checked.Annotations().Confidence; less >= more {
		t.Errorf("confidence %v, with a declared relationship %v", less, more)
	}
	both, err := ask(&semantic.Model{Relationships: []*semantic.Relationship{relate("rentals", "rider_id", "riders")},
		Inferred: []*semantic.Relationship{inferred(relate("rentals", "id", "riders"))}})
	if err != nil || strings.Contains(strings.Join(both.Checked.Qualifiers(), "\n"), "no foreign key") {
		t.Errorf("an inferred relationship beside a declared one: %v", err)
	}
	_, err = ask(&semantic.Model{Inferred: []*semantic.Relationship{inferred(relate("rentals", "rider_id", "riders")), inferred(relate("rentals", "id", "riders"))}})
	var n *NotAnswerable
	if !errors.As(err, &n) || n.SQLState() != "PA003" {
		t.Errorf("two ways to join: %v, want two readings", err)
	}
}
