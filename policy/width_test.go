package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgask/pgask/policy"
)

// TestWidth has short statements whose columns double at every step; what they
// cost must not.
func TestWidth(t *testing.T) {
	v := view(t, attributes, "analyst")
	chain := func(step string) string {
		var b strings.Builder
		b.WriteString("WITH a0 AS (SELECT * FROM orders)")
		for i := range 30 {
			fmt.Fprintf(&b, ", a%d AS (%s)", i+1, strings.ReplaceAll(step, "?", fmt.Sprint("a", i)))
		}
		return b.String() + " SELECT 1 FROM a30"
	}
	for _, sql := range []string{
		strings.Repeat("SELECT *, * FROM (", 30) + "SELECT * FROM orders" + strings.Repeat(") a", 30),
		chain("SELECT *, * FROM ?"), chain("SELECT x.*, x.* FROM ? x"), chain("SELECT (x).*, (x).* FROM ? x"), chain("SELECT * FROM ? x, ? y"),
		chain("SELECT * FROM ? x CROSS JOIN ? y"), chain("SELECT * FROM (SELECT * FROM ? x, ? y) z UNION TABLE ?"),
	} {
		_, err := authorize(v, sql, policy.Options{Cap: true})
		if d, ok := err.(*policy.Denied); !ok || d.SQLState() != "54000" {
			t.Errorf("%.80s: %v", sql, err)
		}
	}
	wide := "SELECT * FROM orders o0"
	for i := range 40 {
		wide += fmt.Sprintf(" JOIN orders o%d ON true", i+1)
	}
	if _, err := authorize(v, wide, policy.Options{Cap: true}); err != nil {
		t.Errorf("an honest query: %v", err)
	}
}
