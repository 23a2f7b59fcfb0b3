package stmt

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAskForms(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    Ask
		prepare string
	}{
		{"ASK 'how many'", Ask{Question: "how many"}, ""},
		{"  /* c */ ask\n-- c\n'how many' ", Ask{Question: "how many"}, ""},
		{"Ask 'it''s'", Ask{Question: "it's"}, ""},
		{`ASK E'a\tb\'c\u00e9'`, Ask{Question: "a\tb'cé"}, ""},
		{`ASK 'a\tb'`, Ask{Question: `a\tb`}, ""},
		{"ASK $$it's$$", Ask{Question: "it's"}, ""},
		{"ASK $q$a $$ b$q$", Ask{Question: "a $$ b"}, ""},
		{`ASK U&'\0061b'`, Ask{Question: "ab"}, ""},
		{"ASK 'a'\n  'b'", Ask{Question: "ab"}, ""},
		{"ASK SQL 'x'", Ask{Form: FormSQL, Question: "x"}, ""},
		{"ask plan 'x'", Ask{Form: FormPlan, Question: "x"}, ""},
		{"ASK Explain 'x'", Ask{Form: FormExplain, Question: "x"}, ""},
		{"ASK NARRATE 'x'", Ask{Form: FormNarrate, Question: "x"}, ""},
		{"ASK CHART 'x'", Ask{Form: FormChart, Question: "x"}, ""},
		{"ASK CHART 'x' WITH (format = text)", Ask{Form: FormChart, Question: "x", Format: "text"}, ""},
		{"ASK CHART 'x' WITH (FORMAT='TEXT')", Ask{Form: FormChart, Question: "x", Format: "text"}, ""},
		{"ASK APPROVE 'x'", Ask{Form: FormApprove, Question: "x"}, ""},
		{"ASK REVOKE 'x'", Ask{Form: FormRevoke, Question: "x"}, ""},
		{"ASK MORE 'only EMEA'", Ask{Form: FormMore, Question: "only EMEA"}, ""},
		{`ASK 'x' USING PLAN '{"a": 1}'`, Ask{Question: "x", Plan: `{"a": 1}`, HasPlan: true}, ""},
		{"ASK SQL 'x' using plan ''", Ask{Form: FormSQL, Question: "x", HasPlan: true}, ""},
		{"ASK 'x' READING 2", Ask{Question: "x", Reading: 2}, ""},
		{"ASK 'x' WITH (columns = 'region text, revenue numeric')", Ask{Question: "x", Columns: "region text, revenue numeric"}, ""},
		{"ASK 'x' READING 1 WITH (columns = 'a int')", Ask{Question: "x", Reading: 1, Columns: "a int"}, ""},
		{"PREPARE p AS ASK 'x'", Ask{Question: "x"}, "p"},
		{`prepare "P q" as ask sql 'x'`, Ask{Form: FormSQL, Question: "x"}, "P q"},
		{"PREPARE Loud AS ASK 'x'", Ask{Question: "x"}, "loud"},
	} {
		statements, err := Parse(c.text+" ;", Limits{})
		if err != nil || len(statements) != 1 || statements[0].Ask == nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		s := statements[0]
		if diff := cmp.Diff(c.want, *s.Ask); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
		if (s.Prepare != nil) != (c.prepare != "") || s.Prepare != nil && s.Prepare.Name != c.prepare {
			t.Errorf("%s: prepare %+v, want %q", c.text, s.Prepare, c.prepare)
		}
		if s.Tree != nil {
			t.Errorf("%s: has a tree", c.text)
		}
	}
}

// TestMalformedAsk wants 42601 with a HINT, and wants a HINT that is an ASK to be
// one that can be typed.
func TestMalformedAsk(t *testing.T) {
	for text, hint := range map[string]string{
		"ASK":                                  "ASK 'your question'",
		"ASK what's up":                        "ASK 'your question'",
		"ASK $1":                               "ASK 'your question'",
		"ASK SQL $1":                           "ASK SQL 'your question'",
		"ASK how many orders":                  "ASK 'how many orders'",
		`ASK "how many"`:                       "ASK 'how many'",
		"ASK PLAN how many":                    "ASK PLAN 'how many'",
		"ASK ''":                               "ASK 'your question'",
		"ASK ' \n'":                            "ASK 'your question'",
		"ASK 'x' 'y'":                          "ASK 'x'",
		"ASK 'x' USING '{}'":                   "ASK 'x' USING PLAN '{…}'",
		"ASK 'x' USING PLAN {}":                "ASK 'x' USING PLAN '{…}'",
		"ASK 'x' USING PLAN '{}' READING 1":    "ASK 'x'",
		"ASK 'x' READING 0":                    "ASK 'x' READING 1",
		"ASK 'x' READING two":                  "ASK 'x' READING 1",
		"ASK 'x' READING 99999999999999999999": "ASK 'x' READING 1",
		"ASK 'x' WITH columns":                 "ASK 'x' WITH (columns = 'name text, total numeric')",
		"ASK 'x' WITH (columns = 'a int'":      "ASK 'x' WITH (columns = 'name text, total numeric')",
		"ASK 'x' WITH (rows = 1)":              "ASK 'x' WITH (columns = 'name text, total numeric')",
		"ASK 'x' WITH (columns = '')":          "ASK 'x' WITH (columns = 'name text, total numeric')",
		"ASK 'x' WITH (format = text)":         "ASK 'x' WITH (columns = 'name text, total numeric')",
		"ASK CHART 'x' WITH (format = png)":    "ASK CHART 'x' WITH (format = text)",
		"PREPARE p (int) AS ASK 'x'":           "PREPARE name AS ASK 'your question'",
		"PREPARE p AS ASK $1":                  "ASK 'your question'",
		"EXPLAIN ASK 'x'":                      "SELECT * FROM ask('your question')",
		"DECLARE c CURSOR FOR ASK 'x'":         "SELECT * FROM ask('your question')",
		"COPY (ASK 'x') TO STDOUT":             "SELECT * FROM ask('your question')",
	} {
		_, err := Parse(text, Limits{})
		var e *Error
		if !errors.As(err, &e) || e.Code != "42601" || e.Hint() != hint {
			t.Errorf("%s: %+v, want 42601 with %q", text, e, hint)
		}
	}
}

