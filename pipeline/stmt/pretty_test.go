package stmt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPretty lays out the statements of testdata/pretty; each file is laid out
// below the line of dashes.
func TestPretty(t *testing.T) {
	files, err := filepath.Glob("testdata/pretty/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const line = "\n-- laid out --\n"
		in, want, _ := strings.Cut(string(text), line)
		got := Pretty(in) + "\n"
		if *update {
			if err := os.WriteFile(file, []byte(in+line+got), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// fragment is any piece of text that lexes by itself, in an order that makes no
// sense.
func fragment() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"SELECT", "FROM", "a", `"b c"`, "1", "1.5", "'x'", "'a\n b'", "E'\\''", "$$ x $$", "U&'a'", `U&"d"`, "(", ")",
		"[", "]", ",", ";", "::", ":", "=", "<>", "- ", "-1", "+", "*", "/ ", "-- c\n", "/* c */", "LEFT", "JOIN", "ON", "WHERE", "GROUP BY", "ORDER", "UNION ALL",
		"WITH", "AS", ".", "..", "b'1'", "N'x'", "$1", "CASE", "END", "é", "DISTINCT FROM", "'a'\n'b'", "U&'x' UESCAPE '!'"})
}

// TestPrettyKeepsTokens wants the same tokens, whatever the text.
func TestPrettyKeepsTokens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(fragment(), 0, 30).Draw(t, "fragments"), rapid.SampledFrom([]string{" ", "\n", "  "}).Draw(t, "space"))
		sameTokens(t, text, Pretty(text))
	})
}

func sameTokens(t interface{ Fatalf(string, ...any) }, before, after string) {
	a, err := lex(before)
	if err != nil {
		if after != before {
			t.Fatalf("%q can't be lexed but became %q", before, after)
		}
		return
	}
	b, err := lex(after)
	if err != nil || len(a) != len(b) {
		t.Fatalf("%q became %q: %v", before, after, err)
	}
	for i := range a {
		if a[i].kind != b[i].kind || a[i].text(before) != b[i].text(after) {
			t.Fatalf("%q became %q: token %d is %q", before, after, i, b[i].text(after))
		}
	}
}
