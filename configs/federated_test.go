package configs

import (
	"path/filepath"
	"strings"
	"testing"
)

const passthrough = "roles: {dba: {mode: passthrough}}"

// TestFederated reads the files of several teams as one.
func TestFederated(t *testing.T) {
	path := folder(t, map[string]string{
		"pgask.yaml":  "files: {semantic: 'meaning_*.yaml'}",
		"policy.yaml": passthrough,
		"meaning_a.yaml": "owner: finance\nfiscal_year_start: 4\nmetrics:\n- {name: m, table: a.b, expr: sum(x), additivity: {kind: additive}}\n" +
			"- {name: n, table: a.b, expr: sum(x), additivity: {kind: additive}, owner: sales}\ntables: [{table: a.b}]\nhierarchies: [{name: h, levels: [a.b.x, a.b.y]}]\n",
		"meaning_b.yaml": "fiscal_year_start: 7\nmetrics:\n- {name: o, table: a.b, expr: sum(x), additivity: {kind: additive}}\n- {name: m, table: a.c, expr: sum(x), additivity: {kind: additive}, owner: ops}\n" +
			"tables: [{table: a.b}, {table: a.c}]\nentities: [{name: e, table: a.c, key: [id]}]\nhierarchies: [{name: h, levels: [a.c.x, a.c.y]}, {name: g, levels: [a.c.y, a.c.z]}]\n",
	})
	all, faults := Load(path, nil)
	got := strings.ReplaceAll(lines(faults), filepath.Dir(path)+"/", "")
	const want = `meaning_b.yaml:5: tables.a.b: a second one of this name, first at meaning_a.yaml:6
meaning_b.yaml:3: metrics.o.owner: nobody owns it: where several files have metrics, each metric or its file says owner
meaning_b.yaml:4: metrics.m: a second one of this name, first at meaning_a.yaml:4
meaning_b.yaml:7: hierarchies.h: a second one of this name, first at meaning_a.yaml:7
meaning_b.yaml:1: fiscal_year_start: a second one of this name, first at meaning_a.yaml:2
`
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	s := all.Semantic
	if len(s.Metrics) != 3 || len(s.Tables) != 2 || len(s.Hierarchies) != 2 || len(s.Entities) != 1 || s.FiscalYearStart != 4 || s.Metrics[0].Owner != "finance" || s.Metrics[1].Owner != "sales" {
		t.Errorf("%+v", s)
	}
	path = folder(t, map[string]string{"pgask.yaml": "\nfiles: {semantic: 'none/*.yaml'}", "policy.yaml": passthrough})
	if _, faults = Load(path, nil); len(faults) != 1 || faults[0].Pos.Line != 2 || !strings.Contains(faults[0].Msg, "no file is named like") {
		t.Error(lines(faults))
	}
}

// TestFederatedDimensions: no two files call something by one name, a metric and a dimension neither.
func TestFederatedDimensions(t *testing.T) {
	path := folder(t, map[string]string{
		"pgask.yaml":  "files: {semantic: 'meaning_*.yaml'}",
		"policy.yaml": passthrough,
		"meaning_a.yaml": "owner: finance\ndimensions:\n- {name: order size, table: a.b, expr: x > 1}\n- {name: age, table: a.b, expr: x}\n" +
			"metrics:\n- {name: net_value, table: a.b, expr: sum(x), additivity: {kind: additive}}\n",
		"meaning_b.yaml": "dimensions:\n- {name: Order Size, table: a.c, expr: x}\n- {name: net value, table: a.b, expr: x}\n- {name: other, table: a.b, expr: x, owner: sales}\n" +
			"metrics:\n- {name: Age, table: a.c, expr: sum(x), additivity: {kind: additive}, owner: ops}\n",
	})
	all, faults := Load(path, nil)
	got := strings.ReplaceAll(lines(faults), filepath.Dir(path)+"/", "")
	const want = `meaning_b.yaml:6: metrics.Age: a dimension is called so too, first at meaning_a.yaml:4
meaning_b.yaml:2: dimensions.Order Size: a second one of this name, first at meaning_a.yaml:3
meaning_b.yaml:3: dimensions.net value: a metric is called so too, first at meaning_a.yaml:6
`
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if d := all.Semantic.Dimensions; len(d) != 4 || d[0].Owner != "finance" || d[0].LLM != "full" || d[3].Owner != "sales" {
		t.Errorf("%+v", d)
	}
}

