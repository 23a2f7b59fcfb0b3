package plans

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgask/pgask/integration/postgres"
)

func pin(database, question, by string) Approved {
	return Approved{Database: database, Question: question, Plan: []byte(`{"version":1}`), Hash: "h", By: by,
		At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

// listed are the questions of a database with who approved them.
func listed(t *testing.T, s Approvals, database string) string {
	t.Helper()
	all, err := s.Approved(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, a := range all {
		if string(a.Plan) != `{"version":1}` && !strings.Contains(string(a.Plan), `"version": 1`) || a.Hash != "h" || a.At.IsZero() {
			t.Errorf("%+v", a)
		}
		out = append(out, a.Question+" by "+a.By)
	}
	return strings.Join(out, ", ")
}

// TestApprovals plays the same on every store, looked at by another instance.
func TestApprovals(t *testing.T) {
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	path := filepath.Join(t.TempDir(), "approved.json")
	for name, open := range map[string]func() Approvals{
		"file": func() Approvals { return NewFile(path) },
		"postgres": func() Approvals {
			p, err := NewPostgres(dsn, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.Close)
			return p
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := open()
			if got := listed(t, s, "acme"); got != "" {
				t.Errorf("at first there is %s", got)
			}
			for _, a := range []Approved{pin("acme", "Revenue by  region?", "finn"), pin("acme", "orders", "ana"), pin("other", "orders", "ben"), pin("acme", "revenue by region", "ana")} {
				if err := s.Approve(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			for _, looks := range []Approvals{s, open()} {
				if got, want := listed(t, looks, "acme"), "orders by ana, revenue by region by ana"; got != want {
					t.Errorf("%s, want %s", got, want)
				}
			}
			all, _ := s.Approved(t.Context(), "acme")
			if a := Find(all, "REVENUE by region."); a == nil || a.By != "ana" {
				t.Errorf("found %+v", a)
			}
			if a := Find(all, "revenue"); a != nil {
				t.Errorf("found %+v", a)
			}
			if gone, err := s.Revoke(t.Context(), "acme", "Orders ?"); err != nil || gone == nil || gone.By != "ana" {
				t.Errorf("revoked %+v %v", gone, err)
			}
			if gone, err := s.Revoke(t.Context(), "acme", "orders"); err != nil || gone != nil {
				t.Errorf("revoked twice: %+v %v", gone, err)
			}
			if got := listed(t, s, "acme") + "; " + listed(t, open(), "other"); got != "revenue by region by ana; orders by ben" {
				t.Errorf("in the end %s", got)
			}
		})
	}
}

// TestFileIsShared has several writers of one file, none of whom loses a plan.
func TestFileIsShared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approved.json")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			f := NewFile(path)
			for n := range 5 {
				if err := f.Approve(context.Background(), pin("acme", fmt.Sprintf("q %d %d", i, n), "x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, _ := NewFile(path).Approved(t.Context(), "acme"); len(got) != 20 {
		t.Errorf("%d plans", len(got))
	}
	left, _ := filepath.Glob(path + "*")
	if diff := cmp.Diff([]string{path, path + ".lock"}, left); diff != "" {
		t.Error(diff)
	}
}

// TestFileFaults has files that somebody broke, which are not written over.
func TestFileFaults(t *testing.T) {
	for _, text := range []string{"{", `{"plans": [{"colour": 1}]}`, `{"plans": []} {}`, "[]"} {
		path := filepath.Join(t.TempDir(), "approved.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := NewFile(path)
		if _, err := f.Approved(t.Context(), "acme"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", text, err)
		}
		if err := f.Approve(t.Context(), pin("acme", "q", "x")); err == nil {
			t.Errorf("%s: was written over", text)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%s became %s", text, now)
		}
	}
	if err := NewFile(filepath.Join(t.TempDir(), "none", "approved.json")).Approve(t.Context(), pin("acme", "q", "x")); err == nil {
		t.Error("a folder that isn't there")
	}
}
