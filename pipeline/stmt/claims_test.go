package stmt

import "testing"

func TestClaims(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                     false,
		"SELECT task FROM":                     false,
		"SELECT ask FROM (":                    false,
		"ASK how many":                         true,
		"SELECT 1; ASK 'x":                     false, // no statement of anybody's: the literal has no end
		"SELECT 1; ask 5":                      true,
		"/* pgask: governed */ SELEC":          true,
		"/* pgask: goverened */ SELECT 1":      true,
		"/* ask: how many */ MERGE WHATEVER":   true,
		"-- ask: how many\nSELEC":              true,
		"PREPARE p AS ASK":                     true,
		"INSERT INTO t VALUES ('/* ask: x */'": false,
		"/* pgask: governed */ SELECT 'x":      true,
	} {
		if got := Claims(text); got != want {
			t.Errorf("Claims(%q) = %v, want %v", text, got, want)
		}
	}
}
