package answer

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCheck(t *testing.T) {
	regions := telling{name: "regions", rows: `{"count":3,"rows":[{"c1":"EMEA","c2":17832827.578},{"c1":"APAC","c2":12971640.801},{"c1":"AMER","c2":24958988.341}]}`,
		columns: []Column{region, revenue}, about: Told{Question: "revenue by region of the top 3 regions", Qualifiers: []string{"within what you may see: public.orders"}}}
	template := Narrate(regions.table(t), Told{})
	months := telling{name: "months", rows: `{"count":3,"rows":[{"c1":"2026-09-01","c2":100},{"c1":"2026-10-01","c2":150},{"c1":"2026-11-01","c2":300}]}`,
		columns: []Column{month, orders}, about: Told{Question: "orders by month"}}
	for _, c := range []struct {
		of       telling
		says     string
		replaced bool
	}{
		{regions, "AMER leads with 24,958,988.341 USD.", false},
		{regions, "AMER leads with 24958988 USD.", false},
		{regions, "AMER leads with about $25.0 million, ahead of EMEA (17.8M).", false},
		{regions, "AMER leads with 25 million.", false},
		{regions, "AMER leads with roughly 25,000,000 USD.", false},
		{regions, "AMER leads with 26 million.", true},
		{regions, "AMER leads with 20,000,000 USD.", true},
		{regions, "AMER leads with 24,958,989.", true},
		{regions, "All 3 regions together make 55,763,456.72 USD, 18,587,818.91 on average.", false},
		{regions, "AMER has 44.8 % of it, APAC 23 percent.", false},
		{regions, "AMER has 54.8 % of it.", true},
		{regions, "AMER is 7.1 million above EMEA, or 40.0% more.", false},
		{regions, "AMER made 1.92 times what APAC did.", false},
		{regions, "The two largest make 42.8 million, 76.7%.", false},
		{regions, "Three regions were looked at.", false},
		{regions, "Four regions were looked at.", true},
		{regions, "AMER has doubled.", true},
		{regions, "There is no number here.", false},
		{regions, "See https://evil.example/?q=AMER for more.", true},
		{regions, "See [this](x).", true},
		{months, "Orders tripled from September 2026 to November 2026.", false},
		{months, "Orders rose by 200 %, from 100 to 300.", false},
		{months, "Orders rose by 20 %.", true},
		{months, "In October 2026 there were 150, twice what there is in 2025.", true},
		{months, "On 2026-11-01 there were 300 of 550, 54.5 %.", false},
		{months, "Half of 300 came in October 2026: 150.", false},
	} {
		table := c.of.table(t)
		text, replaced := Check(context.Background(), []string{c.says}, table, c.of.about)
		if (replaced > 0) != c.replaced {
			t.Errorf("%q: %d replaced, %q", c.says, replaced, text)
		}
		if c.replaced && strings.Contains(text, c.says) || !c.replaced && !strings.HasPrefix(text, c.says) {
			t.Errorf("%q became %q", c.says, text)
		}
		if c.replaced && c.of.name == "regions" && !strings.HasPrefix(text, template) {
			t.Errorf("%q became %q, not the template's %q", c.says, text, template)
		}
		for _, q := range c.of.about.Qualifiers {
			if !strings.Contains(text, "\nNote: "+q) {
				t.Errorf("%q lost the qualifier: %q", c.says, text)
			}
		}
	}
}

// TestCheckWords: what promises more than a note allows goes, and stays where nothing
// limits it; a note that was said isn't said again.
func TestCheckWords(t *testing.T) {
	c := telling{rows: `{"count":1,"rows":[{"c1":40}]}`, columns: []Column{orders}}
	for _, test := range []struct {
		about      Told
		says, want string
	}{
		{Told{}, "There are exactly 40 orders.", "There are exactly 40 orders."},
		{Told{Qualifiers: []string{"counts are lower bounds"}}, "Exactly 40 orders, precisely 40.", "40 orders, 40.\nNote: counts are lower bounds"},
		{Told{Qualifiers: []string{"within what you may see: public.orders"}}, "There are exactly 40, within what you may see: public.orders.", "There are exactly 40, within what you may see: public.orders."},
	} {
		if got, _ := Check(context.Background(), []string{test.says}, c.table(t), test.about); got != test.want {
			t.Errorf("%q became %q, want %q", test.says, got, test.want)
		}
	}
	if got, _ := Check(context.Background(), []string{"40\nNote: none of this is limited \u202e."}, c.table(t), Told{}); strings.Contains(got, "\n") || strings.Contains(got, "\u202e") {
		t.Errorf("%q can be taken for our own notes", got)
	}
}

// TestCheckIsBounded: a sentence of very many numbers isn't looked at, true as they may be.
func TestCheckIsBounded(t *testing.T) {
	c := telling{rows: `{"count":1,"rows":[{"c1":40}]}`, columns: []Column{orders}, about: Told{Question: "q"}}
	for n, want := range map[int]int{maxNumbers: 0, maxNumbers + 1: 1} {
		if text, replaced := Check(context.Background(), []string{strings.Repeat("40 ", n)}, c.table(t), c.about); replaced != want {
			t.Errorf("%d numbers: %q", n, text)
		}
	}
}

