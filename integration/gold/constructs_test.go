package gold

import (
	"slices"
	"strings"
	"testing"
)

func TestConstructs(t *testing.T) {
	for _, c := range []struct{ q, want string }{
		{"SELECT kind FROM trees", "plain"},
		{"SELECT count(*) FROM trees WHERE height BETWEEN 1 AND 2", "aggregate between where"},
		{"SELECT t.id FROM trees t JOIN growers g ON g.id = t.grower_id OR t.kind LIKE 'a%'", "join like or"},
		{"SELECT t.id FROM trees t, growers g GROUP BY 1 HAVING count(*) > 1 ORDER BY 1", "aggregate group having join order"},
		{"SELECT DISTINCT kind FROM trees ORDER BY kind LIMIT 1", "distinct order+limit"},
		{"SELECT id FROM trees WHERE id NOT IN (SELECT mother_id FROM trees)", "nested not where"},
		{"SELECT id FROM trees UNION SELECT id FROM growers", "set operation"},
	} {
		got, err := Question{SQL: c.q}.Constructs()
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, %v, want %s", c.q, got, err, c.want)
		}
	}
	if got, err := (Question{Refused: "opinion"}).Constructs(); err != nil || !slices.Equal(got, []string{"opinion"}) {
		t.Errorf("without an answer: %v, %v", got, err)
	}
}

func TestFold(t *testing.T) {
	var all []Question
	for _, db := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		all = append(all, Question{DB: db}, Question{DB: db})
	}
	dev, err := Fold(all, Dev)
	if err != nil {
		t.Fatal(err)
	}
	held, err := Fold(all, Held)
	if err != nil {
		t.Fatal(err)
	}
	if len(Databases(dev)) != 18 || len(Databases(held)) != 8 || len(dev)+len(held) != len(all) {
		t.Errorf("%d databases to develop on, %d held out, %d questions", len(Databases(dev)), len(Databases(held)), len(dev)+len(held))
	}
	for _, db := range Databases(dev) {
		if slices.Contains(Databases(held), db) {
			t.Errorf("%s is in both", db)
		}
	}
	if _, err := Fold(all, "none"); err == nil {
		t.Error("a fold that isn't there")
	}
}
