package transaction_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgproto3/v2"
	"pgregory.net/rapid"

	"github.com/pgask/pgask/proxy/transaction"
)

// encoded is a Parse.
func encoded(t testing.TB, name, text string, oids ...uint32) []byte {
	t.Helper()
	frame, err := (&pgproto3.Parse{Name: name, Query: text, ParameterOIDs: oids}).Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// parse is a Parse's body.
func parse(t testing.TB, name, text string, oids ...uint32) []byte {
	t.Helper()
	return encoded(t, name, text, oids...)[5:]
}

func intern(t testing.TB, table *transaction.Table, text string, oids ...uint32) *transaction.Statement {
	t.Helper()
	s, err := table.Intern(transaction.Rest(parse(t, "x", text, oids...)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestIntern gives the same name to the same statement only, whatever the
// client's name for it, and makes it by a Parse of that name.
func TestIntern(t *testing.T) {
	table := transaction.NewTable(10, 10_000)
	a := intern(t, table, "select $1", 23)
	b, err := table.Intern(transaction.Rest(parse(t, "another", "select $1", 23)))
	if err != nil || a != b {
		t.Errorf("%v (%v), want %v", b, err, a)
	}
	for _, other := range []*transaction.Statement{intern(t, table, "select $1"), intern(t, table, "select $1", 25), intern(t, table, "Select $1", 23)} {
		if other.Name() == a.Name() {
			t.Errorf("%s stands for two statements", a.Name())
		}
	}
	got, err := a.AppendParse(nil)
	want := encoded(t, a.Name(), "select $1", 23)
	if err != nil || string(got) != string(want) {
		t.Errorf("%q (%v), want %q", got, err, want)
	}
	if transaction.Rest([]byte("no name")) != nil {
		t.Error("a body without a name has a rest")
	}
}

// TestTableFull keeps to both bounds, forgets only what nobody uses, and what
// was unused longest first.
func TestTableFull(t *testing.T) {
	table := transaction.NewTable(2, 10_000)
	a, b := intern(t, table, "a"), intern(t, table, "b")
	full := func(text string) {
		t.Helper()
		if s, err := table.Intern(transaction.Rest(parse(t, "", text))); !errors.Is(err, transaction.ErrFull) {
			t.Errorf("%v (%v), want ErrFull", s, err)
		}
	}
	full("c")
	table.Release(b)
	table.Release(a)
	if again := intern(t, table, "b"); again != b {
		t.Error("an unused statement was forgotten without need")
	}
	table.Release(b)
	c := intern(t, table, "c") // in the place of a
	if intern(t, table, "b") != b {
		t.Error("not the one that was unused longest was forgotten")
	}
	full("a")
	table.Release(c)
	if again := intern(t, table, "a"); again.Name() == a.Name() {
		t.Error("a name was given twice")
	}
	full(strings.Repeat("x", 20_000))
	if count, bytes := table.Size(); count != 2 || bytes > 10_000 {
		t.Errorf("%d statements, %d bytes", count, bytes)
	}
}

// TestTableModel compares a table with a simple account of what it must hold.
func TestTableModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := transaction.NewTable(4, 2_000)
		uses, last := map[string][]*transaction.Statement{}, map[string]string{}
		texts := map[string]string{}
		t.Repeat(map[string]func(*rapid.T){
			"intern": func(t *rapid.T) {
				text := strings.Repeat(rapid.StringMatching("[a-f]").Draw(t, "text"), rapid.IntRange(1, 400).Draw(t, "size"))
				s, err := table.Intern([]byte(text))
				if err != nil {
					if len(uses[text]) > 0 {
						t.Fatalf("a used statement was refused: %v", err)
					}
					return
				}
				if known, ok := texts[s.Name()]; ok && known != text {
					t.Fatalf("%s stands for %q and for %q", s.Name(), known, text)
				}
				if len(uses[text]) > 0 && last[text] != s.Name() {
					t.Fatalf("%q is both %s and %s", text, s.Name(), last[text])
				}
				texts[s.Name()], last[text], uses[text] = text, s.Name(), append(uses[text], s)
			},
			"release": func(t *rapid.T) {
				for text, all := range uses {
					if len(all) > 0 {
						table.Release(all[0])
						uses[text] = all[1:]
						return
					}
				}
			},
			"": func(t *rapid.T) {
				used := 0
				for _, all := range uses {
					if len(all) > 0 {
						used++
					}
				}
				if count, bytes := table.Size(); count > 4 || bytes > 2_000 || count < used || (count == 0) != (bytes == 0) {
					t.Fatalf("%d statements, %d bytes, %d used", count, bytes, used)
				}
			},
		})
	})
}

// TestTableShared uses a table from several goroutines.
func TestTableShared(t *testing.T) {
	table := transaction.NewTable(8, 10_000)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 500 {
				s, err := table.Intern(fmt.Append(nil, i%6))
				if err != nil {
					t.Error(err)
					return
				}
				table.Release(s)
			}
		})
	}
	all.Wait()
	if count, _ := table.Size(); count != 6 {
		t.Errorf("%d statements, want 6", count)
	}
}

// TestHeld evicts what wasn't used for longest.
func TestHeld(t *testing.T) {
	h := transaction.Held{Max: 2}
	if h.Has("a") || h.Evict() != "" {
		t.Error("the zero value holds something")
	}
	h.Drop("a")
	for _, step := range []struct{ add, evict string }{{"a", ""}, {"b", ""}, {"a", ""}, {"c", "b"}, {"d", "a"}} {
		if got := h.Add(step.add); got != step.evict {
			t.Errorf("add %s: evicts %q, want %q", step.add, got, step.evict)
		}
	}
	if !h.Has("c") {
		t.Error("c is gone")
	}
	h.Keep("b") // its Close was skipped
	h.Keep("a")
	if h.Len() != 4 || h.Evict() != "d" || h.Evict() != "c" || h.Evict() != "" {
		t.Error("what was kept beyond the bound isn't evicted in order")
	}
	h.Drop("b")
	if h.Has("b") || !h.Has("a") {
		t.Error("Drop took the wrong one")
	}
	h.Clear()
	if h.Len() != 0 || h.Has("a") || h.Add("a") != "" {
		t.Error("Clear left something")
	}
	var usual transaction.Held
	for i := range transaction.HeldDefault + 1 {
		if evict := usual.Add(fmt.Sprint(i)); (evict == "0") != (i == transaction.HeldDefault) {
			t.Errorf("add %d: evicts %q", i, evict)
		}
	}
}
