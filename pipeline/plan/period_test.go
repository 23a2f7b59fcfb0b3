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

// On any day, the latest period is the one asked for, unless that begins behind the
// last date: then it is as long and ends with the unit that holds that.
func TestLatestPeriodsOnAnyDay(t *testing.T) {
	conn, c := database(t)
	last := time.Date(2025, 2, 4, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		today := time.Date(2024, 1, rapid.IntRange(1, 1200).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		p := &plan.Period{Column: "created_at", Unit: rapid.SampledFrom([]string{"year", "quarter", "month", "week", "day"}).Draw(t, "unit"),
			Last: rapid.IntRange(1, 4).Draw(t, "last"), Complete: rapid.Bool().Draw(t, "complete"), Latest: true}
		if rapid.Bool().Draw(t, "fixed") {
			c.Today = today.Format(time.DateOnly)
		} else {
			c.Today = ""
		}
		at, ended := today, 0
		if p.Complete {
			ended = -1
		}
		if (plan.Date{Unit: p.Unit, Offset: ended - p.Last + 1}).On(today).After(last) {
			at, ended = last, 0
		}
		want := []string{plan.Date{Unit: p.Unit, Offset: ended - p.Last + 1}.On(at).Format(time.DateOnly), plan.Date{Unit: p.Unit, Offset: ended + 1}.On(at).Format(time.DateOnly)}
		sql := strings.ReplaceAll(strings.ReplaceAll(ends(t, p, c), "CURRENT_DATE", "'"+today.Format(time.DateOnly)+"'::date"), "current_date", "'"+today.Format(time.DateOnly)+"'::date")
		got, err := query(conn, sql)
		if err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
		if diff := cmp.Diff(want, got[1]); diff != "" {
			t.Fatalf("on %s: %s\n%s", today.Format(time.DateOnly), sql, diff)
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
		{"the latest one back", in(`"column":"created_at","unit":"month","latest":true,"back":1`), "PA005", []string{"NOT_ONE_OF " + at}, false, ""},
		{"the latest of a text", in(`"column":"name","unit":"month","latest":true`), "PA005", []string{"TYPE_MISMATCH " + at + "/column"}, false, ""},
		{"two latest ones", from + `"public.accounts","as":"a"},"where":{"op":{"op":"or","args":[{"period":{"column":"created_at","unit":"month","latest":true}},{"period":{"column":"a.created_at","unit":"month","latest":true,"complete":true}}]}},` + sel(col("id")) + `}`,
			"PA005", []string{"UNSUPPORTED /where/op/args/1/period/latest"}, false, ""},
		{"the latest of a block", `{"version":1,"from":{"plan":{"from":{"table":"public.accounts","as":"a"},"select":[{"expr":{"column":"created_at"}}]},"as":"b"},"where":{"period":{"column":"b.created_at","unit":"month","latest":true}},` + sel(col("created_at")) + `}`,
			"PA005", []string{"UNSUPPORTED " + at + "/latest"}, false, "put the period into the block that reads the table"},
		{"no column", in(`"column":"created","unit":"month"`), "PA005", []string{"COLUMN_NOT_FOUND " + at + "/column"}, true, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { checkRejection(t, test, c) })
	}
	fiscal := rejection{"no fiscal year", in(`"column":"created_at","unit":"year","fiscal":true`), "PA005", []string{"UNSUPPORTED " + at + "/fiscal"}, false, ""}
	t.Run(fiscal.name, func(t *testing.T) { checkRejection(t, fiscal, none) })
}
