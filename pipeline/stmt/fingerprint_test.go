package stmt

import (
	"strings"
	"testing"
)

func TestFingerprint(t *testing.T) {
	print := func(text string) string {
		f, err := Fingerprint(text, DefaultLimits())
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		return f
	}
	one := print("SELECT a FROM t WHERE b = 'x'")
	if one == "" || one != print("/* c */ select  a from t where b = 'y';") || one == print("SELECT a FROM u WHERE b = 'x'") {
		t.Errorf("%q", one)
	}
	for _, text := range []string{"SELEC", "ASK 'x'", "SELECT " + strings.Repeat("(", 100_000)} {
		if f, err := Fingerprint(text, DefaultLimits()); err == nil {
			t.Errorf("%.20s: %q", text, f)
		}
	}
}
