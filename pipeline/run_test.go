package pipeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgask/pgask/policy"
)

// watch plays n rows through a run and completes it with tag.
func watch(r *Run, n int, tag string) (shown int, newTag string, notices []Notice) {
	for range n {
		if r.Row(9) {
			shown++
		}
	}
	newTag, notices = r.Complete(tag)
	return shown, newTag, notices
}

func TestRunCounts(t *testing.T) {
	for name, c := range map[string]struct {
		cap, skip int64
		rows      int
		tag       string
		wantShown int
		wantTag   string
		wantCut   bool
	}{
		"under the cap":   {cap: 3, rows: 2, tag: "SELECT 2", wantShown: 2, wantTag: "SELECT 2"},
		"at the cap":      {cap: 3, rows: 3, tag: "SELECT 3", wantShown: 3, wantTag: "SELECT 3"},
		"over the cap":    {cap: 3, rows: 4, tag: "SELECT 4", wantShown: 3, wantTag: "SELECT 3", wantCut: true},
		"far over":        {cap: 3, rows: 9, tag: "SELECT 9", wantShown: 3, wantTag: "SELECT 3", wantCut: true},
		"no cap":          {cap: 0, rows: 9, tag: "SELECT 9", wantShown: 9, wantTag: "SELECT 9"},
		"copy header":     {cap: 3, skip: 1, rows: 4, tag: "COPY 3", wantShown: 4, wantTag: "COPY 3"},
		"copy cut":        {cap: 3, skip: 1, rows: 5, tag: "COPY 4", wantShown: 4, wantTag: "COPY 3", wantCut: true},
		"a countless tag": {cap: 3, rows: 4, tag: "DECLARE CURSOR", wantShown: 3, wantTag: "DECLARE CURSOR", wantCut: true},
	} {
		t.Run(name, func(t *testing.T) {
			var got Outcome
			r := &Run{budget: &Budget{Cap: c.cap}, skip: c.skip, finish: func(_ *Run, o Outcome) []Notice { got = o; return nil }}
			shown, tag, _ := watch(r, c.rows, c.tag)
			if shown != c.wantShown || tag != c.wantTag || got.Truncated != c.wantCut {
				t.Errorf("shown %d, tag %q, cut %v; want %d, %q, %v", shown, tag, got.Truncated, c.wantShown, c.wantTag, c.wantCut)
			}
		})
	}
}

// The one row of an answer that is told comes in a portal's first piece, the end in a
// later one, which has to say that the answer was cut.
func TestToldInPieces(t *testing.T) {
	var got []Outcome
	r := &Run{budget: &Budget{Cap: 3}, finish: func(_ *Run, o Outcome) []Notice { got = append(got, o); return nil }}
	r.Row(9)
	r.Told(Tale{Rows: 3, Truncated: true})
	r.Suspend()
	r.Complete("SELECT 0")
	if o := got[len(got)-1]; !o.Truncated || o.of() != 3 {
		t.Errorf("the end says %+v", o)
	}
}

// A portal read in pieces and a cursor read by several fetches count over the
// whole, while each tag counts its own rows.
func TestRunCountsOverPieces(t *testing.T) {
	portal := &Run{budget: &Budget{Cap: 3}}
	portal.Row(9)
	portal.Row(9)
	portal.Suspend()
	if shown, tag, _ := watch(portal, 2, "SELECT 2"); shown != 1 || tag != "SELECT 1" {
		t.Errorf("second piece of a portal: %d rows, tag %q", shown, tag)
	}
	cursor := &Budget{Cap: 3}
	for i, want := range []string{"FETCH 2", "FETCH 1", "FETCH 0"} {
		fetch := &Run{resolve: func() *Budget { return cursor }}
		if _, tag, _ := watch(fetch, 2, "FETCH 2"); tag != want {
			t.Errorf("fetch %d: tag %q, want %q", i, tag, want)
		}
	}
}

// A portal of the protocol is counted where it is executed; FETCH from it, which
// would count anew, shows nothing.
func TestFetchFromAPortal(t *testing.T) {
	s := &Session{}
	for _, cap := range []int64{0, 3} {
		v := &verdict{facts: policy.Facts{Tag: "FETCH", Rows: true, Cursor: "p", Cap: cap}}
		r := s.run(v, time.Time{})
		for range 2 {
			if r.Row(9) {
				t.Errorf("cap %d: a row was shown", cap)
			}
		}
	}
}

func TestMessages(t *testing.T) {
	m := &messages{}
	levels := func() []bool { return []bool{m.silences("NOTICE"), m.silences("WARNING")} }
	if diff := cmp.Diff([]bool{false, false}, levels()); diff != "" {
		t.Error("default", diff)
	}
	m.now = "warning"
	m.ready()
	if diff := cmp.Diff([]bool{true, false}, levels()); diff != "" {
		t.Error("committed", diff)
	}
	m.now, m.undone = "error", true
	m.ready()
	if diff := cmp.Diff([]bool{true, false}, levels()); diff != "" {
		t.Error("rolled back", diff)
	}
	m.now = "error"
	m.ready()
	if diff := cmp.Diff([]bool{true, true}, levels()); diff != "" {
		t.Error("error level", diff)
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 999999: "999999", 1e6: "1 million", 3.4e6: "3.4 million",
		1.2e10: "12 billion", 5e12: "5 trillion", 7e15: "7 quadrillion", 1e300: "1e+300"} {
		if got := words(n); got != want {
			t.Errorf("words(%g) = %q, want %q", n, got, want)
		}
	}
}
