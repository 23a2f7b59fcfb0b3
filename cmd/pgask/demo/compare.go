package demo

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// differ says how two results differ in their values, or nothing. Column names
// don't count, and neither does the order of rows unless ordered. Numbers are
// compared as numbers: 1.50 is 1.5.
func differ(got, want rows, ordered bool) string {
	if len(got.values) != len(want.values) {
		return fmt.Sprintf("%d rows, want %d", len(got.values), len(want.values))
	}
	a, b := canonical(got, ordered), canonical(want, ordered)
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("row %d is %s, want %s", i+1, a[i], b[i])
		}
	}
	return ""
}

func canonical(r rows, ordered bool) []string {
	lines := make([]string, len(r.values))
	for i, row := range r.values {
		cells := make([]string, len(row))
		for j, v := range row {
			cells[j] = "NULL"
			if v != nil {
				cells[j] = canonicalValue(*v)
			}
		}
		lines[i] = strings.Join(cells, " | ")
	}
	if !ordered {
		slices.Sort(lines)
	}
	return lines
}

func canonicalValue(text string) string {
	if n, ok := new(big.Rat).SetString(text); ok && !strings.ContainsAny(text, "/eEx_") {
		return n.FloatString(8)
	}
	return text
}
