package planner

import (
	"context"
	"strings"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

// TestExcluded asks for what doesn't belong to some rows: who sees only some rows is answered where
// each has its one, and where one may lack it, it is kept in.
func TestExcluded(t *testing.T) {
	asked := func(change func(*Input)) (string, error) {
		in := bikeInput(t, "how many rentals not from Lisbon riders")
		change(&in)
		p, err := New(NewBuiltin()).Plan(context.Background(), in)
		if err != nil {
			return "", err
		}
		sql, err := stmt.Print(plan.Compile(p.Checked))
		if err != nil {
			t.Fatal(err)
		}
		return sql, nil
	}
	scoped := func(in *Input) {
		in.Access.Scoped = map[catalog.Name]plan.Scope{{Schema: "public", Table: "rentals"}: {}, {Schema: "public", Table: "riders"}: {}}
	}
	if sql, err := asked(scoped); err != nil || !strings.Contains(sql, "WHERE riders.home_city <> 'Lisbon'") {
		t.Errorf("for whoever sees some rows: %s, %v", sql, err)
	}
	nullable := func(in *Input) {
		in.Catalog.Table(catalog.Name{Schema: "public", Table: "rentals"}).Column("rider_id").NotNull = false
	}
	if sql, err := asked(nullable); err != nil || !strings.Contains(sql, "NOT (EXISTS") && !strings.Contains(sql, "NOT EXISTS") {
		t.Errorf("of rentals that may have no rider: %s, %v", sql, err)
	}
}
