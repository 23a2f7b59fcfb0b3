package stmt

import (
	"strings"
	"testing"
)

// ^ in front of a word of either text marks the place.
func TestCounterpart(t *testing.T) {
	for _, c := range []struct{ text, rewritten, value string }{
		{"SELECT id FROM t WHERE id = ^'x'", "SELECT id FROM (SELECT id, b FROM s.t WHERE k = 'x') t WHERE id = ^'x' LIMIT 11", "x"},
		{"SELECT ^lower(id) FROM t", "SELECT ^lower(id) FROM (SELECT id FROM s.t) t", ""},
		{"SELECT 'ä', 1 ^+ a.b FROM t a", "SELECT 'ä', 1 ^+ a.b FROM (SELECT b FROM s.t WHERE b = 1 + 1) a", ""},
		{"SELECT 1;\n SELECT ^'x'::int", "SELECT 1; SELECT ^'x'::int LIMIT 5", "x"},
		{"SELECT a FROM t WHERE b = (SELECT ^x FROM u)", "SELECT a FROM (SELECT a, b FROM t) t WHERE b = (SELECT ^x FROM (SELECT x FROM s.u) u)", ""},
		{"SELECT ^a FROM t", `SELECT c1 AS "a" FROM (SELECT q.*, row_number() OVER () AS n FROM (SELECT ^a FROM (SELECT a FROM s.t) t LIMIT 3) q(c1)) s WHERE n > 2`, ""},
		{"COPY (SELECT ^a FROM t) TO STDOUT", "COPY (SELECT ^a FROM (SELECT a FROM s.t) t) TO STDOUT", ""},
		{"SELECT DISTINCT a FROM t ORDER BY ^b", "SELECT DISTINCT a FROM (SELECT a, b FROM s.t) t ORDER BY ^b", ""},
	} {
		text, at := marked(c.text)
		rewritten, there := marked(c.rewritten)
		p, ok := Counterpart(text, rewritten, there)
		if !ok || p.At != at || p.Value != c.value || p.Constant != (c.value != "") {
			t.Errorf("%s: %+v %v, want %d", c.text, p, ok, at)
		}
	}
	// What only the rewritten text has is nowhere in the other.
	for _, c := range []struct{ text, rewritten string }{
		{"SELECT id FROM t WHERE id = 'x'", "SELECT id FROM (SELECT id FROM s.t WHERE k = ^'x') t WHERE id = 'x'"},
		{"SELECT id FROM t", "SELECT id FROM (SELECT ^id FROM s.t) t"},
		{"SELECT id FROM t", "SELECT id FROM t LIMIT ^11"},
		{"SELECT id FROM t", "SELECT ^idd FROM t"},
		{"SELECT 'x'", "SELECT ^'y'"},
		{"SELECT id FROM t GROUP BY id", "SELECT id FROM t GROUP BY id, t.^name"},
		{"SELECT 1", "SELECT 1; SELECT ^2"},
		{"SELECT (", "SELECT ^2"},
		{"ASK 'x'", "SELECT ^2"},
	} {
		rewritten, there := marked(c.rewritten)
		if p, ok := Counterpart(c.text, rewritten, there); ok {
			t.Errorf("%s in %s: %+v", c.rewritten, c.text, p)
		}
	}
}

func marked(text string) (string, int) {
	return strings.Replace(text, "^", "", 1), strings.Index(text, "^")
}

func FuzzCounterpart(f *testing.F) {
	f.Add("SELECT id FROM t WHERE id = 'x'", "SELECT id FROM (SELECT id FROM t) t WHERE id = 'x'", 20)
	f.Fuzz(func(t *testing.T, text, rewritten string, at int) {
		if p, ok := Counterpart(text, rewritten, at); ok && (p.At < 0 || p.At >= len(text)) {
			t.Errorf("outside: %+v", p)
		}
	})
}

func TestWords(t *testing.T) {
	words := Words(`SELECT Tenant, "My Col", "a""b", größe, 'secret', $$other$$ -- note
		FROM public.t /* hidden */ WHERE status = 7`)
	for _, w := range []string{"tenant", "My Col", `a"b`, "größe", "public", "t", "status", "select"} {
		if !words[w] {
			t.Errorf("%s is a word", w)
		}
	}
	for _, w := range []string{"Tenant", "secret", "other", "note", "hidden", "7", ""} {
		if words[w] {
			t.Errorf("%s is none", w)
		}
	}
	if len(Words("'")) != 0 || len(Words("a\x00")) != 0 {
		t.Error("words of what can't be cut")
	}
}
