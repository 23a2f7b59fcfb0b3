package integration

import (
	"os/exec"
	"strings"
	"testing"
)

// toldQuestions are the sample company's own.
var toldQuestions = []string{
	"how many completed orders per region last month", "top 5 products by revenue this year", "average order value by segment", "revenue per month this year",
	"how many orders", "arr by month", "orders by region and status", "orders per quarter by region", "revenue this year", "orders and revenue by region",
}

// checkTold asks, in the psql that line starts, for the sample company's questions in
// words and as charts, and wants what testdata/told.golden has.
func checkTold(t *testing.T, line string) {
	t.Helper()
	var said strings.Builder
	for _, question := range toldQuestions {
		for _, form := range []string{"ASK NARRATE '" + question + "'", "ASK CHART '" + question + "' WITH (format = text)"} {
			out, err := exec.Command("/bin/sh", "-c", line+` -X -A -t -c "$0"`, form).Output()
			if err != nil {
				t.Errorf("%s: %v", form, err)
			}
			said.WriteString("== " + form + "\n" + string(out) + "\n")
		}
	}
	compareGolden(t, "testdata/told.golden", said.String())
}
