package planner

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the built-in planner's grammar reads in a question is told, also where it finds
// no answer: these questions hold a word that means nothing.
func TestModelHints(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"frobbed revenue per region last month",
			`{"metrics":["revenue"],"filters":[{"words":"last month","from":{"date":{"unit":"month","offset":-1}},"before":{"date":{"unit":"month"}}}],"group":[{"words":"per region","by":["public.accounts.region"]}]}`},
		{"top 3 customers by revenue, frobbed",
			`{"metrics":["revenue"],"entities":[{"entity":"account","table":"public.accounts"}],"order":[{"words":"top 3 customers by revenue","by":["metric revenue"],"desc":true}],"limit":3}`},
		{"frobbed orders with an amount over 500 by month",
			`{"filters":[{"words":"with an amount over 500","columns":["public.orders.amount"],"op":"\u003e","values":["500"]}],"group":[{"words":"by month","by":["month"]}]}`},
		{"frobbed customers with more than 5 orders sorted by name descending",
			`{"entities":[{"entity":"account","table":"public.accounts"}],"filters":[{"words":"with more than 5 orders","columns":["count of public.orders"],"op":"\u003e","values":["5"]}],"order":[{"words":"sorted by name descending","by":["public.accounts.name"],"desc":true}]}`},
		{"frobbed customers with risk score over 50 and credit note over 7",
			`{"entities":[{"entity":"account","table":"public.accounts"}],"filters":[{"words":"credit note over 7","columns":["public.accounts.credit_note"],"op":"\u003e","values":["7"]}]}`},
		{"the 5 frobbed customers per 7 orders", `{"entities":[{"entity":"account","table":"public.accounts"}]}`},
		{"the frobbed moon", ``},
	} {
		in := modelInput(t, c.question)
		_, user := unasked(t).Prompt(t.Context(), in)
		_, got, _ := strings.Cut(user, "[SEMANTIC_CONTEXT]\n")
		got, _, _ = strings.Cut(got, "\n")
		if diff := cmp.Diff(strings.ReplaceAll(c.want, `\u003e`, ">"), got); diff != "" {
			t.Errorf("%s: %s", c.question, diff)
		}
		if declined, ok := declines(t, in); !ok {
			t.Errorf("%s: the built-in planner answers it: %s", c.question, declined)
		}
	}
}

// Readings of a part that differ in their column are all told, by their names in order.
func TestModelHintsAreAmbiguous(t *testing.T) {
	in := modelInput(t, "frobbed rows by id")
	_, user := unasked(t).Prompt(t.Context(), in)
	if want := `"group":[{"words":"by id","by":["public.accounts.id","public.orders.id"]}]`; !strings.Contains(user, want) {
		t.Errorf("%s lacks %s", user, want)
	}
}

func declines(t *testing.T, in Input) (string, bool) {
	t.Helper()
	p, err := NewBuiltin().Plan(t.Context(), in)
	return p.Source, err != nil
}
