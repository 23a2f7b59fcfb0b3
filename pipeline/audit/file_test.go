package audit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestRotate puts files aside by size and by age and keeps so many of them.
func TestRotate(t *testing.T) {
	for name, c := range map[string]struct {
		r     Rotate
		pause time.Duration
		files int
	}{
		"size": {Rotate{Size: 1000}, time.Second, 6}, // two lines each
		"age":  {Rotate{Age: time.Hour}, 25 * time.Minute, 4},
		"keep": {Rotate{Size: 1000, Keep: 2}, time.Second, 3},
		"off":  {Rotate{}, time.Hour, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := options(t)
				o.Chain, o.Rotate = true, c.r
				l := Open(o)
				s, of := someone.Part(), something.Part()
				for range 10 {
					l.Statement(s, of, Outcome{Began: time.Now(), Verdict: "allowed"})
					time.Sleep(c.pause)
				}
				closeLog(t, l)
				all := append(aside(o.Path), o.Path)
				if len(all) != c.files {
					t.Errorf("%d files: %v", len(all), all)
				}
				if c.r.Keep == 0 {
					verified(t, int(l.Stats().Lines), all...)
				}
			})
		})
	}
}

// TestMovedAway writes to the file that has the path, whoever has moved or
// removed the one before.
func TestMovedAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t)
		o.Chain, o.Required = true, true
		l := Open(o)
		say(l, 0, 1)
		synctest.Wait()
		first := o.Path + ".1"
		if err := os.Rename(o.Path, first); err != nil {
			t.Fatal(err)
		}
		l.Reopen()
		synctest.Wait()
		if _, err := os.Stat(o.Path); err != nil {
			t.Errorf("after reopening: %v", err)
		}
		say(l, 1, 1)
		synctest.Wait()
		second := o.Path + ".2"
		if err := os.Rename(o.Path, second); err != nil { // and nobody says so
			t.Fatal(err)
		}
		say(l, 2, 1)
		synctest.Wait()
		closeLog(t, l)
		if got := kinds(lines(t, second)); got != "opened 1" {
			t.Errorf("the second has %s", got)
		}
		verified(t, 6, first, second, o.Path)
	})
}

// TestFolderGone refuses once the folder is away, before there is a line to
// write, and until it is back.
func TestFolderGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options(t)
		o.Required = true
		o.Path = filepath.Join(t.TempDir(), "logs", "audit.jsonl")
		folder := filepath.Dir(o.Path)
		l := Open(o)
		if u, ok := errors.AsType[*Unwritable](l.Admit(t.Context())); !ok || u.SQLState() != "58030" {
			t.Error("admitted without a folder")
		}
		for range 2 {
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * retry)
			if err := l.Admit(t.Context()); err != nil {
				t.Errorf("with a folder: %v", err)
			}
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * retry)
			if l.Admit(t.Context()) == nil {
				t.Error("admitted when the folder was gone")
			}
		}
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * retry)
		closeLog(t, l)
		if got := kinds(lines(t, o.Path)); got != "gap closed" {
			t.Errorf("the file has %s", got)
		}
	})
}

// TestForeign writes to no link, pipe or device.
func TestForeign(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"symbolic link": func(path string) error { return os.Symlink(filepath.Join(filepath.Dir(path), "target"), path) },
		"a regular":     func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Required = true
			if err := make(o.Path); err != nil {
				t.Fatal(err)
			}
			l := Open(o)
			u, ok := errors.AsType[*Unwritable](l.Admit(t.Context()))
			if !ok || !strings.Contains(u.Unwrap().Error(), name) {
				t.Errorf("it said %v", u)
			}
			_ = l.Close()
			if _, err := os.Stat(filepath.Join(filepath.Dir(o.Path), "target")); err == nil {
				t.Error("the link was followed")
			}
		})
	}
}

