package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/plan"
	"pgregory.net/rapid"
)

// On any day, a period over the fixed date is the one over CURRENT_DATE, and its
// days are those that it says.
func TestPeriodsOnAnyDay(t *testing.T) {
	conn, c := database(t)
	rapid.Check(t, func(t *rapid.T) {
		today := time.Date(2024, 1, rapid.IntRange(1, 1200).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		p := &plan.Period{Column: "created_at", Unit: rapid.SampledFrom([]string{"year", "quarter", "month", "week", "day"}).Draw(t, "unit"),
			Last: rapid.IntRange(0, 4).Draw(t, "last"), Back: rapid.IntRange(0, 14).Draw(t, "back")}
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 1:
			p.Complete = true
		case 2:
			p.ToDate = true
		}
		p.Fiscal = (p.Unit == "year" || p.Unit == "quarter") && rapid.Bool().Draw(t, "fiscal")
		fixed, symbolic := c, c
		fixed.Today, symbolic.Today = today.Format(time.DateOnly), ""
		semantics := *c.Semantic
		semantics.FiscalYearStart = rapid.IntRange(1, 12).Draw(t, "start")
		fixed.Semantic, symbolic.Semantic = &semantics, &semantics
		ofFixed := ends(t, p, fixed)
		ofSymbol := strings.ReplaceAll(strings.ReplaceAll(ends(t, p, symbolic), "CURRENT_DATE", "'"+fixed.Today+"'::date"), "current_date", "'"+fixed.Today+"'::date")
		a, err := query(conn, ofFixed)
		if err != nil {
			t.Fatalf("%v\n%s", err, ofFixed)
		}
		b, err := query(conn, ofSymbol)
		if err != nil {
			t.Fatalf("%v\n%s", err, ofSymbol)
		}
		if diff := cmp.Diff(a[1:], b[1:]); diff != "" {
			t.Fatalf("%s\n%s\n%s", ofFixed, ofSymbol, diff)
		}
		if days := a[1]; days[0] > days[1] || days[1] > today.AddDate(1, 0, 1).Format(time.DateOnly) {
			t.Fatalf("from %s to %s on %s", days[0], days[1], fixed.Today)
		}
	})
}

// ends is SQL for the first day of a period and the first one behind it.
func ends(t fatal, p *plan.Period, c plan.Context) string {
	t.Helper()
	checked, err := plan.Validate(&plan.Plan{Version: 1, From: plan.Source{Table: "public.accounts", As: "a"},
		Where: &plan.Expr{Period: p}, Select: []plan.Item{{Expr: plan.Expr{Column: "id"}}}}, c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	sql := checkPrints(t, checked)
	_, where, _ := strings.Cut(sql, " WHERE ")
	from, to, ok := strings.Cut(where, " AND ")
	from, okFrom := strings.CutPrefix(from, "a.created_at >= ")
	to, okTo := strings.CutPrefix(to, "a.created_at < ")
	if !ok || !okFrom || !okTo {
		t.Fatalf("%s", sql)
	}
	return "SELECT " + from + ", " + to
}

func TestPeriodRejections(t *testing.T) {
	c := testContext(t)
	none := c
	semantics := *c.Semantic
	semantics.FiscalYearStart = 0
	none.Semantic = &semantics
	in := func(rest string) string {
		return from + `"public.accounts","as":"a"},"where":{"period":{` + rest + `}},` + sel(col("id")) + `}`
	}
	at := "/where/period"
	tests := []rejection{
		{"a unit", in(`"column":"created_at","unit":"decade"`), "PA005", []string{"INVALID_CHOICE " + at + "/unit"}, false, ""},
		{"the future", in(`"column":"created_at","unit":"month","back":-1`), "PA005", []string{"WRONG_SHAPE " + at}, false, ""},
		{"too far", in(`"column":"created_at","unit":"year","last":5000`), "PA005", []string{"WRONG_SHAPE " + at}, false, ""},
		{"both ends", in(`"column":"created_at","unit":"year","complete":true,"to_date":true`), "PA005", []string{"NOT_ONE_OF " + at}, false, ""},
		{"a fiscal month", in(`"column":"created_at","unit":"month","fiscal":true`), "PA005", []string{"UNSUPPORTED " + at + "/fiscal"}, true, ""},
		{"a number", in(`"column":"id","unit":"month"`), "PA005", []string{"TYPE_MISMATCH " + at + "/column"}, false, ""},
		{"no column", in(`"column":"created","unit":"month"`), "PA005", []string{"COLUMN_NOT_FOUND " + at + "/column"}, true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { checkRejection(t, test, c) })
	}
	fiscal := rejection{"no fiscal year", in(`"column":"created_at","unit":"year","fiscal":true`), "PA005", []string{"UNSUPPORTED " + at + "/fiscal"}, false, ""}
	t.Run(fiscal.name, func(t *testing.T) { checkRejection(t, fiscal, none) })
}
