package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// options are those of a log in a new folder; what it logs is nobody's.
func options(t testing.TB) Options {
	return Options{Path: filepath.Join(t.TempDir(), "audit.jsonl"), Full: true, Logger: slog.New(slog.DiscardHandler), Now: time.Now}
}

var (
	someone   = Session{Instance: 3, User: "ana", Roles: []string{"analyst"}, Client: "10.0.0.1:5000", Database: "acme", Application: "psql"}
	something = Statement{Text: "SELECT 'é<\n\x00'", Scopes: []string{"public.orders: tenant_id = :tenant_id"},
		Tables: []string{"public.orders"}, PolicyVersion: "p1"}
)

// say sends n lines that are numbered by their request ids.
func say(l *Log, from, n int) {
	s, of := someone.Part(), something.Part()
	for i := range n {
		l.Statement(s, of, Outcome{Began: time.Unix(1_800_000_000, 5000).UTC(), Took: 1500 * time.Microsecond, RequestID: fmt.Sprint(from + i), Verdict: "allowed", Rows: 7})
	}
}

func closeLog(t testing.TB, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// lines reads a log back.
func lines(t testing.TB, path string) []Line {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []Line
	for line := range bytes.Lines(text) {
		var l Line
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&l); err != nil && !strings.Contains(err.Error(), "unknown field") {
			t.Fatalf("%v in %s", err, line)
		}
		out = append(out, l)
	}
	return out
}

// kinds are the events of lines, or the request ids of those that are none.
func kinds(all []Line) string {
	var out []string
	for _, l := range all {
		if l.Event != "" {
			out = append(out, l.Event)
			continue
		}
		out = append(out, l.RequestID)
	}
	return strings.Join(out, " ")
}

func TestLine(t *testing.T) {
	o := options(t)
	l := Open(o)
	rows := int64(12)
	of := something
	l.Statement(someone.Part(), of.Part(), Outcome{Began: time.Unix(1_800_000_000, 5000).UTC(), Took: 1500 * time.Microsecond, RequestID: "f00",
		Kind: "select", EstimatedRows: &rows, Verdict: "allowed", SQLState: "57014", Rows: 7, Truncated: true, Suspended: true, Unfinished: true})
	l.Statement(someone.Part(), of.Part(), Outcome{Verdict: "4\"501\n", SQLState: "\x00\xff"})
	closeLog(t, l)
	all := lines(t, o.Path)
	of.Masked = []string{}
	want := Line{Time: time.Unix(1_800_000_000, 5000).UTC(), RequestID: "f00", Session: someone, Kind: "select", Statement: of, Estimated: &rows, Verdict: "allowed", SQLState: "57014",
		Rows: 7, Truncated: true, Suspended: true, Unfinished: true, MS: 1.5}
	if diff := cmp.Diff(want, all[0]); diff != "" {
		t.Error(diff)
	}
	if all[1].Verdict != "4?501?" || all[1].SQLState != "??" {
		t.Errorf("verdict %q, sqlstate %q", all[1].Verdict, all[1].SQLState)
	}
	if info, err := os.Stat(o.Path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}
	if got := kinds(all[2:]); got != "closed" {
		t.Errorf("then %s", got)
	}
}

