package answer

import "strings"

// Untold is what is said of an answer whose rows can't be read: why that is, and all
// that limits it.
func Untold(about Told, why string) string {
	return strings.Join(append([]string{"The rows can't be told: " + why + ". ASK shows them."}, notes(&Table{}, about)...), "\n")
}

// Undrawn is that in the place of a chart.
func Undrawn(about Told, why string) ([]byte, error) {
	about.Qualifiers = append([]string{"the rows can't be drawn: " + why + "; ASK shows them"}, about.Qualifiers...)
	return Chart(&Table{}, about)
}
