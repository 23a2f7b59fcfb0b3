package catalog_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/catalog"
)

func sampleTable() *catalog.Table {
	text := catalog.Type{Schema: "pg_catalog", Name: "text", SQL: "text", Category: 'S'}
	number := catalog.Type{Schema: "pg_catalog", Name: "numeric", SQL: "numeric", Category: 'N'}
	mood := catalog.Type{Schema: "public", Name: "mood", SQL: "public.mood", Category: 'E'}
	return &catalog.Table{
		Name: catalog.Name{Schema: "public", Table: "t"}, Rows: 100, PrimaryKey: []string{"id"},
		Columns: []*catalog.Column{
			{Name: "id", Type: number}, {Name: "code", Type: text}, {Name: "amount", Type: number},
			{Name: "parent", Type: number}, {Name: "at", Type: catalog.Type{Name: "date", Category: 'D'}},
			{Name: "blob", Type: catalog.Type{Name: "bytea", Category: 'U'}}, {Name: "state", Type: text},
			{Name: "mood", Type: mood, Values: []string{"sad", "ok"}}, {Name: "scoped mood", Type: mood},
		},
		Unique:      [][]string{{"code"}},
		ForeignKeys: []*catalog.ForeignKey{{Name: "p", Columns: []string{"parent"}}},
	}
}

func TestSampleQueries(t *testing.T) {
	got := map[string]catalog.SampleKind{}
	for _, q := range catalog.SampleQueries(sampleTable(), func(_ *catalog.Table, c *catalog.Column) bool { return c.Name != "state" }, catalog.Limits{}) {
		got[q.Column] = q.Kind
		if !q.Whole {
			t.Errorf("%s: 100 rows are looked at whole", q.Column)
		}
	}
	want := map[string]catalog.SampleKind{"code": catalog.SampleValues, "amount": catalog.SampleRange, "at": catalog.SampleRange, "scoped mood": catalog.SampleValues}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// values are n rows of a values query.
func values(n int, value func(int) string) [][]*string {
	var rows [][]*string
	for i := range n {
		v, count := value(i), "1"
		rows = append(rows, []*string{&v, &count})
	}
	return rows
}

func TestSampleRead(t *testing.T) {
	queries := map[string]catalog.SampleQuery{}
	for _, q := range catalog.SampleQueries(sampleTable(), nil, catalog.Limits{All: 3, Top: 2, Length: 5}) {
		queries[q.Column] = q
	}
	partly := sampleTable()
	partly.Rows = 1e9
	for _, q := range catalog.SampleQueries(partly, nil, catalog.Limits{All: 3, Top: 2, Length: 5}) {
		queries["partly "+q.Column] = q
	}
	one, two := "1", "2"
	tests := []struct {
		name string
		q    string
		rows [][]*string
		want catalog.Sample
	}{
		{"all values", "state", values(3, strconv.Itoa), catalog.Sample{Values: []string{"0", "1", "2"}, All: true}},
		{"the most frequent", "state", values(4, strconv.Itoa), catalog.Sample{Values: []string{"0", "1"}}},
		{"many keys", "code", values(4, strconv.Itoa), catalog.Sample{}},
		{"few keys", "code", values(2, strconv.Itoa), catalog.Sample{Values: []string{"0", "1"}, All: true}},
		{"prose", "state", values(2, func(int) string { return "a long text" }), catalog.Sample{}},
		{"a part of the table", "partly state", values(2, strconv.Itoa), catalog.Sample{Values: []string{"0", "1"}}},
		{"no rows", "state", nil, catalog.Sample{}},
		{"range", "amount", [][]*string{{&one, &two}}, catalog.Sample{Min: "1", Max: "2"}},
		{"range of nothing", "amount", [][]*string{{nil, nil}}, catalog.Sample{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			q := queries[test.q]
			test.want.Table, test.want.Column = q.Table, q.Column
			if diff := cmp.Diff(test.want, q.Read(test.rows)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDates(t *testing.T) {
	for _, test := range []struct {
		values []string
		want   bool
	}{
		{[]string{"2025-01-31", "2024-12-01"}, true},
		{[]string{"2025-01", "2024-12"}, true},
		{[]string{"2025-01", "2024-12-01"}, false},
		{[]string{"2025-13-01"}, false},
		{[]string{"01.02.2025"}, false},
		{nil, false},
	} {
		if got := (catalog.Sample{Values: test.values}).Dates(); got != test.want {
			t.Errorf("%v: %v, want %v", test.values, got, test.want)
		}
	}
}

func TestWithSamplesShares(t *testing.T) {
	a, b := sampleTable(), &catalog.Table{Name: catalog.Name{Schema: "public", Table: "u"}}
	s := catalog.NewSnapshot("d", 150000, []*catalog.Table{a, b}, nil)
	w := catalog.WithSamples(s, []catalog.Sample{{Table: a.Name, Column: "state", Values: []string{"x"}, All: true}})
	if w.Table(b.Name) != b {
		t.Error("a table without samples was copied")
	}
	if got := w.Table(a.Name).Column("state"); !got.AllValues || got.Values[0] != "x" {
		t.Errorf("no samples in %+v", got)
	}
	if a.Column("state").Values != nil || w.Table(a.Name).Column("code") != a.Column("code") {
		t.Error("the old snapshot changed, or an untouched column was copied")
	}
	if w.Version != s.Version {
		t.Error("samples changed the version")
	}
}
