package proxy_test

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pgask/pgask/pipeline"
)

// follower judges nothing and knows all the same what runs: it checks that what
// a name stands for is what Postgres runs, by the number of its rows.
type follower struct {
	// all follows everything, as in a governed session; else what says "ask".
	all   bool
	names pipeline.Names

	mu       sync.Mutex
	executes map[*pipeline.Run]*expected
	faults   []string
}

// expected is what one execution ought to be.
type expected struct {
	text string
	name string // an EXECUTE's
	rows int64
	// unknown executions must fail; unchecked ones may do what they like.
	unknown, unchecked bool
}

// rowsOf is how many rows a text of the test gives.
func rowsOf(text string) (int64, bool) {
	var n int64
	switch text, _, _ := strings.Cut(text, " -- "); {
	case text == "select 1 where false":
		return 0, true
	case text == "select 1", text == "select 2":
		return 1, true
	default:
		_, err := fmt.Sscanf(text, "select generate_series(1, %d)", &n)
		return n, err == nil
	}
}

func (f *follower) follows(text string) bool { return f.all || strings.Contains(text, "ask") }

func (f *follower) wrong() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer func() { f.faults = nil }()
	return strings.Join(f.faults, "\n")
}

// expecting watches one execution.
func (f *follower) expecting(e *expected) *pipeline.Run {
	return capped(1000, func(o pipeline.Outcome) []pipeline.Notice {
		f.mu.Lock()
		defer f.mu.Unlock()
		switch {
		case e.unchecked || o.SQLState != "" || o.Suspended:
		case e.unknown:
			f.faults = append(f.faults, "ran unknown: "+e.text)
		case e.name != "" && o.Rows == 0:
			// Bound before there was such a name: Postgres shows no row.
		case o.Rows != e.rows:
			f.faults = append(f.faults, fmt.Sprintf("%s: %d rows, not those of %q", o.Tag, o.Rows, e.text))
		}
		return nil
	})
}

// stands is what an EXECUTE of the name must be.
func (f *follower) stands(name string, so []*pipeline.NameChange) *expected {
	for i := len(so) - 1; i >= 0; i-- {
		if c := so[i]; c != nil && (c.All || c.Name == name) {
			return f.of(name, c.To)
		}
	}
	d, err := f.names.Prepared(name)
	if err != nil {
		panic(err)
	}
	return f.of(name, d)
}

func (f *follower) of(name string, d *pipeline.Decision) *expected {
	if d == nil {
		return &expected{text: "execute " + name, unknown: true, unchecked: !f.all}
	}
	rows, ok := rowsOf(d.Text)
	return &expected{text: d.Text, rows: rows, unchecked: !ok}
}

// statement is one statement's part of a decision.
func (f *follower) statement(text string, so []*pipeline.NameChange) (*pipeline.Run, *pipeline.NameChange) {
	words := strings.Fields(text)
	switch {
	case len(words) == 0:
		return nil, nil
	case words[0] == "execute":
		return f.expecting(f.stands(words[1], so)), nil
	case words[0] == "prepare" && f.follows(text):
		_, query, _ := strings.Cut(text, " as ")
		return nil, &pipeline.NameChange{Name: words[1], To: &pipeline.Decision{Untouched: true, Text: query}}
	case text == "deallocate all", text == "discard all":
		return nil, &pipeline.NameChange{All: true}
	case words[0] == "deallocate":
		return nil, &pipeline.NameChange{Name: words[1]}
	}
	if rows, ok := rowsOf(text); ok {
		return f.expecting(&expected{text: text, rows: rows}), nil
	}
	return nil, nil
}

func (f *follower) query(text string) pipeline.Decision {
	d := pipeline.Decision{Untouched: true}
	for part := range strings.SplitSeq(text, "; ") {
		run, change := f.statement(part, d.Renames)
		d.Runs, d.Renames = append(d.Runs, run), append(d.Renames, change)
	}
	f.repeats(&d, text)
	return d
}

// repeats says of what is followed whether it may be executed by a statement that
// was prepared before. That takes a text of ours, though it is the client's.
func (f *follower) repeats(d *pipeline.Decision, text string) {
	if !f.all {
		return
	}
	query := strings.HasPrefix(text, "select ")
	d.Alters = !query && text != "begin" && text != "commit" && text != "rollback"
	if query && !strings.Contains(text, ";") {
		d.Untouched, d.Text, d.Repeats = false, text, 1
	}
}

func (f *follower) parse(text string) pipeline.Decision {
	d := pipeline.Decision{Untouched: true, Text: text}
	if f.follows(text) || strings.HasPrefix(text, "deallocate") || strings.HasPrefix(text, "discard") {
		d.Runs = []*pipeline.Run{nil} // it is followed
	}
	f.repeats(&d, text)
	return d
}

func (f *follower) bind(d *pipeline.Decision) pipeline.Binding {
	if name, ok := strings.CutPrefix(d.Text, "execute "); ok {
		e := &expected{name: name}
		run := executing(f.expecting(e))
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.executes == nil {
			f.executes = map[*pipeline.Run]*expected{}
		}
		f.executes[run] = e
		return pipeline.Binding{Run: run}
	}
	run, change := f.statement(d.Text, nil)
	return pipeline.Binding{Run: run, Renames: change}
}

// execute finds what a portal's EXECUTE runs.
func (f *follower) execute(r *pipeline.Run) {
	f.mu.Lock()
	e := f.executes[r]
	f.mu.Unlock()
	found := *f.stands(e.name, nil)
	found.name = e.name
	f.mu.Lock()
	defer f.mu.Unlock()
	*e = found
}
