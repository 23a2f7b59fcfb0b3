package answer

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// telling is an answer as Postgres gathers it, and what is known of it.
type telling struct {
	name, rows string
	columns    []Column
	about      Told
	limit      int64
}

var (
	revenue = Column{Name: "revenue", Unit: "USD", Measure: true, Additive: true}
	orders  = Column{Name: "orders", Unit: "orders", Measure: true, Additive: true}
	rate    = Column{Name: "conversion_rate", Measure: true}
	region  = Column{Name: "region"}
	month   = Column{Name: "month", Period: "month"}
)

func tellings() []telling {
	var many, days []string
	for i := range 40 {
		many = append(many, fmt.Sprintf(`{"c1":"product %02d","c2":%d}`, i, i*i))
		days = append(days, fmt.Sprintf(`{"c1":"%s","c2":%d}`, time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC).Format("2006-01-02"), (i*37)%50-10))
	}
	array := func(rows []string) string {
		return fmt.Sprintf(`{"count":%d,"rows":[%s]}`, len(rows), strings.Join(rows, ","))
	}
	var crowd, lines []string
	for i := range 200 {
		crowd = append(crowd, fmt.Sprintf(`{"c1":"account %03d","c2":%d,"c3":%d.5}`, i, i%70, i*(200-i)))
		lines = append(lines, fmt.Sprintf(`{"c1":"2026-%02d-01","c2":"account %02d","c3":%d}`, 1+i%8, i/8, i*i%97))
	}
	return []telling{
		{"one number", `{"count":1,"rows":[{"c1":4099701.9350}]}`, []Column{revenue}, Told{Question: "revenue this year"}, 0},
		{"one count", `{"count":1,"rows":[{"c1":12270}]}`, []Column{orders}, Told{Question: "how many orders", Qualifiers: []string{"within what you may see: public.orders"}}, 0},
		{"no number", `{"count":1,"rows":[{"c1":null}]}`, []Column{revenue}, Told{Question: "revenue in 1999"}, 0},
		{"no rows", `{"count":0,"rows":[]}`, []Column{region, orders}, Told{Question: "orders by region in 1999"}, 0},
		{"one row", `{"count":1,"rows":[{"c1":"Fjord Ltd","c2":"EMEA","c3":12.5}]}`, []Column{{Name: "name"}, region, revenue}, Told{Question: "the largest account"}, 0},
		{"groups with shares", `{"count":3,"rows":[{"c1":"EMEA","c2":187},{"c1":"APAC","c2":128},{"c1":"AMER","c2":275}]}`, []Column{region, orders},
			Told{Question: "orders by region"}, 0},
		{"the first three", `{"count":3,"rows":[{"c1":"Installation Day","c2":4099701.9350},{"c1":"Operator Training","c2":3795901.4900},{"c1":"Signal API","c2":2071598.1650}]}`,
			[]Column{{Name: "name", Title: "product name"}, revenue}, Told{Question: "top 3 products by revenue", Limited: true}, 0},
		{"a cut ranking", array(many), []Column{{Name: "name", Title: "product name"}, revenue}, Told{Question: "revenue by product"}, 35},
		{"months", `{"count":4,"rows":[{"c1":"2026-08-01T00:00:00+02:00","c2":100},{"c1":"2026-09-01T00:00:00+02:00","c2":250.5},{"c1":"2026-10-01T00:00:00+02:00","c2":80},{"c1":"2026-11-01T00:00:00+01:00","c2":120}]}`,
			[]Column{month, revenue}, Told{Question: "revenue by month", Today: time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)}, 0},
		{"many days, some below zero", array(days), []Column{{Name: "day"}, {Name: "balance", Unit: "USD", Measure: true}}, Told{Question: "balance by day"}, 0},
		{"months by region", `{"count":4,"rows":[{"c1":"2026-09-01","c2":"EMEA","c3":1},{"c1":"2026-10-01","c2":"EMEA","c3":2},{"c1":"2026-09-01","c2":"AMER","c3":4},{"c1":"2026-10-01","c2":"AMER","c3":3}]}`,
			[]Column{month, region, orders}, Told{Question: "orders by month and region"}, 0},
		{"two categories of an average", `{"count":4,"rows":[{"c1":"EMEA","c2":"open","c3":1.5},{"c1":"EMEA","c2":"closed","c3":7},{"c1":"AMER","c2":"closed","c3":9},{"c1":"AMER","c2":"open","c3":3}]}`,
			[]Column{region, {Name: "status"}, {Name: "days", Measure: true}}, Told{Question: "average days by region and status"}, 0},
		{"a level and the one above", `{"count":3,"rows":[{"c1":"EMEA","c2":"Spain","c3":1},{"c1":"EMEA","c2":"France","c3":7},{"c1":"AMER","c2":"Peru","c3":9}]}`,
			[]Column{region, {Name: "country"}, orders}, Told{Question: "orders by geography down to country"}, 0},
		{"two categories", `{"count":4,"rows":[{"c1":"EMEA","c2":"open","c3":1},{"c1":"EMEA","c2":"closed","c3":7},{"c1":"AMER","c2":"closed","c3":9},{"c1":"AMER","c2":"open","c3":3}]}`,
			[]Column{region, {Name: "status"}, orders}, Told{Question: "orders by region and status"}, 0},
		{"two measures", `{"count":3,"rows":[{"c1":"EMEA","c2":1,"c3":10},{"c1":"AMER","c2":2,"c3":30},{"c1":"APAC","c2":3,"c3":20}]}`,
			[]Column{region, orders, revenue}, Told{Question: "orders and revenue by region"}, 0},
		{"shares", `{"count":3,"rows":[{"c1":"EMEA","c2":0.5},{"c1":"AMER","c2":0.375},{"c1":"APAC","c2":0.125}]}`, []Column{region, {Name: "share", Measure: true}},
			Told{Question: "share of orders by region"}, 0},
		{"rates aren't added up", `{"count":2,"rows":[{"c1":"EMEA","c2":0.0312},{"c1":"AMER","c2":0.0045}]}`, []Column{region, rate}, Told{Question: "conversion rate by region"}, 0},
		{"changes and nothing", `{"count":4,"rows":[{"c1":"EMEA","c2":-40},{"c1":"AMER","c2":75},{"c1":null,"c2":10},{"c1":"APAC","c2":null}]}`, []Column{region, {Name: "change", Measure: true}},
			Told{Question: "change by region"}, 0},
		{"wide and combining characters", `{"count":3,"rows":[{"c1":"東京都千代田区丸の内一丁目九番一号 東京駅","c2":3},{"c1":"Zu\u0308rich","c2":2},{"c1":"a\nb\tc \u200b","c2":1}]}`,
			[]Column{{Name: "city"}, orders}, Told{Question: "orders by city"}, 0},
		{"a list", `{"count":12,"rows":[{"c1":"a"},{"c1":"b"},{"c1":"c"},{"c1":"d"},{"c1":"e"},{"c1":"f"},{"c1":"g"},{"c1":"h"},{"c1":"i"},{"c1":"j"},{"c1":"k"}]}`, []Column{{Name: "name"}},
			Told{Question: "list accounts"}, 0},
		{"a table", `{"count":2,"rows":[{"c1":"a","c2":true,"c3":"2026-01-02T03:04:05","c4":[1,2]},{"c1":"b","c2":false,"c3":null,"c4":null}]}`,
			[]Column{{Name: "name"}, {Name: "open"}, {Name: "opened_at"}, {Name: "tags"}}, Told{Question: "accounts"}, 0},
		{"two measures over months", `{"count":3,"rows":[{"c1":"2026-09-01","c2":100.5,"c3":7},{"c1":"2026-10-01","c2":80,"c3":9},{"c1":"2026-11-01","c2":120,"c3":4}]}`,
			[]Column{month, revenue, orders}, Told{Question: "revenue and orders per month", Today: time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)}, 0},
		{"one group", `{"count":1,"rows":[{"c1":"EMEA","c2":12.5}]}`, []Column{region, revenue}, Told{Question: "revenue by region in EMEA"}, 0},
		{"one month", `{"count":1,"rows":[{"c1":"2026-11-01","c2":12.5}]}`, []Column{month, revenue}, Told{Question: "revenue by month", Today: time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)}, 0},
		{"three measures", `{"count":3,"rows":[{"c1":"EMEA","c2":1,"c3":10,"c4":0.25},{"c1":"AMER","c2":2,"c3":30,"c4":null},{"c1":"APAC","c2":3,"c3":20,"c4":0.125}]}`,
			[]Column{region, orders, revenue, rate}, Told{Question: "orders, revenue and conversion rate by region"}, 0},
		{"many points", array(crowd), []Column{{Name: "name", Title: "account name"}, orders, revenue}, Told{Question: "orders and revenue by account"}, 0},
		{"many lines", array(lines), []Column{month, {Name: "name", Title: "account name"}, orders}, Told{Question: "orders by month and account"}, 0},
		{"weeks with gaps", `{"count":4,"rows":[{"c1":"2026-01-05","c2":3},{"c1":"2026-01-12","c2":null},{"c1":"2026-02-02","c2":5},{"c1":"2026-03-02","c2":1}]}`,
			[]Column{{Name: "week", Period: "week"}, orders}, Told{Question: "orders per week"}, 0},
		{"true and false", `{"count":3,"rows":[{"c1":true,"c2":5},{"c1":false,"c2":7},{"c1":null,"c2":1}]}`, []Column{{Name: "is_open"}, orders}, Told{Question: "orders by open"}, 0},
		{"all the same", array([]string{`{"c1":"a","c2":1}`, `{"c1":"b","c2":1}`, `{"c1":"c","c2":1}`, `{"c1":"d","c2":1}`, `{"c1":"e","c2":1}`, `{"c1":"f","c2":1}`}),
			[]Column{region, orders}, Told{Question: "orders by region"}, 0},
		{"markup", `{"count":2,"rows":[{"c1":"<img src=x onerror=alert(1)> & <b>bold</b>","c2":5},{"c1":"a very long name of a region that nobody would give to anything but a test of how long names are cut","c2":7}]}`,
			[]Column{{Name: `x[0].'y'"z"\`}, orders}, Told{Question: "orders by <script>alert(1)</script> and whatever else people write into a question that becomes a title", Qualifiers: []string{
				"within what you may see: public.accounts, public.order_items, public.orders, public.support_conversations", "<i>joined</i> by a.b = c.d"}}, 0},
		{"years are no measure", `{"count":2,"rows":[{"c1":2025,"c2":5},{"c1":2026,"c2":7}]}`, []Column{{Name: "year"}, orders}, Told{Question: "orders by year"}, 0},
		{"names twice, and not a number", `{"count":2,"rows":[{"c1":"a","c1":"NaN","c1":1},{"c1":"b","c1":5,"c1":2}]}`,
			[]Column{{Name: "a.b"}, {Name: "a.b", Measure: true}, {Name: "a.b", Measure: true}}, Told{Question: "odd names"}, 0},
	}
}

func (c telling) table(t testing.TB) *Table {
	t.Helper()
	table, err := Read([]byte(c.rows), c.columns, c.limit)
	if err != nil {
		t.Fatal(c.name, err)
	}
	return table
}

// TestTellings tells and draws every kind of answer.
func TestTellings(t *testing.T) {
	var got strings.Builder
	for _, c := range tellings() {
		table := c.table(t)
		chart, err := Chart(table, c.about)
		if err != nil {
			t.Fatal(c.name, err)
		}
		fmt.Fprintf(&got, "== %s\n%s\n\n%s\n\n%s\n\n", c.name, Narrate(table, c.about), TextChart(table, c.about), chart)
	}
	const file = "testdata/tellings.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s differs; run with -update and look at the difference: %s", file, diff)
	}
}

// chartSchema describes the charts.
func chartSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("testdata/chart.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid holds a chart against the schema, and its channels against its data.
func valid(s *jsonschema.Schema, chart []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(chart))
	if err != nil {
		return err
	}
	if err := s.Validate(doc); err != nil {
		return err
	}
	type view struct {
		Encoding map[string]struct{ Field, Value string }
	}
	var c struct {
		view
		Data  struct{ Values []map[string]any }
		Below []view `json:"vconcat"`
	}
	if err := json.Unmarshal(chart, &c); err != nil {
		return err
	}
	for _, v := range append(c.Below, c.view) {
		for name, ch := range v.Encoding {
			for _, row := range c.Data.Values {
				if _, ok := row[ch.Field]; !ok && ch.Value == "" {
					return fmt.Errorf("channel %s shows %q, which a row hasn't got", name, ch.Field)
				}
			}
		}
	}
	return nil
}

func TestChartsAreValid(t *testing.T) {
	s := chartSchema(t)
	for _, c := range tellings() {
		chart, err := Chart(c.table(t), c.about)
		if err == nil {
			err = valid(s, chart)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, chart)
		}
	}
}

// randomTable gathers rows of any values.
func randomTable(t *rapid.T) telling {
	n := rapid.IntRange(1, 4).Draw(t, "columns")
	c := telling{about: Told{Question: rapid.String().Draw(t, "question"), Qualifiers: rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, "qualifiers"),
		Limited: rapid.Bool().Draw(t, "limited"), Today: time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)}}
	var kinds []string
	for range n {
		c.columns = append(c.columns, Column{Name: rapid.StringN(0, 12, -1).Draw(t, "name"), Unit: rapid.SampledFrom([]string{"", "USD", "票"}).Draw(t, "unit"),
			Measure: rapid.Bool().Draw(t, "measure"), Additive: rapid.Bool().Draw(t, "additive"), Count: rapid.Bool().Draw(t, "count")})
		kinds = append(kinds, rapid.SampledFrom([]string{"number", "text", "moment", "any"}).Draw(t, "kind"))
	}
	var rows []string
	for range rapid.IntRange(0, 50).Draw(t, "rows") {
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`"c%d":%s`, i+1, randomValue(t, kinds[i])))
		}
		rows = append(rows, "{"+strings.Join(fields, ",")+"}")
	}
	c.limit = int64(rapid.IntRange(0, 60).Draw(t, "limit"))
	c.rows = fmt.Sprintf(`{"count":%d,"rows":[%s]}`, len(rows)+rapid.IntRange(0, 2).Draw(t, "more"), strings.Join(rows, ","))
	return c
}

func randomValue(t *rapid.T, kind string) string {
	if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
		return "null"
	}
	if kind == "any" {
		kind = rapid.SampledFrom([]string{"number", "text", "moment", "array"}).Draw(t, "kind")
	}
	switch kind {
	case "number":
		return rapid.SampledFrom([]string{"0", "1", "-1", "2.5", "-0.0001", "1e300", "-1e-300", "12345678901234567890.123", `"NaN"`, "17", "99"}).Draw(t, "number")
	case "moment":
		at := time.Date(2020+rapid.IntRange(0, 9).Draw(t, "year"), time.Month(rapid.IntRange(1, 12).Draw(t, "month")), 1, 0, 0, 0, 0, time.UTC)
		return `"` + at.Format(rapid.SampledFrom([]string{"2006-01-02", "2006-01-02T15:04:05+00:00"}).Draw(t, "layout")) + `"`
	case "array":
		return `[1, {"a": null}]`
	}
	b, _ := json.Marshal(rapid.String().Draw(t, "text"))
	return string(b)
}

// TestAnyTable: whatever the rows are, each form holds every qualifier, a chart in
// characters fits, and a specification is valid.
func TestAnyTable(t *testing.T) {
	s := chartSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		c := randomTable(t)
		table, err := Read([]byte(c.rows), c.columns, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		told, drawn := Narrate(table, c.about), TextChart(table, c.about)
		chart, err := Chart(table, c.about)
		if err == nil {
			err = valid(s, chart)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, chart)
		}
		for _, q := range c.about.Qualifiers {
			if !strings.Contains(told, q) {
				t.Fatalf("%q is missing from %q", q, told)
			}
		}
		for _, line := range strings.Split(drawn, "\n") {
			if wide(line) > textColumns {
				t.Fatalf("%d columns: %q", wide(line), line)
			}
		}
	})
}

func TestWide(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "東京": 4, "u\u0308": 1, "a\u200bb": 2, "🙂": 2, "ｱ": 1, "Ａ": 2, "é": 1, "█▏": 2, "한글": 4} {
		if got := wide(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"abc", 5, "abc  "}, {"abcdef", 4, "abc…"}, {"東京都", 4, "東… "}, {"東京", 4, "東京"}, {"a\nb", 3, "a b"}} {
		if got := fit(c.in, c.most); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.in, c.most, got, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"", "{", "{\"count\":1,\"rows\":[{\"a\":\"M\xfcller\"}]}", `{"count":1,"rows":[1]}`, `{"count":1,"rows":[{"a":1,"b":2}]}`, `{"count":1,"rows":[{"a":1}{]}`, `{"count":"x"}`} {
		if _, err := Read([]byte(text), []Column{{Name: "a"}}, 0); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// A column of JSON may hold numbers that nobody can write out.
func TestNumbersThatAreTooLong(t *testing.T) {
	for text, computed := range map[string]bool{"1e300": true, "-2.5E-7": true, strings.Repeat("9", 400): true,
		"1e999999": false, "1e-999999": false, "1e99999999999999999999": false, strings.Repeat("9", 401): false} {
		table, err := Read([]byte(`{"count":1,"rows":[{"c1":`+text+`}]}`), []Column{{Name: "a"}}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Rows[0][0]; (got.Number != nil) != computed || got.Text != text {
			t.Errorf("%.20s: computed with: %v", text, got.Number != nil)
		}
	}
}

// TestUntold: what is shown of rows that can't be read holds why, every qualifier, and is a chart.
func TestUntold(t *testing.T) {
	about := Told{Question: "accounts", Qualifiers: []string{"within what you may see: public.accounts"}}
	chart, err := Undrawn(about, "so")
	if err == nil {
		err = valid(chartSchema(t), chart)
	}
	if err != nil {
		t.Error(err)
	}
	for _, shown := range []string{Untold(about, "so"), string(chart)} {
		if !strings.Contains(shown, ": so") || !strings.Contains(shown, about.Qualifiers[0]) {
			t.Errorf("%q", shown)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range tellings() {
		f.Add(c.rows, int64(0))
	}
	f.Fuzz(func(t *testing.T, text string, limit int64) {
		table, err := Read([]byte(text), []Column{{Name: "a"}, {Name: "b", Measure: true}}, limit)
		if err != nil {
			return
		}
		about := Told{Question: "q"}
		Narrate(table, about)
		TextChart(table, about)
		if _, err := Chart(table, about); err != nil {
			t.Error(err)
		}
	})
}