func TestSanitized(t *testing.T) {
	for in, want := range map[string]string{"psql": "psql", "a\"\x00é": `a"???`, strings.Repeat("x", 70): strings.Repeat("x", 63)} {
		if got := Sanitized(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// TestNothing is the log of who wants none.
func TestNothing(t *testing.T) {
	var l *Log
	say(l, 0, 1)
	l.Reopen()
	if l.Admit(t.Context()) != nil || l.Close() != nil || l.Full() {
		t.Error("it does something")
	}
}

// TestFullDisk keeps lines while the disk is full, refuses what is required to
// be written, and goes on without a line missing.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t)
		o.Required, o.Chain = true, true
		disk := &disk{}
		o.write, o.sync = disk.write, (*os.File).Sync
		l := Open(o)
		say(l, 0, 3)
		synctest.Wait()
		disk.fill(10) // a part of a line still fits
		if err := l.Admit(t.Context()); err != nil {
			t.Errorf("before anything failed: %v", err)
		}
		say(l, 3, 2)
		synctest.Wait()
		err := l.Admit(t.Context())
		if u, ok := errors.AsType[*Unwritable](err); !ok || u.SQLState() != "53100" || !strings.Contains(err.Error(), u.Incident) {
			t.Errorf("while the disk is full: %v", err)
		}
		if s := l.Stats(); s.Writable || s.Refused != 1 || s.Lost != 0 || s.Waiting == 0 {
			t.Errorf("meanwhile %+v", s)
		}
		time.Sleep(5 * retry)
		disk.fill(-1)
		time.Sleep(2 * retry)
		if err := l.Admit(t.Context()); err != nil {
			t.Errorf("when there is room again: %v", err)
		}
		closeLog(t, l)
		all := lines(t, o.Path)
		if got := kinds(all); got != "0 1 2 3 4 gap closed" {
			t.Errorf("the file has %s", got)
		}
		verified(t, 7, o.Path)
	})
}

// disk is full once it was filled.
type disk struct {
	mu   sync.Mutex
	full bool
	room int
}

// fill leaves room for so many bytes; -1 has room for all.
func (d *disk) fill(room int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.room = room >= 0, room
}

func (d *disk) write(f *os.File, b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.full || len(b) <= d.room {
		return f.Write(b)
	}
	n, err := f.Write(b[:d.room])
	d.room -= n
	if err != nil {
		return n, err
	}
	return n, &os.PathError{Op: "write", Path: "audit.jsonl", Err: syscall.ENOSPC}
}

// TestGap loses lines that nobody requires, once there is no room for more, and
// says so in the log.
func TestGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t)
		disk := &disk{}
		o.write, o.sync = disk.write, (*os.File).Sync
		disk.fill(0)
		l := Open(o)
		long := something
		long.Text = strings.Repeat("x", maxQueue/4)
		s, of := someone.Part(), long.Part()
		for range 6 {
			l.Statement(s, of, Outcome{RequestID: "long", Verdict: "allowed"})
			time.Sleep(2 * gather)
			if err := l.Admit(t.Context()); err != nil {
				t.Errorf("what isn't required refuses: %v", err)
			}
		}
		lost := l.Stats().Lost
		disk.fill(-1)
		time.Sleep(2 * retry)
		closeLog(t, l)
		all := lines(t, o.Path)
		if got := kinds(all); lost == 0 || got != strings.Repeat("long ", 6-int(lost))+"gap closed" {
			t.Errorf("lost %d, the file has %s", lost, got)
		}
	})
}

// TestLeft tells at the end of what could never be written.
func TestLeft(t *testing.T) {
	o := options(t)
	disk := &disk{}
	o.write, o.sync = disk.write, (*os.File).Sync
	l := Open(o)
	disk.fill(0)
	say(l, 0, 4)
	err := l.Close()
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "lacks 4 lines") {
		t.Errorf("it ended with %v", err)
	}
	if lost := l.Stats().Lost; lost != 4 {
		t.Errorf("lost %d", lost)
	}
}

// TestSync syncs at most so often, and refuses where that fails.
func TestSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t)
		o.Required, o.Sync = true, 10*time.Second
		var mu sync.Mutex
		var synced atomic.Int64
		failure := error(nil)
		o.write, o.sync = (*os.File).Write, func(*os.File) error {
			mu.Lock()
			defer mu.Unlock()
			synced.Add(1)
			return failure
		}
		l := Open(o)
		for i := range 8 {
			say(l, i, 1)
			time.Sleep(time.Second)
		}
		if n := synced.Load(); n != 0 {
			t.Errorf("synced %d times within 8 s", n)
		}
		time.Sleep(10 * time.Second)
		if n := synced.Load(); n != 1 {
			t.Errorf("synced %d times within 18 s", n)
		}
		mu.Lock()
		failure = syscall.EIO
		mu.Unlock()
		say(l, 8, 1)
		time.Sleep(10*time.Second + retry/2) // between two attempts: who comes in the middle of one gets a gap line of his own
		if u, ok := errors.AsType[*Unwritable](l.Admit(t.Context())); !ok || u.SQLState() != "58030" {
			t.Error("admitted though nothing reaches the disk")
		}
		mu.Lock()
		failure = nil
		mu.Unlock()
		time.Sleep(2 * retry)
		closeLog(t, l)
		if got := kinds(lines(t, o.Path)); got != "0 1 2 3 4 5 6 7 8 gap closed" {
			t.Errorf("the file has %s", got)
		}
	})
}

