package pipeline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
	"github.com/pgask/pgask/policy"
	"pgregory.net/rapid"
)

var absentPlans = flag.Int("absent-plans", 8, "random plans over each random world")

// Whatever asks for what isn't there is refused, naming the relation, or gives a user
// who sees only some rows what is true of all rows, of those parents that he sees.
func TestAbsentIsAbsent(t *testing.T) {
	conn, snap := absentDatabase(t)
	accepted, proven, refused := map[string]int{}, map[string]int{}, map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := newAbsentWorld(t, conn, snap)
		for range *absentPlans {
			a := w.absence()
			checked, err := plan.Validate(a.plan, w.known)
			var r *plan.Rejections
			switch {
			case errors.As(err, &r) && r.SQLState() == "PA007":
				refused[a.form]++
				if !slices.ContainsFunc(restrictedTables(w.known.Access), func(n string) bool { return strings.Contains(r.Error(), n) }) {
					t.Fatalf("the refusal names no relation: %s", r.Error())
				}
				continue
			case errors.As(err, &r) && r.SQLState() == "PA006":
				continue // it counts what a join repeats
			case err != nil:
				t.Fatalf("%s: %v", a, err)
			}
			accepted[a.form]++
			if len(w.known.Access.Scoped[catalogName(a.child)].Partition) > 0 {
				proven[a.form]++
			}
			w.compare(a, checked)
		}
	})
	t.Logf("accepted %v, of them by the policy's word %v; refused %v", accepted, proven, refused)
	for _, form := range absentForms {
		if proven[form] == 0 || refused[form] == 0 {
			t.Errorf("%s: %d accepted by the policy's word, %d refused: that shows nothing", form, proven[form], refused[form])
		}
	}
}

func restrictedTables(a plan.Access) []string {
	var out []string
	for n := range a.Scoped {
		out = append(out, n.Table)
	}
	return out
}

// compare holds what the user gets against all rows, of the parents that he sees.
func (w *absentWorld) compare(a *absence, checked *plan.Checked) {
	sql, err := stmt.Print(plan.Compile(checked))
	if err != nil {
		w.Fatal(err)
	}
	parents := w.ids(w.authorized(fmt.Sprintf("SELECT %s FROM %s", a.own, a.parent)))
	whole := slices.DeleteFunc(w.ids(sql), func(id string) bool { return !slices.Contains(parents, id) })
	seen := w.ids(w.authorized(sql))
	if a.form == "all of them" { // a group of which no row is seen isn't there, and nothing is said of it
		whole = slices.DeleteFunc(whole, func(id string) bool { return !slices.Contains(seen, id) })
	}
	if diff := cmp.Diff(whole, seen); diff != "" {
		w.Fatalf("%s: what is true (-) and what is said (+) differ: %s\n%s\n%s\n%s", a, diff, sql, w.authorized(sql), w.policy)
	}
}

func (w *absentWorld) authorized(sql string) string {
	n, err := stmt.ParseOne(sql, stmt.DefaultLimits())
	if err != nil {
		w.Fatal(err)
	}
	a, err := w.view.Authorize(stmt.Statement{Text: sql, Tree: n}, policy.Options{})
	if err != nil {
		w.Fatalf("%v: %s", err, sql)
	}
	return a.SQL()
}

// ids are the values of the only column, sorted.
func (w *absentWorld) ids(sql string) []string {
	rows, err := w.conn.Query(context.Background(), sql)
	if err != nil {
		w.Fatal(err)
	}
	defer rows.Close()
	out := []string{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, fmt.Sprint(values[0]))
	}
	if rows.Err() != nil {
		w.Fatalf("%v: %s", rows.Err(), sql)
	}
	slices.Sort(out)
	return out
}
