package planner

import (
	"context"
	"errors"
	"testing"

	"github.com/pgask/pgask/pipeline/plan"
)

// TestColumnsHint holds that a refusal of other columns than the asker demands says how to
// ask for those that there are.
func TestColumnsHint(t *testing.T) {
	in := bikeInput(t, "how many rentals by station")
	in.Columns = []plan.Column{{Name: "name", Type: "text"}, {Name: "n", Type: "bigint"}}
	_, err := New(NewBuiltin()).Plan(context.Background(), in)
	const want = `ASK 'how many rentals by station' WITH (columns = 'name text, rentals bigint')`
	if no, ok := errors.AsType[*NotAnswerable](err); !ok || no.Hint() != want {
		t.Errorf("%v, not %s", err, want)
	}
}