// TestCheckStops: nothing is looked at for somebody who has left, and of any number of rows
// a bounded number is.
func TestCheckStops(t *testing.T) {
	c := telling{rows: `{"count":1,"rows":[{"c1":40}]}`, columns: []Column{orders}, about: Told{Question: "q"}}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if text, replaced := Check(gone, []string{"40 orders."}, c.table(t), c.about); replaced != 1 {
		t.Errorf("%q", text)
	}
	var rows []string
	for i := range 20 * maxFigured {
		rows = append(rows, fmt.Sprintf(`{"c1":"g%d","c2":%d}`, i, 7*i))
	}
	c = telling{rows: fmt.Sprintf(`{"count":%d,"rows":[%s]}`, len(rows), strings.Join(rows, ",")), columns: []Column{{Name: "g"}, orders}, about: Told{Question: "q"}}
	table := c.table(t)
	if n := newFigures(table, c.about); len(n.values)+len(n.parts) > 20*maxFigured {
		t.Errorf("%d numbers are compared with", len(n.values)+len(n.parts))
	}
	for said, replaced := range map[string]int{"The first is 7, and there are 20,000 rows.": 0, "The largest is 139,993.": 0, "All make 1,399,930,000.": 0, "One is 96,383.": 1} {
		if text, n := Check(t.Context(), []string{said}, table, c.about); n != replaced {
			t.Errorf("%q became %q", said, text)
		}
	}
}

// TestPromptWithholds: a model sees nothing of a withheld column.
func TestPromptWithholds(t *testing.T) {
	c := telling{rows: `{"count":70,"rows":[{"c1":"Fjord","c2":"secret@example","c3":5},{"c1":"Larch","c2":"hidden@example","c3":7}]}`,
		columns: []Column{{Name: "name"}, {Name: "email", Withheld: true}, orders}, about: Told{Question: "q", Qualifiers: []string{"a note"}}}
	columns, rows, limits, ok := Prompt(c.table(t), c.about)
	all := strings.Join(slices.Concat(columns, rows, limits), "\n")
	if !ok || strings.Contains(all, "example") || strings.Contains(all, "email") {
		t.Errorf("the prompt holds what is withheld: %q", all)
	}
	for _, part := range []string{`["Fjord",5]`, "(and 68 more rows, of 70)", "a note", "told from the first 2 of 70 rows"} {
		if !strings.Contains(all, part) {
			t.Errorf("%q lacks %q", all, part)
		}
	}
	c.columns[0].Withheld, c.columns[2].Withheld = true, true
	if _, _, _, ok := Prompt(c.table(t), c.about); ok {
		t.Error("there is a prompt of nothing")
	}
}

// TestCheckFindsOtherNumbers: a number that is far from all that can be computed is
// never let through, and each one of the rows is.
func TestCheckFindsOtherNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []string
		var values []int64
		for i := range rapid.IntRange(1, 8).Draw(t, "rows") {
			v := rapid.Int64Range(1000, 5000).Draw(t, "value")
			values = append(values, v)
			rows = append(rows, fmt.Sprintf(`{"c1":"g%c","c2":%d}`, 'a'+i, v))
		}
		c := telling{rows: fmt.Sprintf(`{"count":%d,"rows":[%s]}`, len(rows), strings.Join(rows, ",")), columns: []Column{{Name: "g"}, revenue}, about: Told{Question: "q"}}
		table, err := Read([]byte(c.rows), c.columns, 0)
		if err != nil {
			t.Fatal(err)
		}
		known := rapid.SampledFrom(values).Draw(t, "known")
		if _, replaced := Check(context.Background(), []string{fmt.Sprintf("It is %s.", grouped(big.NewRat(known, 1)))}, table, c.about); replaced != 0 {
			t.Fatalf("%d of %v was replaced", known, values)
		}
		foreign := rapid.Int64Range(100_001, 900_001).Draw(t, "foreign")*10 + 7 // above every sum, and no rounding
		if text, replaced := Check(context.Background(), []string{fmt.Sprintf("It is %d.", foreign)}, table, c.about); replaced != 1 {
			t.Fatalf("%d is no number of %v: %s", foreign, values, text)
		}
	})
}

// FuzzCheck: whatever is written, the qualifier is there, in a line of its own or in
// the text.
func FuzzCheck(f *testing.F) {
	c := tellings()[5]
	for _, s := range []string{"AMER 275", "46.6 %", "", "1,2,3,,4.", "999999999999999999999999999999 bn", "exactly\u202e 275", "a\nNote: b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, written string) {
		about := Told{Question: "q", Qualifiers: []string{"within what you may see"}}
		text, _ := Check(context.Background(), []string{written}, c.table(t), about)
		if !strings.Contains(text, "within what you may see") {
			t.Errorf("%q became %q", written, text)
		}
	})
}
