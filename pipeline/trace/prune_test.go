package trace

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// TestPrune keeps the newest traces, and none that is too old; it leaves alone what is no
// trace.
func TestPrune(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		limits Limits
		want   []int // hours of age of the traces that stay
	}{
		"all":       {Limits{}, []int{0, 1, 2, 3, 4}},
		"by number": {Limits{Files: 2}, []int{0, 1}},
		"by age":    {Limits{Age: 3 * time.Hour}, []int{0, 1, 2, 3}},
		"by both":   {Limits{Files: 4, Age: 90 * time.Minute}, []int{0, 1}},
		"enough":    {Limits{Files: 5, Age: 4 * time.Hour}, []int{0, 1, 2, 3, 4}},
	} {
		dir := t.TempDir()
		put := func(name string, hours int) {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
			if at := now.Add(-time.Duration(hours) * time.Hour); os.Chtimes(path, at, at) != nil {
				t.Fatal("no time")
			}
		}
		for _, hours := range []int{3, 0, 4, 1, 2} {
			put(fmt.Sprintf("%016x.json", hours), hours)
		}
		others := []string{"notes.json", "0123456789abcdef.txt", "0123456789abcdef"}
		for _, other := range others {
			put(other, 1000)
		}
		if err := os.Mkdir(filepath.Join(dir, "ffffffffffffffff.json"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := c.limits.prune(dir, now); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []int
		for hours := range 5 {
			if _, err := os.Stat(filepath.Join(dir, fmt.Sprintf("%016x.json", hours))); err == nil {
				got = append(got, hours)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v stay, want %v", name, got, c.want)
		}
		for _, other := range append(others, "ffffffffffffffff.json") {
			if _, err := os.Stat(filepath.Join(dir, other)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestWriterPrunes deletes old traces when it begins and while it writes.
func TestWriterPrunes(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "00000000000000aa.json")
	if err := os.WriteFile(old, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if at := time.Now().Add(-time.Hour); os.Chtimes(old, at, at) != nil {
		t.Fatal("no time")
	}
	w := NewWriter(dir, true, Limits{Files: 5, Age: time.Minute}, NewRedactor(nil), slog.New(slog.DiscardHandler))
	for i := range prunedAfter {
		w.Keep(Trace{ID: fmt.Sprintf("%016x", i), Verdict: Allowed})
		for len(w.queue) > waiting/2 { // what comes while the queue is full is lost
			runtime.Gosched()
		}
	}
	w.Close()
	all, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(all) != 5 {
		t.Errorf("%d traces, %v", len(all), err)
	}
}
