package plan_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/plan"
	"pgregory.net/rapid"
)

// Every random plan with metrics that are derived from several tables gives what comes of
// measuring each part by itself, over the rows of its own table, and calculating then; what is refused
// names the metric.
func TestDrillsAtTheirGrain(t *testing.T) {
	conn, _ := database(t)
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := randomWorld(t)
		w.load(t, conn)
		for range *measuredPlans / 2 {
			a := w.drill(t)
			checked, err := plan.Validate(a.plan(), w.c)
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
			for _, f := range r.All {
				if !slices.ContainsFunc(a.shown, func(d *worldDerived) bool {
					return slices.ContainsFunc(d.bases(), func(m *configs.Metric) bool { return strings.Contains(f.Message, m.Name) })
				}) || f.Repair != nil {
					t.Fatalf("%s %q %v", f.Code, f.Message, f.Repair)
				}
			}
		}
	})
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted < refused || refused == 0 {
		t.Error("the random plans show nothing")
	}
}

// worldDerived is a metric that is arithmetic over two others: a over b, less b, or a's
// share in both. Either may be derived itself.
type worldDerived struct {
	name, form string
	a, b       *worldDerived
	base       *configs.Metric // in the place of all that
}

func (d *worldDerived) config() configs.Metric {
	text := strings.NewReplacer("a", `"`+d.a.called()+`"`, "b", `"`+d.b.called()+`"`).Replace(d.form)
	return configs.Metric{Name: d.name, Derived: text}
}

func (d *worldDerived) called() string {
	if d.base != nil {
		return d.base.Name
	}
	return d.name
}

func (d *worldDerived) bases() []*configs.Metric {
	if d.base != nil {
		return []*configs.Metric{d.base}
	}
	return append(d.a.bases(), d.b.bases()...)
}

// value is what comes of the parts of a group; nil for null.
func (d *worldDerived) value(of func(*configs.Metric) string) *float64 {
	if d.base != nil {
		v := of(d.base)
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return &f
		}
		if d.base.Additivity.Kind == "additive" || strings.HasSuffix(d.base.Name, " days") {
			return new(float64)
		}
		return nil
	}
	a, b := d.a.value(of), d.b.value(of)
	if a == nil || b == nil {
		return nil
	}
	out := *a - *b
	switch d.form {
	case "a / b":
		if *b == 0 {
			return nil
		}
		out = *a / *b
	case "100 * a / (a + b)":
		if *a+*b == 0 {
			return nil
		}
		out = 100 * *a / (*a + *b)
	}
	return &out
}

// derive registers derived metrics of random parts, before those that they are made of.
func (w *world) derive(t *rapid.T) {
	pick := func(label string) *worldDerived {
		n := rapid.IntRange(0, len(w.metrics)+len(w.derived)-1).Draw(t, label)
		if n < len(w.metrics) {
			return &worldDerived{base: &w.metrics[n]}
		}
		return w.derived[n-len(w.metrics)]
	}
	for i := range 4 {
		form := rapid.SampledFrom([]string{"a / b", "a - b", "100 * a / (a + b)"}).Draw(t, "form")
		w.derived = append(w.derived, &worldDerived{name: fmt.Sprintf("derived %d", i), form: form, a: pick("a"), b: pick("b")})
	}
}

// drillAsk is an ask whose measures are derived metrics, by the month of each one's
// own date too.
type drillAsk struct {
	ask
	shown   []*worldDerived
	byMonth bool
}

// drill draws one, mostly over a table that the metrics have in common.
func (w *world) drill(t *rapid.T) *drillAsk {
	a := &drillAsk{byMonth: rapid.IntRange(0, 2).Draw(t, "by month") == 0}
	for range rapid.IntRange(1, 2).Draw(t, "shown") {
		d := rapid.SampledFrom(w.derived).Draw(t, "metric")
		if tables := d.tables(w); !slices.Contains(a.shown, d) && (a.byMonth || len(tables) > 1 || len(a.shown) > 0) {
			a.shown = append(a.shown, d)
		}
	}
	if len(a.shown) == 0 || !a.byMonth && !slices.ContainsFunc(a.shown, func(d *worldDerived) bool { return len(d.tables(w)) > 1 }) {
		a.shown, a.byMonth = w.derived[:1], true
	}
	var roots []*worldTable
	for _, x := range w.tables {
		if !slices.ContainsFunc(a.facts(w), func(f *worldTable) bool { return f != x && w.shortest(f, x) == nil }) {
			roots = append(roots, x)
		}
	}
	if len(roots) == 0 || rapid.IntRange(0, 9).Draw(t, "anywhere") == 0 {
		roots = w.tables
	}
	a.root = rapid.SampledFrom(roots).Draw(t, "root")
	for range rapid.IntRange(0, 2).Draw(t, "joins") {
		ways := a.ways(w)
		if len(ways) == 0 {
			break
		}
		j := rapid.SampledFrom(ways).Draw(t, "join")
		j.kind = rapid.SampledFrom([]string{"inner", "left"}).Draw(t, "kind")
		if !j.up {
			j.kind = "semi"
		}
		a.joins = append(a.joins, j)
	}
	if rapid.IntRange(0, 2).Draw(t, "where") == 0 {
		a.where = append(a.where, w.cond(t, rapid.SampledFrom(a.tables()).Draw(t, "of")))
	}
	for range rapid.IntRange(0, 2).Draw(t, "groups") {
		g := askGroup{table: rapid.SampledFrom(a.tables()).Draw(t, "by")}
		g.column = rapid.SampledFrom(map[bool][]string{true: {"day", "id"}, false: {"kind", "size"}}[g.table.fact]).Draw(t, "column")
		if !slices.Contains(a.groups, g) {
			a.groups = append(a.groups, g)
		}
	}
	return a
}

