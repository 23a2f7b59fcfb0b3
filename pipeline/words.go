package pipeline

import (
	"fmt"
	"strconv"
	"strings"
)

// words writes a large number as people say it: 12 billion, 3.4 million.
func words(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e15, "quadrillion"}, {1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}} {
		if n >= 1000*u.size && u.size == 1e15 {
			return fmt.Sprintf("%.0e", n)
		}
		if n >= u.size {
			return strings.TrimSuffix(strconv.FormatFloat(n/u.size, 'f', 1, 64), ".0") + " " + u.name
		}
	}
	return strconv.FormatFloat(n, 'f', 0, 64)
}
