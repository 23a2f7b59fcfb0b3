package stmt

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// texts parses and keeps the statements' texts, or the error's.
func texts(t *testing.T, text string) []string {
	t.Helper()
	statements, err := Parse(text, Limits{})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Code == "" {
			t.Fatalf("%q: %v is no *Error", text, err)
		}
		return []string{e.Code + ": " + e.Message}
	}
	out := []string{}
	for _, s := range statements {
		out = append(out, s.Text)
	}
	return out
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{}},
		{" \n\t", []string{}},
		{";;", []string{}},
		{"-- nothing", []string{}},
		{"/* nothing /* nested */ */ ;", []string{}},
		{"SELECT 1", []string{"SELECT 1"}},
		{"\f\r\n SELECT 1 ; ", []string{"SELECT 1"}},
		{"SELECT 1;SELECT 2;", []string{"SELECT 1", "SELECT 2"}},
		{"SELECT ';' ; SELECT 2", []string{"SELECT ';'", "SELECT 2"}},
		{`SELECT E'\';' ; SELECT 2`, []string{`SELECT E'\';'`, "SELECT 2"}},
		{`SELECT '\' ; SELECT 2`, []string{`SELECT '\'`, "SELECT 2"}},
		{"SELECT $a$;$b$;$a$; SELECT 2", []string{"SELECT $a$;$b$;$a$", "SELECT 2"}},
		{"SELECT $$;$$", []string{"SELECT $$;$$"}},
		{`SELECT 1 AS "a;b"; SELECT 2`, []string{`SELECT 1 AS "a;b"`, "SELECT 2"}},
		{"SELECT 1 /* ; /* ; */ ; */ ; SELECT 2", []string{"SELECT 1 /* ; /* ; */ ; */", "SELECT 2"}},
		{"SELECT 1 -- ;\n; SELECT 2", []string{"SELECT 1 -- ;", "SELECT 2"}},
		{`SELECT U&'\0061;' AS U&"d;\0061t"; SELECT 2`, []string{`SELECT U&'\0061;' AS U&"d;\0061t"`, "SELECT 2"}},
		{"SELECT 'a'\n';b'; SELECT 2", []string{"SELECT 'a'\n';b'", "SELECT 2"}},
		{"SELECT größe FROM ñ; SELECT 2", []string{"SELECT größe FROM ñ", "SELECT 2"}},
		{"CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2); SELECT 3",
			[]string{"CREATE RULE r AS ON INSERT TO t DO (SELECT 1; SELECT 2)", "SELECT 3"}},
		{"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; SELECT 3",
			[]string{"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END", "SELECT 3"}},
		{"BEGIN; SELECT CASE WHEN true THEN 1 END; END", []string{"BEGIN", "SELECT CASE WHEN true THEN 1 END", "END"}},
		{"SELECT 1; ASK 'a;b'; SELECT 2", []string{"SELECT 1", "ASK 'a;b'", "SELECT 2"}},
		{"SELECT ask FROM ask", []string{"SELECT ask FROM ask"}},
		// What isn't understood is refused whole.
		{"SELECT 1; SELEC 2", []string{`42601: syntax error at or near "SELEC"`}},
		{"SELECT (1; SELECT 2)", []string{`42601: syntax error at or near ";"`}},
		{"SELECT 'x", []string{`42601: unterminated quoted string at or near "'x"`}},
		{"SELECT 1 /* x", []string{`42601: unterminated /* comment at or near "/* x"`}},
		{"SELECT $a$ x", []string{`42601: unterminated dollar-quoted string at or near "$a$ x"`}},
		{"SELECT", []string{"SELECT"}},
		{"SELECT FROM WHERE", []string{`42601: syntax error at or near "WHERE"`}},
		{"SELECT a FROM", []string{"42601: syntax error at end of input"}},
		{"SELECT a FROM; SELECT 1", []string{`42601: syntax error at or near ";"`}},
		{"CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2", []string{"42601: syntax error at end of input"}},
		{"SELECT 1 \\; SELECT 2", []string{`42601: syntax error at or near "\"`}},
	} {
		if diff := cmp.Diff(c.want, texts(t, c.text)); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

// TestPosition wants positions in characters of the whole text.
func TestPosition(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"SELEC 1", 1},
		{"SELECT 'ä'; SELECT 1; SELEC 2", 23},
		{"ASK 'ä'; SELECT a FROM ;", 24},
		{"SELECT 'ä'; ASK $1", 17},
		{"ASK", 4},
		{"/* ä */ SELECT 'x", 16},
	} {
		_, err := Parse(c.text, Limits{})
		var e *Error
		if !errors.As(err, &e) || e.Position != c.want {
			t.Errorf("%q: position %+v, want %d", c.text, e, c.want)
		}
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		text string
		want []Tag
		code string
	}{
		{"/* ask: how many orders */ SELECT 1", []Tag{{Question: "how many orders"}}, ""},
		{"-- ask: how many orders\nSELECT 1", []Tag{{Question: "how many orders"}}, ""},
		{"/*Ask:\n how many\n orders\n*/SELECT 1", []Tag{{Question: "how many\n orders"}}, ""},
		{"/* app=x */ -- note: y\n /* ask: x: y */ SELECT 1", []Tag{{Question: "x: y"}}, ""},
		{"SELECT /* ask: x */ 1", []Tag{{}}, ""},
		{"SELECT '/* ask: x */'", []Tag{{}}, ""},
		{"SELECT 1; /* ask: x */ SELECT 2", []Tag{{}, {Question: "x"}}, ""},
		{"/* ask: x */ ; SELECT 2", []Tag{{}}, ""},
		{"/* ask: x */", nil, ""},
		{"/* tasks: x */ SELECT 1", []Tag{{}}, ""},
		{"/* pgask: governed */ SELECT 1", []Tag{{Governed: true}}, ""},
		{"SELECT 1; /* pgask: GOVERNED */ SELECT 2", []Tag{{Governed: true}, {Governed: true}}, ""},
		{"/* pgask: governed */; DELETE FROM t", []Tag{{Governed: true}}, ""},
		{"/* pgask: governed */ /* ask: x */ SELECT 1", []Tag{{Question: "x", Governed: true}}, ""},
		{"/* pgask: gouverned */ SELECT 1", nil, "42601"},
		{"/* ask: */ SELECT 1", nil, "42601"},
		{"/* ask: x */ /* ask: y */ SELECT 1", nil, "42601"},
		{"/* ask: x */ ASK 'y'", nil, "42601"},
		{"/* ask: x */ SELEC", nil, "42601"},
	} {
		statements, err := Parse(c.text, Limits{})
		var e *Error
		if errors.As(err, &e) != (c.code != "") || e != nil && e.Code != c.code {
			t.Errorf("%q: %v, want %q", c.text, err, c.code)
		}
		var got []Tag
		for _, s := range statements {
			got = append(got, s.Tag)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestMayAsk(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "as": false, "SELECT 1": false, "SELECT a, s, k": false, "SELECT as\tk": false,
		"ASK 'x'": true, "select * from AsK('x')": true, "SHOW pgask.last": true, "/*ASK:x*/ SELECT 1": true, "SELECT task": true,
		"set CLIENT_min_messages = error": true, "DISCARD ALL": true, "reset all": true, "client_min_message": false,
	} {
		if got := MayAsk([]byte(text)); got != want {
			t.Errorf("MayAsk(%q) = %v", text, got)
		}
	}
	text := []byte("SELECT id, name FROM public.orders WHERE status = 'completed'")
	if n := testing.AllocsPerRun(100, func() { MayAsk(text) }); n != 0 {
		t.Errorf("MayAsk allocates %v times", n)
	}
}