// facts are the tables that are measured.
func (a *drillAsk) facts(w *world) (out []*worldTable) {
	for _, d := range a.shown {
		out = append(out, d.tables(w)...)
	}
	return out
}

func (d *worldDerived) tables(w *world) (out []*worldTable) {
	for _, m := range d.bases() {
		if t := w.table(m.Table.Table); !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// shortest is the one shortest way up from a table to another; nil where there isn't one.
func (w *world) shortest(from, to *worldTable) []askJoin {
	var level, found [][]askJoin
	level = [][]askJoin{nil}
	for len(found) == 0 && len(level) > 0 && len(level[0]) < 4 {
		var next [][]askJoin
		for _, path := range level {
			at := from
			if len(path) > 0 {
				at = path[len(path)-1].to
			}
			for _, ref := range at.refs {
				longer := append(slices.Clone(path), askJoin{from: at, to: ref.to, ref: ref, up: true, kind: "inner"})
				if ref.to == to {
					found = append(found, longer)
				}
				next = append(next, longer)
			}
		}
		level = next
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func (a *drillAsk) plan() *plan.Plan {
	p := a.ask.plan()
	if a.byMonth {
		p.Select = append(p.Select, plan.Item{As: "month", Expr: plan.Expr{Call: &plan.Call{Func: "date_trunc", Unit: "month", Args: []plan.Expr{{Column: "metric_time"}}}}})
	}
	for _, d := range a.shown {
		p.Select = append(p.Select, plan.Item{Expr: plan.Expr{Metric: d.name}})
	}
	return p
}

// part is what one metric is by itself, by the groups.
func (a *drillAsk) part(w *world, m *configs.Metric) map[string]string {
	fact := w.table(m.Table.Table)
	one := a.ask
	one.measures = []askMeasure{{metric: m, table: fact}}
	switch {
	case fact == a.root:
	case len(a.joins)+len(a.where)+len(a.groups) == 0:
		one.root = fact
	default:
		one.root, one.joins = fact, append(w.shortest(fact, a.root), a.joins...)
	}
	if a.byMonth {
		one.groups = append(slices.Clone(a.groups), askGroup{table: fact, column: "day", month: true})
	}
	return one.every(w)
}

// answer puts the parts together.
func (a *drillAsk) answer(w *world) map[string]string {
	parts := map[*configs.Metric]map[string]string{}
	keys := map[string]bool{}
	for _, d := range a.shown {
		for _, m := range d.bases() {
			parts[m] = a.part(w, m)
			for k := range parts[m] {
				keys[k] = true
			}
		}
	}
	out := map[string]string{}
	for k := range keys {
		var values []string
		for _, d := range a.shown {
			v := d.value(func(m *configs.Metric) string { return parts[m][k] })
			if v == nil {
				values = append(values, "∅")
				continue
			}
			values = append(values, places(*v))
		}
		out[k] = strings.Join(values, "|")
	}
	return measuredOnly(out)
}

// places is a number as this test compares it.
func places(f float64) string { return trimZeros(fmt.Sprintf("%.4f", f+0)) }

// measuredOnly leaves out groups without anything measured.
func measuredOnly(rows map[string]string) map[string]string {
	for k, v := range rows {
		if strings.Trim(v, "∅0|-.") == "" {
			delete(rows, k)
		}
	}
	return rows
}

func (a *drillAsk) compare(t *rapid.T, w *world, conn *pgx.Conn, checked *plan.Checked) {
	sql := checkPrints(t, checked)
	rows, err := query(conn, sql)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	groups := len(a.groups)
	if a.byMonth {
		groups++
	}
	got := map[string]string{}
	for _, row := range rows[1:] {
		var values []string
		for _, v := range row[groups:] {
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				v = places(f)
			}
			values = append(values, v)
		}
		got[strings.Join(row[:groups], "|")] = strings.Join(values, "|")
	}
	if diff := cmp.Diff(a.answer(w), measuredOnly(got)); diff != "" {
		t.Fatalf("(-by hand +by SQL)\n%s%s\n%v\n%s", diff, sql, a.shown, w.dump())
	}
}
