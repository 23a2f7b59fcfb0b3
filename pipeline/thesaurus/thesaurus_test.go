package thesaurus

import (
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
)

func TestRelated(t *testing.T) {
	for _, c := range []struct {
		word string
		want Word
	}{
		{"author", Word{Text: "writer"}},
		{"airports", Word{Text: "aerodrome"}},
		{"countries", Word{Text: "nation"}},
		{"classroom", Word{Text: "room", Broader: true}},
		{"last name", Word{Text: "surname"}},
		{"children", Word{Text: "kid"}},
		{"annual", Word{Text: "yearly", Rank: 1}},
	} {
		if got := Related(c.word); !slices.Contains(got, c.want) {
			t.Errorf("%s: %v, want %v among them", c.word, got, c.want)
		}
	}
	for _, word := range []string{"", " ", "\t", "\n", "zzzz", "author\twriter", "aa", "~"} {
		if got := Related(word); got != nil {
			t.Errorf("%q: %v", word, got)
		}
	}
}

func TestSingular(t *testing.T) {
	for plural, want := range map[string]string{"children": "child", "knives": "knife", "indices": "index", "houses": "houses", "data": "data", "": ""} {
		if got := Singular(plural); got != want {
			t.Errorf("%s: %s, want %s", plural, got, want)
		}
	}
}

// TestFiles wants every line to be found, and what it says to be readable.
func TestFiles(t *testing.T) {
	for name, text := range map[string]string{"words.txt": words, "plurals.txt": plurals} {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		keys := make([]string, len(lines))
		for i, line := range lines {
			key, rest, ok := strings.Cut(line, "\t")
			if keys[i] = key; !ok || rest == "" {
				t.Fatalf("%s: line %d: %q", name, i+1, line)
			}
			if got, ok := find(text, key); !ok || got != rest {
				t.Fatalf("%s: %s isn't found", name, key)
			}
			if name != "words.txt" {
				continue
			}
			for _, w := range parse(rest) {
				if w.Text == "" || w.Rank < 0 || w.Rank > 2 || strings.ContainsAny(w.Text, "^_0123456789") {
					t.Fatalf("%s: line %d: %v", name, i+1, w)
				}
			}
		}
		if !sort.StringsAreSorted(keys) || len(slices.Compact(keys)) != len(lines) {
			t.Errorf("%s is not sorted, or has a word twice", name)
		}
	}
}

// TestSize keeps the files small, and their licence with them.
func TestSize(t *testing.T) {
	if size := len(words) + len(plurals); size > 3<<20 {
		t.Errorf("%d bytes", size)
	}
	licence, err := os.ReadFile("LICENSE.wordnet")
	if err != nil || !strings.Contains(string(licence), "WordNet 3.0 Copyright 2006 by Princeton University") {
		t.Errorf("the licence has to go with the files: %v", err)
	}
}

func FuzzRelated(f *testing.F) {
	for _, w := range []string{"author", "zip code", "", "\n", "\x00", "zzz", "s", "ies"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, word string) {
		for _, w := range Related(word) {
			if w.Text == "" {
				t.Errorf("%q is related to nothing", word)
			}
		}
		if word != "" && Singular(word) == "" {
			t.Errorf("%q has an empty singular", word)
		}
	})
}

func BenchmarkRelated(b *testing.B) {
	for b.Loop() {
		Related("departments")
		Related("unknown thing")
	}
}
