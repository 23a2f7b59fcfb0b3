package policy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/pipeline/stmt"
)

func TestEqualities(t *testing.T) {
	for text, want := range map[string]map[string]string{
		"tenant_id = 1":                     {"tenant_id": "SELECT 1"},
		"tenant_id = 1 AND region = 'EMEA'": {"tenant_id": "SELECT 1", "region": "SELECT 'EMEA'"},
		"tenant_id = 1 OR tenant_id = 2":    nil,
		"tenant_id > 1":                     nil,
		"tenant_id = ANY ('{1,2}'::int[])":  nil,
		"tenant_id = other_id":              nil,
		"NOT tenant_id = 1":                 nil,
	} {
		n, _, err := stmt.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, equalities(n)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
