package planner

import (
	"context"
	"strings"
	"testing"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// petCatalog has dates that are called after what happened to the rows, with dates of other
// tables in reach, and members of clubs.
func petCatalog() *catalog.Snapshot {
	owners := bikeTable("owners", "id", "int", "full_name", "text", "hired", "date", "joined_on", "date")
	pets := bikeTable("pets", "id", "int", "owner_id", "int", "name", "text", "born", "date")
	points(pets, "owner_id", owners)
	clubs := bikeTable("clubs", "id", "int", "title", "text")
	values(clubs, "title", true, "Night Walkers")
	members := bikeTable("memberships", "owner_id", "int", "club_id", "int", "rank", "int")
	members.PrimaryKey = []string{"owner_id", "club_id", "rank"}
	points(members, "owner_id", owners)
	points(members, "club_id", clubs)
	return catalog.NewSnapshot("pets", 150000, []*catalog.Table{owners, pets, clubs, members}, nil)
}

func TestPets(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"pets born before 2015", "SELECT pets.name FROM public.pets WHERE pets.born < '2015-01-01'::pg_catalog.date"},
		{"how many pets were born in 2015", "SELECT count(*) AS pets FROM public.pets WHERE pets.born >= '2015-01-01'::pg_catalog.date AND pets.born < '2016-01-01'::pg_catalog.date"},
		{"owners hired since 2021", "SELECT owners.full_name FROM public.owners WHERE owners.hired >= '2021-01-01'::pg_catalog.date"},
		{"who belong to the club Night Walkers? Show the full names", "EXISTS (SELECT 1 FROM public.memberships"},
	} {
		m, faults := semantic.Build(configs.Semantic{}, petCatalog())
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		in := Input{Question: c.question, Database: "pets", Catalog: petCatalog(), Semantic: m, Today: "2026-11-29"}
		p, err := New(NewBuiltin()).Plan(context.Background(), in)
		if err != nil {
			t.Errorf("%s: %v", c.question, err)
			continue
		}
		got, err := stmt.Print(plan.Compile(p.Checked))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s", c.question, got)
		}
	}
}
