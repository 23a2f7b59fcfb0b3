package stmt

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	pg_query "github.com/pganalyze/pg_query_go/v5"
)

func seeds() []string {
	return []string{"", ";", "SELECT 1", "SELECT 1; ASK 'x'; SELECT 2 --", "/* ask: x */ SELECT 1", "ASK CHART $$x$$ WITH (format = text)",
		"PREPARE p (int) AS SELECT $1", "PREPARE p AS ASK E'\\x41'", "SELECT :a::int, a[1:n], ARRAY[:b]", "SELECT max(a) OVER \"w\" FROM t WINDOW \"w\" AS ()",
		"SELECT a FROM t FOR UPDATE OF t SKIP LOCKED", "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END", "SELECT U&'\\0061' UESCAPE '!'",
		"SELECT * FROM ask('x') AS a (b) JOIN LATERAL f(a) WITH ORDINALITY x ON true", "COPY (SELECT 1) TO STDOUT WITH (FORMAT csv)", "COPY (SELECT 1) TO STDOUT WITH (FORMAT, csv)", "COPY (SELECT 1) TO STDOUT (NULL 5, QUOTE (a), FORCE_QUOTE *)",
		"EXPLAIN (FORMAT json) SELECT 1",
		"DECLARE c SCROLL CURSOR FOR VALUES (1)", "FETCH 2 FROM c", "SET a.b = 'c'", "BEGIN READ ONLY", "WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY x SET y SELECT 1",
		"SELECT a BETWEEN SYMMETRIC 1 AND 2 IS NOT DISTINCT FROM NOT true", "SELECT (ARRAY[1])[1], (a).b.c, (a.*).b", "SELECT GROUPING(a) FROM t GROUP BY CUBE (a, (b, c))"}
}

// FuzzParse wants every text to be understood or refused with a code, and what
// is printed to parse to the tree that was printed or not at all. (Printing is
// known to be wrong in places; the caller compares.)
func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		MayAsk([]byte(text))
		Claims(text)
		statements, err := Parse(text, Limits{})
		var e *Error
		if err != nil {
			if !errors.As(err, &e) || e.Code == "" || e.Message == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		for _, s := range statements {
			if (s.Tree == nil) == (s.Ask == nil) {
				t.Fatalf("%q is neither a tree nor an ASK, or both", s.Text)
			}
			if s.Tree == nil {
				continue
			}
			if !Equal(s.Tree, Clone(s.Tree)) {
				t.Fatalf("%q isn't equal to its copy", s.Text)
			}
			_, _ = Asks(s.Tree)
			if printed, err := Print(s.Tree); err == nil {
				_, _ = ParseOne(printed, Limits{})
			}
			sameTokens(t, s.Text, Pretty(s.Text))
		}
	})
}

// FuzzSplit wants the statements of two texts, one after the other, to be the
// statements of each; and, where no ASK is among them, as many as the grammar
// counts.
func FuzzSplit(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, "SELECT 1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := Parse(a, Limits{})
		y, errY := Parse(b, Limits{})
		if errX != nil || errY != nil {
			return
		}
		both, err := Parse(a+"\n;"+b, Limits{})
		if err != nil {
			var e *Error
			if errors.As(err, &e) && e.Code == codeLimit {
				return
			}
			t.Fatalf("%q and %q parse, together: %v", a, b, err)
		}
		var want, got []string
		for _, s := range append(x, y...) {
			want = append(want, s.Text)
		}
		asks := false
		for _, s := range both {
			got = append(got, s.Text)
			asks = asks || s.Ask != nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if whole, err := pg_query.Parse(a + "\n;" + b); !asks && (err != nil || len(whole.Stmts) != len(both)) {
			t.Fatalf("the grammar counts otherwise: %v", err)
		}
	})
}

// FuzzParseNamed wants as many names as there are places.
func FuzzParseNamed(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, names, err := ParseNamed(text, Limits{})
		if err != nil {
			return
		}
		seen := map[int32]bool{}
		_, err = Rewrite(Clone(n), func(x *pg_query.Node) (*pg_query.Node, error) {
			if p := x.GetParamRef(); p != nil {
				seen[p.GetNumber()] = true
				if p.GetNumber() < 1 || int(p.GetNumber()) > len(names) {
					t.Fatalf("%q: place %d of %d", text, p.GetNumber(), len(names))
				}
			}
			return x, nil
		})
		if err != nil || len(seen) != len(names) {
			t.Fatalf("%q: %d places, %v, %v", text, len(seen), names, err)
		}
	})
}