// TestSlow waits where lines come faster than they are written, and then refuses.
func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t)
		o.Required = true
		pass := make(chan struct{})
		o.write, o.sync = func(f *os.File, b []byte) (int, error) {
			<-pass
			return f.Write(b)
		}, (*os.File).Sync
		l := Open(o)
		long := something
		long.Text = strings.Repeat("x", admitted)
		l.Statement(someone.Part(), long.Part(), Outcome{RequestID: "long", Verdict: "allowed"})
		synctest.Wait()
		if _, ok := errors.AsType[*Unwritable](l.Admit(t.Context())); !ok {
			t.Error("admitted without room")
		}
		later := make(chan error)
		go func() { later <- l.Admit(t.Context()) }()
		synctest.Wait()
		close(pass)
		if err := <-later; err != nil {
			t.Errorf("with room again: %v", err)
		}
		closeLog(t, l)
	})
}

// TestConcurrent has many sessions write, and files put aside meanwhile.
func TestConcurrent(t *testing.T) {
	o := options(t)
	o.Chain, o.Rotate.Size = true, 20_000
	l := Open(o)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 200 {
				say(l, 1000*i+j, 1)
				if j%50 == 0 {
					l.Reopen()
				}
				_ = l.Stats()
			}
		})
	}
	all.Wait()
	closeLog(t, l)
	seen := map[string]int{}
	files := append(aside(o.Path), o.Path)
	total := 0
	for _, f := range files {
		for _, line := range lines(t, f) {
			total++
			if line.Event == "" {
				seen[line.RequestID]++
			}
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s is there %d times", id, n)
		}
	}
	if len(seen) != 1600 {
		t.Errorf("%d of 1600 lines", len(seen))
	}
	if s := l.Stats(); int(s.Lines) != total || s.Lost != 0 {
		t.Errorf("%d lines in the files, stats %+v", total, s)
	}
	verified(t, total, files...)
}

// verified checks the chain of files.
func verified(t testing.TB, lines int, files ...string) {
	t.Helper()
	var c Check
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.File(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = f.Close()
	}
	if c.Lines != lines || c.Continues() || c.Unfinished {
		t.Errorf("verified %+v, want %d lines", c, lines)
	}
}

// BenchmarkStatement is what a statement costs, the writer's part included:
// a required log lets sessions wait for that.
func BenchmarkStatement(b *testing.B) {
	for _, chain := range []bool{false, true} {
		b.Run(fmt.Sprintf("chain=%v", chain), func(b *testing.B) {
			o := options(b)
			o.Chain, o.Required, o.Sync = chain, true, time.Second
			l := Open(o)
			s, of := someone.Part(), something.Part()
			began := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				if err := l.Admit(b.Context()); err != nil {
					b.Fatal(err)
				}
				l.Statement(s, of, Outcome{Began: began, Took: time.Millisecond, RequestID: "0123456789abcdef", Kind: "select", Verdict: "allowed", Rows: 7})
			}
			b.StopTimer()
			if lost := l.Stats().Lost; lost > 0 {
				b.Errorf("%d lines are lost", lost)
			}
			closeLog(b, l)
		})
	}
}

// BenchmarkPart is what judging a statement costs more, once for all executions.
func BenchmarkPart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = something.Part()
	}
}
