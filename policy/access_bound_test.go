package policy_test

import (
	"strings"
	"testing"

	"github.com/pgask/pgask/policy"
)

// What stands for a catalog function may hold its argument twice: nested ones
// must not double the statement without end.
func TestAccessNested(t *testing.T) {
	c := newCatalogs(t)
	for _, form := range []string{"pg_table_is_visible((?)::int::oid)", "has_column_privilege((?)::text, 'id', 'select')", "has_table_privilege($1, (?)::text, 'select')",
		"pg_get_function_arguments((?)::text::oid)", "format_type((?)::text::oid, NULL)", "length((?)::text::regclass)"} {
		for _, deep := range []int{3, 40} {
			x := "1"
			for range deep {
				x = strings.ReplaceAll(form, "?", x)
			}
			a, err := authorize(c.view, "SELECT "+x, policy.Options{})
			switch {
			case deep == 3 && err != nil:
				t.Errorf("%s: %v", x, err)
			case deep == 3 && len(a.SQL()) > 500_000:
				t.Errorf("%s takes %d bytes", x, len(a.SQL()))
			case deep > 3 && err == nil:
				t.Errorf("approved: %s nested %d deep", form, deep)
			}
		}
	}
	// Postgres 13 has the fewest objects to list.
	long := "SELECT " + strings.TrimSuffix(strings.Repeat("('a' || '')::regclass,", 990), ",")
	if _, err := authorize(c.view, long, policy.Options{}); err == nil || !strings.Contains(err.Error(), "too many objects") {
		t.Errorf("990 look-ups: %v", err)
	}
}
