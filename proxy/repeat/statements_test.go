package repeat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pgask/pgask/proxy/wire"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// backend is what one would have after the frames.
type backend struct{ has map[string]string }

func (b *backend) take(t interface{ Fatalf(string, ...any) }, frames []byte) {
	for len(frames) > 0 {
		size := 1 + int(frames[1])<<24 + int(frames[2])<<16 + int(frames[3])<<8 + int(frames[4])
		kind, body := frames[0], frames[5:size]
		frames = frames[size:]
		switch kind {
		case wire.Close:
			_, name, err := wire.Target(body)
			if err != nil {
				t.Fatalf("%v", err)
			}
			delete(b.has, string(name))
		case wire.Parse:
			p, err := wire.ParseParse(body)
			if err != nil {
				t.Fatalf("%v", err)
			}
			if _, taken := b.has[string(p.Name)]; taken {
				t.Fatalf("%s was there already", p.Name)
			}
			b.has[string(p.Name)] = string(p.Text) + "|" + string(p.Types)
		default:
			t.Fatalf("a frame of type %q", kind)
		}
	}
}

func TestCome(t *testing.T) {
	s, b := New(Options{Most: 2, After: 2}), &backend{map[string]string{}}
	key := func(text string) Key { return Key{Judged: 1, Text: text, Types: "\x00\x00\x00\x17"} }
	execute := func(text string, at time.Time) string {
		t.Helper()
		st := s.Come(key(text), at)
		if st == nil {
			return ""
		}
		frames, err := s.AppendGive(nil, st)
		if err != nil {
			t.Fatal(err)
		}
		b.take(t, frames)
		if b.has[st.Name()] != text+"|\x00\x00\x00\x17" {
			t.Fatalf("%s is %q", text, b.has[st.Name()])
		}
		return st.Name()
	}
	if execute("a", noon) != "" {
		t.Error("prepared at the first time")
	}
	first := execute("a", noon)
	if first == "" || execute("a", noon.Add(lifetime)) != first {
		t.Error("not the same statement within its life")
	}
	second := execute("a", noon.Add(lifetime+1))
	if second == first || len(b.has) != 1 {
		t.Errorf("after it: %s, then %s, of %v", first, second, b.has)
	}
	execute("b", noon)
	execute("b", noon)
	execute("c", noon) // the third: a was used longest ago
	if third := execute("c", noon); len(b.has) != 2 || b.has[second] != "" || b.has[third] == "" {
		t.Errorf("%v", b.has)
	}
	s.Alter()
	if execute("c", noon) != "" {
		t.Error("prepared before a setting changed")
	}
	execute("c", noon)
	if len(b.has) != 1 {
		t.Errorf("still there: %v", b.has)
	}
	s.Lose(s.Come(key("c"), noon))
	if execute("c", noon) != "" || execute("c", noon) == "" {
		t.Error("what was lost comes as often again")
	}
	for range 2 {
		if s.Come(key(strings.Repeat("x", maxText+1)), noon) != nil {
			t.Error("too long")
		}
	}
}

// TestBytes: few long texts take the room of many.
func TestBytes(t *testing.T) {
	s, b := New(Options{Most: 100, After: 1}), &backend{map[string]string{}}
	for i := range 20 {
		frames, err := s.AppendGive(nil, s.Come(Key{Text: strings.Repeat(fmt.Sprint(i%10), maxText-i)}, noon))
		if err != nil {
			t.Fatal(err)
		}
		b.take(t, frames)
	}
	if len(b.has) != maxTexts/maxText {
		t.Errorf("%d statements", len(b.has))
	}
}

// TestBackendIsFollowed: whatever happens, the backend has the statement that is
// executed, with its text, and no more than are allowed.
func TestBackendIsFollowed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Most: rapid.IntRange(1, 4).Draw(t, "most"), After: rapid.IntRange(1, 3).Draw(t, "after")}
		s, b, now := New(o), &backend{map[string]string{}}, noon
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "seconds")) * time.Second)
			if rapid.IntRange(0, 9).Draw(t, "alters") == 0 {
				s.Alter()
			}
			k := Key{Judged: uint64(rapid.IntRange(1, 2).Draw(t, "judged")), Text: fmt.Sprint(rapid.IntRange(1, 4).Draw(t, "text"))}
			st := s.Come(k, now)
			if st == nil {
				continue
			}
			frames, err := s.AppendGive(nil, st)
			if err != nil {
				t.Fatal(err)
			}
			b.take(t, frames)
			if b.has[st.Name()] != k.Text+"|" || len(b.has) > o.Most {
				t.Fatalf("%v after %s of %s", b.has, st.Name(), k.Text)
			}
			switch rapid.IntRange(0, 5).Draw(t, "fails") {
			case 0: // it may be there
				s.Lose(st)
			case 1:
				s.Lose(st)
				delete(b.has, st.Name())
			}
		}
		names := []string{}
		for name := range b.has {
			names = append(names, name)
		}
		if i := slices.IndexFunc(names, func(n string) bool { return !strings.HasPrefix(n, s.prefix) }); i >= 0 {
			t.Fatal(names)
		}
	})
}