func TestAsks(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT * FROM ask('a')": {"a"},
		"SELECT * FROM ASK('a') AS x (y), t JOIN ask($$b$$) z ON true":          {"a", "b"},
		"SELECT * FROM t, LATERAL ask('a') x":                                   {"a"},
		"WITH c AS (SELECT * FROM ask('a')) SELECT (SELECT 1 FROM ask('b') q)":  {"b", "a"},
		"SELECT 1 UNION SELECT 2 FROM ask('a')":                                 {"a"},
		"DECLARE c CURSOR FOR SELECT * FROM ask('a')":                           {"a"},
		"COPY (SELECT * FROM ask('a')) TO STDOUT":                               {"a"},
		"EXPLAIN SELECT * FROM ask('a')":                                        {"a"},
		"PREPARE p AS SELECT * FROM ask('a')":                                   {"a"},
		"SELECT public.ask('x'), ask, ask.ask FROM ask, public.ask('y') AS two": nil,
		`SELECT * FROM "ask"('a')`:                                              {"a"},
		`SELECT "ASK"('a')`:                                                     nil,
	} {
		n, err := ParseOne(text, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		calls, err := Asks(n)
		var got []string
		for _, c := range calls {
			got = append(got, c.Question)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}

func TestAsksReading(t *testing.T) {
	n, err := ParseOne("SELECT * FROM ask('a', reading => 2), ask('b')", Limits{})
	if err != nil {
		t.Fatal(err)
	}
	calls, err := Asks(n)
	if err != nil || len(calls) != 2 || calls[0].Reading != 2 || calls[1].Reading != 0 {
		t.Errorf("%+v, %v", calls, err)
	}
}

func TestAsksRefused(t *testing.T) {
	for _, text := range []string{
		"SELECT ask('a')", "SELECT 1 WHERE ask('a') = 1", "SELECT * FROM ask($1)", "SELECT * FROM t, ask(t.q)", "SELECT * FROM ask()",
		"SELECT * FROM ask('a', 'b')", "SELECT * FROM ask('a') WITH ORDINALITY", "SELECT * FROM ask('a') AS (b int)",
		"SELECT * FROM ROWS FROM (ask('a'))", "SELECT * FROM ROWS FROM (f(), ask('a'))", "SELECT * FROM ask(DISTINCT 'a')", "SELECT * FROM ask(q => 'a')",
		"SELECT * FROM ask(VARIADIC 'a')", "SELECT * FROM ask(1)", "SELECT * FROM ask(NULL)", "SELECT * FROM ask('a' || 'b')",
		"SELECT * FROM ask('')", "SELECT * FROM f(ask('a'))", "CALL ask('a')", "SELECT * FROM ask('a'::text)",
		"SELECT * FROM ask('a', 1)", "SELECT * FROM ask('a', reading => 0)", "SELECT * FROM ask('a', reading => -1)", "SELECT * FROM ask('a', reading => $1)",
		"SELECT * FROM ask('a', reading => '1')", "SELECT * FROM ask('a', n => 1)", "SELECT * FROM ask('a', reading => 1, reading => 2)",
	} {
		n, err := ParseOne(text, Limits{})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		_, err = Asks(n)
		var e *Error
		if !errors.As(err, &e) || e.Code != "42601" || e.Hint() == "" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestReplaceAsk(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT * FROM ask('a')": "SELECT * FROM (SELECT 7 AS n) ask",
		"SELECT x.y FROM ask('a') AS x (y) JOIN LATERAL ask('b') z ON true": "SELECT x.y FROM (SELECT 7 AS n) x(y) JOIN LATERAL (SELECT 7 AS n) z ON true",
		"WITH c AS (SELECT * FROM ask('a')) SELECT * FROM c":                "WITH c AS (SELECT * FROM (SELECT 7 AS n) ask) SELECT * FROM c",
	} {
		n, err := ParseOne(text, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		calls, err := Asks(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			answer, err := ParseOne("SELECT 7 AS n", Limits{})
			if err != nil || !ReplaceAsk(n, c, answer) {
				t.Fatalf("%s: not replaced (%v)", text, err)
			}
			if ReplaceAsk(n, c, answer) {
				t.Errorf("%s: replaced twice", text)
			}
		}
		if got, err := Print(n); got != want || err != nil {
			t.Errorf("%s: %s (%v), want %s", text, got, err, want)
		}
	}
}
