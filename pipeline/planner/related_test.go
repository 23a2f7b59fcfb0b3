package planner

import (
	"context"
	"fmt"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
)

// shopCatalog has names that the thesaurus knows other words for.
func shopCatalog() *catalog.Snapshot {
	customers := bikeTable("customers", "id", "int", "name", "text", "country", "text")
	values(customers, "name", true, "Ann")
	values(customers, "country", true, "Peru")
	classrooms := bikeTable("classrooms", "id", "int", "name", "text", "nationality", "text")
	doctors := bikeTable("doctors", "id", "int", "name", "text")
	films := bikeTable("films", "id", "int", "title", "text", "customer_id", "int")
	points(films, "customer_id", customers)
	return catalog.NewSnapshot("shop", 150000, []*catalog.Table{customers, classrooms, doctors, films}, nil)
}

// TestRelated asks in other words than the schema's: what means the same and
// what is broader is taken, what is narrower or only looks alike isn't.
func TestRelated(t *testing.T) {
	planner, shop := NewBuiltin(), shopCatalog()
	sql := func(question string) string {
		p, err := planner.Plan(context.Background(), Input{Question: question, Catalog: shop})
		if err != nil {
			return "declined"
		}
		return p.Checked.Hash()
	}
	for question, same := range map[string]string{
		"how many clients are there":     "how many customers are there",
		"how many movies are there":      "how many films are there",
		"how many rooms are there":       "how many classrooms are there",
		"list the nation of each client": "list the country of each customer",
	} {
		if got, want := sql(question), sql(same); got != want || got == "declined" {
			t.Errorf("%s: %s, want the plan of %s: %s", question, got, same, want)
		}
	}
	for _, question := range []string{
		"how many surgeons are there", "how many nurses are there", "how many customs are there", "how many filmmakers are there", "how many towns are there",
		"how many film strips are there", "how many customs offices are there",
	} {
		if got := sql(question); got != "declined" {
			t.Errorf("%s: answered", question)
		}
	}
}

// BenchmarkLexicon1000 indexes 1,000 tables of twelve columns.
func BenchmarkLexicon1000(b *testing.B) {
	names := []string{"customer_name", "order_date", "city", "unit_price", "department", "start_time", "employee_count", "phone_number", "status", "country", "rating", "description"}
	var tables []*catalog.Table
	for i := range 1000 {
		t := bikeTable(fmt.Sprintf("%s_%d", names[i%len(names)], i))
		for c, name := range names {
			t.Columns = append(t.Columns, &catalog.Column{Name: name, Type: bikeTypes["text"], Attnum: c + 1})
		}
		tables = append(tables, t)
	}
	s := catalog.NewSnapshot("wide", 150000, tables, nil)
	for b.Loop() {
		buildLexicon(s, nil)
	}
}