// TestReviews: a definition that wasn't seen is a fault, once there is a file that says
// what was; words may change unseen.
func TestReviews(t *testing.T) {
	metric := func(expr, synonyms string) string {
		return "metrics:\n- {name: m, table: a.b, expr: " + expr + ", additivity: {kind: additive}, synonyms: [" + synonyms + "], review_required_by: data}\n"
	}
	load := func(semantic, reviews string) []Fault {
		files := map[string]string{"pgask.yaml": "{}", "policy.yaml": passthrough, "semantic.yaml": semantic}
		if reviews != "" {
			files["reviews.yaml"] = reviews
		}
		_, faults := Load(folder(t, files), nil)
		return faults
	}
	faults := load(metric("sum(x)", ""), "")
	if len(faults) != 1 || !faults[0].Warning || faults[0].Pos.Line != 2 || len(faults[0].Fix) != 1 {
		t.Fatalf("without a file of reviews: %+v", faults)
	}
	entry := "reviews:\n" + faults[0].Fix[0] + "\n"
	for _, test := range []struct {
		name, semantic, reviews, want string
	}{
		{"seen", metric("sum(x)", ""), entry, ""},
		{"other words", metric("sum(x)", "total"), entry, ""},
		{"another definition", metric("sum(y)", ""), entry, "metrics.m.review_required_by: definition"},
		{"seen by others", metric("sum(x)", ""), strings.Replace(entry, "data", "ops", 1), "wasn't reviewed by data"},
		{"nothing seen", metric("sum(x)", ""), "reviews: []", "wasn't reviewed by data"},
		{"nobody to see it", strings.Replace(metric("sum(y)", ""), ", review_required_by: data", "", 1), entry, "reviews.m: the metric doesn't say review_required_by"},
		{"a metric that is gone", "{}", entry, "warning: reviews.yaml:2: reviews.m: there is no such metric"},
	} {
		faults := load(test.semantic, test.reviews)
		if (len(faults) == 0) != (test.want == "") || !strings.Contains(lines(faults), strings.TrimPrefix(test.want, "warning: reviews.yaml:2: ")) {
			t.Errorf("%s: %s", test.name, lines(faults))
		}
		if Faulty(faults) != (test.want != "" && !strings.HasPrefix(test.want, "warning")) {
			t.Errorf("%s: faulty %v", test.name, Faulty(faults))
		}
	}
}

// TestReviewsOfDerived: a derived metric is another when one that it is made of is.
func TestReviewsOfDerived(t *testing.T) {
	load := func(cost, reviews string) []Fault {
		_, faults := Load(folder(t, map[string]string{"pgask.yaml": "{}", "policy.yaml": passthrough, "reviews.yaml": reviews,
			"semantic.yaml": "metrics:\n- {name: profit, derived: revenue - \"the cost\", review_required_by: data}\n- {name: revenue, table: a.b, expr: sum(x), additivity: {kind: additive}}\n" +
				"- {name: the cost, table: a.b, expr: " + cost + ", additivity: {kind: additive}}\n"}), nil)
		return faults
	}
	faults := load("sum(y)", "{}")
	if len(faults) != 1 || len(faults[0].Fix) != 1 {
		t.Fatalf("not seen: %s", lines(faults))
	}
	entry := "reviews:\n" + faults[0].Fix[0] + "\n"
	if faults := load("sum(y)", entry); len(faults) != 0 {
		t.Errorf("seen: %s", lines(faults))
	}
	if faults := load("sum(z)", entry); !Faulty(faults) {
		t.Error("made of something else, it counts as seen")
	}
}
