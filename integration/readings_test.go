package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestReadings chooses each reading that a PA003 lists.
func TestReadings(t *testing.T) {
	f := acme(t)
	ana, direct := f.Connect(t, "ana"), f.Direct(t)
	const question = "how many support conversations last month"
	e := failure(t, ana, "ASK '"+question+"'")
	if e.Code != "PA003" {
		t.Fatalf("%s %s", e.Code, e.Message)
	}
	hints := strings.Split(e.Hint, "\n")
	for n, column := range []string{"closed_at", "opened_at"} {
		ask := fmt.Sprintf("ASK '%s' READING %d", question, n+1)
		if hints[n] != ask || !strings.Contains(strings.Split(e.Detail, "\n")[n], column) {
			t.Errorf("reading %d: detail %q, hint %q", n+1, e.Detail, e.Hint)
		}
		got := table(t, ana, ask)
		want := table(t, direct, fmt.Sprintf(`select count(*) from support_conversations where tenant_id = 1
			and %[1]s >= date_trunc('month', now()) - interval '1 month' and %[1]s < date_trunc('month', now())`, column))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", ask, got, want)
		}
		if last := table(t, ana, "SHOW pgask.last")[0]; !strings.Contains(last, " | chosen | ") {
			t.Errorf("receipt %s", last)
		}
	}
	if e := failure(t, ana, "ASK '"+question+"' READING 3"); e.Code != "PA003" || !strings.Contains(e.Message, "has 2 readings") || e.Detail == "" {
		t.Errorf("a third reading: %s %s, %s", e.Code, e.Message, e.Detail)
	}
	if e := failure(t, ana, "ASK 'orders by status' READING 2"); e.Code != "PA002" || !strings.Contains(e.Message, "only one") || e.Hint != "ASK 'orders by status'" {
		t.Errorf("a second reading of what has one: %s %s", e.Code, e.Message)
	}
	if got := table(t, ana, "ASK SQL '"+question+"' READING 2"); !strings.Contains(got[0], "opened_at") {
		t.Errorf("SQL of a reading: %v", got)
	}
	if got, want := table(t, ana, "ASK 'orders by status' READING 1"), table(t, ana, "ASK 'orders by status'"); !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("the only reading: %v", got)
	}
}

// TestOffersInForm: what a refusal offers is in the form in which was asked, with its
// options, and works when it is pasted.
func TestOffersInForm(t *testing.T) {
	const question = "how many support conversations last month"
	for asked, want := range map[string]string{
		"ASK '¿'":                              "ASK '¿' READING 1",
		"ASK SQL '¿'":                          "ASK SQL '¿' READING 1",
		"ASK PLAN '¿'":                         "ASK PLAN '¿' READING 1",
		"ASK NARRATE '¿'":                      "ASK NARRATE '¿' READING 1",
		"ASK CHART '¿'":                        "ASK CHART '¿' READING 1",
		"ASK APPROVE '¿'":                      "ASK APPROVE '¿' READING 1",
		"ASK CHART '¿' WITH (format = 'text')": "ASK CHART '¿' READING 1 WITH (format = text)",
		"ASK NARRATE '¿' WITH (columns = 'support_conversations bigint')": "ASK NARRATE '¿' READING 1 WITH (columns = 'support_conversations bigint')",
		"ASK NARRATE 'accounts of regoin EMEA'":                           "ASK NARRATE 'accounts of region EMEA'",
		"PREPARE \"a b\" AS ASK CHART '¿'":                                "PREPARE \"a b\" AS ASK CHART '¿' READING 1",
		"/* ask: ¿ */ SELECT 1":                                           "SELECT * FROM ask('¿', reading => 1)",
		"SELECT count(*) FROM ask('¿') a":                                 "SELECT * FROM ask('¿', reading => 1)",
	} {
		finn := acme(t).Connect(t, "finn")
		asked, want = strings.ReplaceAll(asked, "¿", question), strings.ReplaceAll(want, "¿", question)
		e := failure(t, finn, asked)
		offers := strings.Split(e.Hint, "\n")
		if offers[0] != want {
			t.Errorf("%s: %s %s, hint %q, want %q", asked, e.Code, e.Message, e.Hint, want)
			continue
		}
		for _, offer := range offers {
			table(t, finn, "DEALLOCATE ALL")
			table(t, finn, offer)
			if strings.HasPrefix(offer, "ASK APPROVE") {
				table(t, finn, "ASK REVOKE '"+question+"'")
			}
		}
	}
}
