package trace

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits are how long traces are kept; zero values keep them all and for ever.
type Limits struct {
	// Files is how many, the newest; Age how old one may be.
	Files int
	Age   time.Duration
}

// Traces are pruned when the writer begins, every so many traces, and every so often.
const (
	prunedAfter = 100
	prunedEvery = time.Hour
)

// prune deletes what the limits don't keep, traces only: a folder may hold other files.
// What can't be deleted is left for the next time.
func (l Limits) prune(dir string, now time.Time) error {
	if l == (Limits{}) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var all []fs.FileInfo
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".json"); !ok || !idForm.MatchString(id) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			all = append(all, info)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	var failed error
	for i, info := range all {
		if l.Files > 0 && i >= l.Files || l.Age > 0 && now.Sub(info.ModTime()) > l.Age {
			if err := os.Remove(filepath.Join(dir, info.Name())); err != nil {
				failed = err
			}
		}
	}
	return failed
}
