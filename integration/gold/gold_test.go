package gold

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/stmt"
)

// floor is the share of golden statements that must go through a plan and
// back, a little under what has been reached.
const floor = 0.99

func open(t *testing.T, dir string) *Set {
	t.Helper()
	server := postgres.ForTest(t)
	s, err := Open(t.Context(), dir, server.DSN(server.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Conn.Close(context.Background()) })
	return s
}

// TestPlans says every golden statement as a plan, that as SQL again, and
// wants the same rows.
func TestPlans(t *testing.T) {
	dir, there := Dir("../..")
	if !there {
		t.Logf("no questions at %s", dir)
		return
	}
	s := open(t, dir)
	failed := map[string][]string{}
	right, tied := 0, 0
	for _, q := range s.Questions {
		rows, sql, err := answer(t.Context(), s, q)
		switch {
		case err != nil:
			failed[reason(err)] = append(failed[reason(err)], q.DB+": "+q.SQL)
			continue
		case q.Same(rows):
			right++
			continue
		}
		admitted, err := s.Admits(t.Context(), q, rows)
		if err != nil {
			t.Fatalf("%s: %v", q.SQL, err)
		}
		if admitted {
			tied++
			continue
		}
		failed["wrong rows"] = append(failed["wrong rows"], q.DB+": "+q.SQL+" → "+sql)
	}
	for _, why := range slices.Sorted(maps.Keys(failed)) {
		t.Logf("%s: %d\n\t%s", why, len(failed[why]), strings.Join(failed[why], "\n\t"))
	}
	share := float64(right+tied) / float64(len(s.Questions))
	t.Logf("%d of %d (%.2f %%) give the right rows, %d of them others of those that ties allow", right+tied, len(s.Questions), 100*share, tied)
	if share < floor {
		t.Errorf("the floor is %.0f %%", 100*floor)
	}
}

// hashes holds the SQL of every plan that was compiled.
var hashes sync.Map

// answer is the rows and the SQL of a question's plan. The plan is written and
// read on the way, as a model's is. Its canonical form must mean the same, no
// other SQL may have its hash, and the columns that it promises must be those
// that Postgres describes.
func answer(ctx context.Context, s *Set, q Question) ([][]*string, string, error) {
	p, err := s.Plan(q)
	if err != nil {
		return nil, "", err
	}
	checked, sql, err := compiled(s, p)
	if err != nil {
		return nil, "", err
	}
	canonical, again, err := compiled(s, checked.Plan())
	if err != nil {
		return nil, "", fmt.Errorf("the canonical form: %w", err)
	}
	if again != sql || canonical.Hash() != checked.Hash() {
		return nil, "", errors.New("the canonical form is another plan")
	}
	if first, known := hashes.LoadOrStore(checked.Hash(), sql); known && first != sql {
		return nil, "", fmt.Errorf("the hash is that of %s", first)
	}
	if err := described(ctx, s, checked, sql); err != nil {
		return nil, "", err
	}
	rows, err := Rows(ctx, s.Conn.PgConn(), sql)
	return rows, sql, err
}

// compiled writes a plan, reads it, checks it and makes SQL of it.
func compiled(s *Set, p *plan.Plan) (*plan.Checked, string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, "", err
	}
	if p, err = plan.Decode(text); err != nil {
		return nil, "", err
	}
	checked, err := plan.Validate(p, plan.Context{Catalog: s.Catalog, Semantic: s.Semantic})
	if err != nil {
		return nil, "", err
	}
	sql, err := stmt.Print(plan.Compile(checked))
	return checked, sql, err
}

// described compares the promised columns with Postgres's description.
func described(ctx context.Context, s *Set, checked *plan.Checked, sql string) error {
	d, err := s.Conn.PgConn().Prepare(ctx, "", sql, nil)
	if err != nil {
		return err
	}
	columns := checked.Columns()
	if len(columns) != len(d.Fields) {
		return fmt.Errorf("%d columns are promised, %d come", len(columns), len(d.Fields))
	}
	for i, f := range d.Fields {
		var name string
		if err := s.Conn.QueryRow(ctx, "SELECT format_type($1, $2)", f.DataTypeOID, f.TypeModifier).Scan(&name); err != nil {
			return err
		}
		if columns[i] != (plan.Column{Name: f.Name, Type: name}) {
			return fmt.Errorf("%v is promised, %s %s comes", columns[i], f.Name, name)
		}
	}
	return nil
}

// reason is an error's construct or code.
func reason(err error) string {
	var rejections *plan.Rejections
	if errors.As(err, &rejections) {
		return string(rejections.All[0].Code)
	}
	return err.Error()
}
