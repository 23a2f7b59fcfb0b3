package index

import (
	"fmt"
	"testing"

	"github.com/pgask/pgask/pipeline/catalog"
)

// warehouse makes n tables of 12 columns, four with 50 values each, over a
// vocabulary of syllables, chained by keys.
func warehouse(n int) *catalog.Snapshot {
	syllables := []string{"ka", "lor", "min", "ter", "sal", "ven", "dor", "pri", "qua", "stu"}
	word := func(i int) string {
		return syllables[i%10] + syllables[i/10%10] + syllables[i/100%10]
	}
	var tables []*catalog.Table
	for i := range n {
		t := table(fmt.Sprintf("t%04d_%s_%s", i, word(i*7), word(i*13)))
		for c := range 12 {
			col := &catalog.Column{Name: word(i*c+c) + "_" + word(c*31+i), Type: catalog.Type{SQL: "text", Category: 'S'}}
			for v := 0; c < 4 && v < 50; v++ {
				col.Values = append(col.Values, word(i+v*17)+" "+word(v*v+i))
			}
			t.Columns = append(t.Columns, col)
		}
		if i > 0 {
			t.ForeignKeys = []*catalog.ForeignKey{{Name: "previous", Ref: tables[i-1].Name}}
		}
		tables = append(tables, t)
	}
	return catalog.NewSnapshot("warehouse", 150000, tables, nil)
}

func BenchmarkBuild1000(b *testing.B) {
	s := warehouse(1000)
	for b.Loop() {
		Build(s, nil)
	}
}

func BenchmarkTables1000(b *testing.B) {
	x := Build(warehouse(1000), nil)
	for b.Loop() {
		if got := x.Tables("how many kakalor per salventer where the minterdor is pristuqua last mnth", nil, 8); len(got) != 8 {
			b.Fatal(len(got))
		}
	}
}
