package integration

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// TestAbstains: an answer that is less than its role wants is refused, with the reasons
// and a question that can be typed; the annotations are in the receipt.
func TestAbstains(t *testing.T) {
	f := secondPolicy(t, func(text string) string {
		return strings.Replace(text, "  agent:\n", "  agent:\n    abstain: {confidence: 0.5, completeness: exact, guarantee: full}\n", 1)
	})
	ana, bot, finn := f.Connect(t, "ana"), f.Connect(t, "bot"), f.Connect(t, "finn")
	table(t, ana, "ASK 'orders by region'")
	table(t, finn, "ASK 'orders by region'")
	for conn, guarantee := range map[*pgx.Conn]string{ana: "scoped", finn: "full"} {
		var got struct {
			Completeness, Guarantee string
			Confidence              float64
		}
		text := receipt(t, conn)["annotations"]
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Completeness != "exact" || got.Guarantee != guarantee || got.Confidence < 0.5 || got.Confidence > 1 {
			t.Errorf("annotations %s, want a guarantee that is %s", text, guarantee)
		}
	}
	for _, c := range []struct {
		conn               *pgx.Conn
		ask, code, message string
	}{
		{ana, "how many accounts per email", "NO_GUARANTEE", "no answer: a mask decides what comes out, not what it hides (masked: public.accounts.email)"},
		{bot, "orders by region", "NO_GUARANTEE", "no answer: only some rows may be seen (within what you may see: public.accounts, public.orders)"},
	} {
		for _, form := range []string{"ASK ", "ASK SQL ", "ASK NARRATE ", "ASK CHART "} {
			e := failure(t, c.conn, form+"'"+c.ask+"'")
			var rejection struct{ Code, Path string }
			lines := strings.Split(e.Detail, "\n")
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &rejection); err != nil || rejection.Code != c.code {
				t.Errorf("%s%s: detail %q", form, c.ask, e.Detail)
			}
			if e.Code != "PA008" || e.Message != c.message || e.Hint != "ASK PLAN '"+c.ask+"'" {
				t.Errorf("%s%s: %s %q, hint %q", form, c.ask, e.Code, e.Message, e.Hint)
			}
		}
	}
	plan := ` USING PLAN '{"version":1,"from":{"table":"orders"},"select":[{"expr":{"metric":"orders"}}]}'`
	if e := failure(t, bot, "ASK 'x'"+plan); e.Code != "PA008" || e.Hint != "ASK PLAN 'x'"+plan {
		t.Errorf("a plan given: %s, hint %q", e.Code, e.Hint)
	} else if got := table(t, bot, e.Hint); !strings.Contains(got[0], `"guarantee":"scoped"`) {
		t.Errorf("%s: %s", e.Hint, got)
	}
	// How the question was read is told all the same.
	if got := table(t, bot, "ASK PLAN 'orders by region'"); !strings.Contains(got[0], `"guarantee":"scoped"`) {
		t.Errorf("ASK PLAN: %s", got)
	}
	// Its number is given to whoever sees everything that it is of.
	if got := table(t, bot, "ASK 'how many products'"); len(got) != 1 {
		t.Errorf("unscoped: %v", got)
	}
}

// TestReceiptReplays: the plan that a receipt names gives the same answer again, and
// is named the same.
func TestReceiptReplays(t *testing.T) {
	f := acme(t)
	ana := f.Connect(t, "ana")
	for _, question := range []string{"orders by region", "revenue per month this year", "top 3 products by revenue this year", "arr by segment"} {
		want := table(t, ana, "ASK '"+question+"'")
		hash := receipt(t, ana)["plan_hash"]
		if hash == "" { // a verified query's
			continue
		}
		plan := table(t, ana, "ASK PLAN '"+question+"'")[0]
		plan = plan[:strings.LastIndex(plan, " | ")]
		got := table(t, ana, "ASK '"+question+"' USING PLAN '"+strings.ReplaceAll(plan, "'", "''")+"'")
		if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
			t.Errorf("%s: %s", question, diff)
		}
		if last := receipt(t, ana); last["plan_hash"] != hash || last["source"] != "supplied" {
			t.Errorf("%s: plan %s by %s, want %s", question, last["plan_hash"], last["source"], hash)
		}
	}
}
