package plan_test

import (
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/plan"
	"pgregory.net/rapid"
)

var measuredPlans = flag.Int("measured-plans", 10, "random plans over each random star schema")

// Every random plan over a random star schema that is accepted gives what
// its measures are over the rows of their own tables; what is refused says which
// measure and which join it is about, and its repair gives just that.
func TestMeasuredAtTheirGrain(t *testing.T) {
	conn, _ := database(t)
	accepted, repaired, refused := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		w.load(t, conn)
		for range *measuredPlans {
			a := w.ask(t)
			p := a.plan()
			checked, err := plan.Validate(p, w.c)
			if err == nil {
				accepted++
				a.compare(t, w, conn, checked)
				continue
			}
			var r *plan.Rejections
			if !errors.As(err, &r) {
				t.Fatalf("%v", err)
			}
			refused++
			a.explained(t, r)
			if r.All[0].Code != plan.CodeFanOut || r.All[0].Repair == nil {
				continue
			}
			better, err := r.All[0].Repair.Apply(p)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if checked, err = plan.Validate(better, w.c); err == nil {
				repaired++
				a.compare(t, w, conn, checked)
			}
		}
	})
	t.Logf("%d accepted, %d refused, %d of them repaired", accepted, refused, repaired)
	if accepted == 0 || repaired == 0 || refused == repaired {
		t.Error("the random plans show nothing")
	}
}

// explained demands that a refusal names the measure and what is joined.
func (a *ask) explained(t *rapid.T, r *plan.Rejections) {
	for _, f := range r.All {
		switch f.Code {
		case plan.CodeFanOut:
			named := slices.ContainsFunc(a.measures, func(m askMeasure) bool { return strings.Contains(f.Message, m.called()) })
			joined := slices.ContainsFunc(a.tables(), func(x *worldTable) bool { return strings.Contains(f.Message, "joining "+x.name) }) ||
				strings.Contains(f.Message, "two of the joins multiply")
			if !named || !joined {
				t.Fatalf("%q names no measure or no join", f.Message)
			}
		case plan.CodeAdditivity:
			if !slices.ContainsFunc(a.measures, func(m askMeasure) bool {
				return strings.Contains(f.Message, m.called()) || strings.Contains(f.Message, m.table.name+"."+m.column+" is a stock")
			}) {
				t.Fatalf("%q names no measure", f.Message)
			}
		case plan.CodeMetricJoin, plan.CodeCountMissing, plan.CodeGrain:
			if !slices.ContainsFunc(a.measures, func(m askMeasure) bool { return strings.Contains(f.Message, m.called()) }) {
				t.Fatalf("%q names no measure", f.Message)
			}
		default:
			t.Fatalf("%s: %q", f.Code, f.Message)
		}
	}
}

func (m askMeasure) called() string {
	if m.metric != nil {
		return m.metric.Name
	}
	return m.fn
}

// compare runs a plan and compares with the evaluation by hand.
func (a *ask) compare(t *rapid.T, w *world, conn *pgx.Conn, checked *plan.Checked) {
	sql := checkPrints(t, checked)
	rows, err := query(conn, sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	got := map[string]string{}
	for _, row := range rows[1:] {
		var values []string
		empty := true
		for _, v := range row[len(a.groups):] {
			values = append(values, rounded(v))
			empty = empty && (v == "∅" || v == "0")
		}
		if key := strings.Join(row[:len(a.groups)], "|"); !empty || len(a.groups) == 0 {
			if _, twice := got[key]; twice {
				t.Fatalf("group %s twice\n%s", key, sql)
			}
			got[key] = strings.Join(values, "|")
		}
	}
	if diff := cmp.Diff(a.answer(w), got); diff != "" {
		t.Fatalf("(-by hand +by SQL)\n%s%s\n%s", diff, sql, w.dump())
	}
}

func (w *world) dump() string {
	var b strings.Builder
	for _, t := range w.tables {
		b.WriteString(t.name + ":\n")
		for _, r := range t.rows {
			b.WriteString("  " + cmp.Diff(worldRow{}, r) + "\n")
		}
	}
	return b.String()
}
