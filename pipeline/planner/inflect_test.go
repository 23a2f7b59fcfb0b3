package planner

import "testing"

func TestSureness(t *testing.T) {
	for _, c := range []struct {
		said, question string
		want           float64
	}{
		{"city", "cities", 1}, {"child", "children", 1}, {"status", "statuses", 1}, {"bus", "buses", 1}, {"person", "people", 1},
		{"opened year", "opening year", 1}, {"ship", "shipped", 1}, {"movie", "movies", 1}, {"leaf", "leaves", 1},
		{"nationality", "nation", derivedWeight}, {"director", "direct", 0},
		{"mountain", "mountaineers", 0}, {"report", "reporter", 0}, {"reporter", "reporters", 1}, {"art", "artist", 0},
		{"year join", "year they joined", 1}, // words stand between
	} {
		if got := sureness(c.said, tokenize(c.question)); got != c.want {
			t.Errorf("%s for %s: %v, want %v", c.question, c.said, got, c.want)
		}
	}
}
