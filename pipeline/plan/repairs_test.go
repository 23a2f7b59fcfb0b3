package plan_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/plan"
)

// otherRejections are of texts that aren't plans, and others that have no table of their own.
func otherRejections() []string {
	return []string{`{"version":1,`, `{"version":1,"from":{"tabel":"a","table":"ports"},"select":[{"expr":{"column":"id"}}]}`,
		`{"version":1,"version":1,"from":{"table":"ports"},"select":[{"expr":{"column":"id"}}]}`, `{"version":"1","from":{"table":"ports"},"select":[{"expr":{"column":"id"}}]}`,
		`{"reasoning":"` + strings.Repeat("x", 300000) + `"}`,
		from + `"ports"},` + sel(`{"call":{"func":"LEN","args":[`+col("name")+`]}}`) + `}`,
		from + `"ports"},` + sel(agg("count_distinct", col("name"))) + `}`,
		from + `"orders"},"where":` + eq(col("status"), lit("5")) + `,` + sel(col("id")) + `}`,
		from + `"orders"},` + sel(agg("sum", agg("count", ""))) + `}`}
}

// rejectedCases are the rejected plans of all tables, with what they are judged against.
func rejectedCases(t *testing.T) (texts []string, contexts []plan.Context) {
	add := func(text string, c plan.Context) { texts, contexts = append(texts, text), append(contexts, c) }
	whole, some, searched := testContext(t), restricted(t), searchable(t)
	for _, r := range slices.Concat(rejections, nestedRejections()) {
		add(r.plan, whole)
	}
	for _, text := range otherRejections() {
		add(text, whole)
	}
	for _, r := range incompleteCases() {
		if strings.HasPrefix(r.want, "PA") {
			add(r.plan, searched)
		}
	}
	for _, kind := range []string{"anti", "left"} {
		add(from+`"public.accounts","as":"a"},"joins":[{"table":"orders","as":"o","kind":"`+kind+`"}],`+map[string]string{"left": `"where":` + op("is_null", col("o.id")) + `,`}[kind]+sel(col("a.name"))+`}`, some)
	}
	return texts, contexts
}

// remedies are how a rejection can end, in the order of the table's columns.
const (
	byItself = iota
	byPatch
	byModel
	byNobody
)

func remedy(t *testing.T, text string, c plan.Context) (plan.Code, int) {
	t.Helper()
	p, err := plan.Decode([]byte(text))
	if err == nil {
		_, err = plan.Validate(p, c)
	}
	var r *plan.Rejections
	if !errors.As(err, &r) {
		t.Fatalf("%v: %s", err, text)
	}
	first := r.All[0]
	switch {
	case first.Safe:
		return first.Code, byItself
	case first.Repair != nil:
		return first.Code, byPatch
	case r.SQLState() == "PA005" || r.SQLState() == "PA006":
		return first.Code, byModel
	}
	return first.Code, byNobody
}

// TestRepairsDocumented holds REPAIRS.md, which counts how the rejections of these tests can be mended.
func TestRepairsDocumented(t *testing.T) {
	counts, total := map[plan.Code]*[4]int{}, [4]int{}
	texts, contexts := rejectedCases(t)
	for i, text := range texts {
		code, n := remedy(t, text, contexts[i])
		if counts[code] == nil {
			counts[code] = &[4]int{}
		}
		counts[code][n]++
		total[n]++
	}
	row := func(name string, n [4]int) string {
		cells := make([]string, len(n))
		for i, x := range n {
			cells[i] = map[bool]string{true: fmt.Sprint(x)}[x > 0]
		}
		return fmt.Sprintf("| %s | %d | %s |\n", name, n[0]+n[1]+n[2]+n[3], strings.Join(cells, " | "))
	}
	var b strings.Builder
	kinds := [4]int{}
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		b.WriteString(row(string(code), *counts[code]))
		for i, n := range counts[code] {
			if n > 0 {
				kinds[i]++
				break
			}
		}
	}
	b.WriteString(row("cases", total))
	b.WriteString(row("kinds, by the best that some of their cases have", kinds))
	src, err := os.ReadFile("reject.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Code = "([A-Z_]+)"`).FindAllStringSubmatch(string(src), -1) {
		if counts[plan.Code(m[1])] == nil {
			t.Errorf("no case is rejected as %s", m[1])
		}
	}
	old, err := os.ReadFile("REPAIRS.md")
	if err != nil {
		t.Fatal(err)
	}
	const rule = "| --- | --- | --- | --- | --- | --- |\n"
	head, _, _ := strings.Cut(string(old), rule)
	got := head + rule + b.String()
	if *update {
		if err := os.WriteFile("REPAIRS.md", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(old), got); diff != "" {
		t.Errorf("REPAIRS.md (-want +got):\n%s", diff)
	}
}