// TestRestart goes on with the chain where the file ends, and notes how it ended.
func TestRestart(t *testing.T) {
	for name, c := range map[string]struct {
		between func(t *testing.T, o Options)
		want    string
	}{
		"closed": {func(*testing.T, Options) {}, "0 1 closed 2 3 closed"},
		"killed": {func(t *testing.T, o Options) { cutTail(t, o.Path, "closed") }, "0 1 opened 2 3 closed"},
		"put aside, then killed": {func(t *testing.T, o Options) {
			if _, err := putAside(o.Path, time.Now()); err != nil {
				t.Fatal(err)
			}
		}, "opened 2 3 closed"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			o.Chain = true
			l := Open(o)
			say(l, 0, 2)
			closeLog(t, l)
			c.between(t, o)
			l = Open(o)
			say(l, 2, 2)
			closeLog(t, l)
			if got := kinds(lines(t, o.Path)); got != c.want {
				t.Errorf("the file has %s", got)
			}
			verifiedAll(t, o.Path)
		})
	}
}

func verifiedAll(t *testing.T, path string) {
	t.Helper()
	n := 0
	files := append(aside(path), path)
	for _, f := range files {
		n += len(lines(t, f))
	}
	verified(t, n, files...)
}

// cutTail takes off a file's last line, if it is such an event's.
func cutTail(t *testing.T, path, event string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.LastIndex(strings.TrimSuffix(string(text), "\n"), "\n") + 1
	if !strings.Contains(string(text[at:]), event) {
		t.Fatalf("the last line is %s", text[at:])
	}
	if err := os.WriteFile(path, text[:at], 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestTorn goes on behind a line that a crash has cut at any place.
func TestTorn(t *testing.T) {
	o := options(t)
	o.Chain = true
	l := Open(o)
	say(l, 0, 2)
	closeLog(t, l)
	cutTail(t, o.Path, "closed")
	whole, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	second := strings.Index(string(whole), "\n") + 1
	for _, at := range []int{1, second / 2, second - 1, second + 1, len(whole) - 70, len(whole) - 1} {
		if err := os.WriteFile(o.Path, whole[:at], 0o600); err != nil {
			t.Fatal(err)
		}
		var c Check
		if err := c.File(strings.NewReader(string(whole[:at]))); err != nil || !c.Unfinished {
			t.Errorf("cut at %d: %v, unfinished %v", at, err, c.Unfinished)
		}
		l := Open(o)
		say(l, 2, 2)
		closeLog(t, l)
		f, err := os.Open(o.Path)
		if err != nil {
			t.Fatal(err)
		}
		c = Check{}
		torn := 1
		if whole[at] == '\n' { // nothing else is missing
			torn = 0
		}
		if err := c.File(f); err != nil || c.Torn != torn || c.Unfinished {
			t.Errorf("cut at %d: %v, %+v", at, err, c)
		}
		_ = f.Close()
	}
}

// TestTwoProcesses lets two logs write to one file, each behind the other.
func TestTwoProcesses(t *testing.T) {
	o := options(t)
	o.Chain, o.Rotate.Size = true, 5000
	one, two := Open(o), Open(o)
	for i := range 40 {
		say(one, 2*i, 1)
		say(two, 2*i+1, 1)
		if i%5 == 0 {
			one.Reopen()
		}
	}
	closeLog(t, one)
	closeLog(t, two)
	files := append(aside(o.Path), o.Path)
	n, statements := 0, 0
	for _, f := range files {
		for _, line := range lines(t, f) {
			if n++; line.Event == "" {
				statements++
			}
		}
	}
	if statements != 80 {
		t.Errorf("%d of 80 lines", statements)
	}
	verified(t, n, files...)
}

// TestChainSwitched begins a new file where lines have hashes from then on, or
// don't have them any more.
func TestChainSwitched(t *testing.T) {
	o := options(t)
	for i, chain := range []bool{false, true, false} {
		o.Chain = chain
		l := Open(o)
		say(l, i, 1)
		closeLog(t, l)
	}
	if n := len(aside(o.Path)); n != 2 {
		t.Errorf("%d files were put aside", n)
	}
}
