package redact

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLists wants every list to be in order: messages that match themselves
// once their slots are filled, slots and SQLSTATEs that are known.
func TestLists(t *testing.T) {
	filling := map[string]string{"name": "t.a", "type": "timestamp(3) with time zone[]", "types": "integer, text", "op": "=", "kw": "UNION",
		"n": "3", "regex": "parentheses () not balanced", "value": "x"}
	own := &Own{Client: "SELECT a FROM t"}
	at := place{position: 1, constant: true, value: "x"}
	for _, line := range lines(messagesText) {
		code, message, ok := strings.Cut(line, "\t")
		message, short, _ := strings.Cut(message, "\t")
		if !ok || known().conditions[code] == "" {
			t.Errorf("%s: no SQLSTATE", line)
		}
		full := slotExpr.ReplaceAllStringFunc(message, func(s string) string {
			if filling[s[1:len(s)-1]] == "" {
				t.Errorf("%s: unknown slot %s", line, s)
			}
			return filling[s[1:len(s)-1]]
		})
		if got, ok := own.message(code, full, at); !ok || got != full && got != strings.ReplaceAll(short, "{type}", filling["type"]) {
			t.Errorf("%s becomes %q", full, got)
		}
		if left := slotExpr.FindAllString(strings.ReplaceAll(short, "{type}", ""), -1); left != nil {
			t.Errorf("%s: %s in what is said instead", line, left)
		}
	}
	if len(known().conditions) < 200 || len(known().hints) < 10 {
		t.Error("lists are missing")
	}
}

func TestError(t *testing.T) {
	own := func(client, sent string) *Own {
		return &Own{Client: client, Sent: sent, Known: func(n string) bool { return n == "region" }}
	}
	plain := own("SELECT a FROM t WHERE a = 'abc'", "SELECT a FROM (SELECT a FROM s.t WHERE k = 'abc') t WHERE a = 'abc'")
	typed, rule := utf8.RuneCountInString(plain.Sent)-4, strings.Index(plain.Sent, "'abc'")+1
	for _, c := range []struct {
		name string
		own  *Own
		in   Report
		want Report
	}{
		{"the client's constant", plain, Report{Code: "22P02", Message: `invalid input syntax for type integer: "abc"`, Position: typed},
			Report{Code: "22P02", Message: `invalid input syntax for type integer: "abc"`, Position: 27}},
		{"the same word, of a row rule", plain, Report{Code: "22P02", Message: `invalid input syntax for type integer: "abc"`, Position: rule},
			Report{Code: "22P02", Message: `invalid input syntax for type integer`}},
		{"the same word, of a row", plain, Report{Code: "22P02", Message: `invalid input syntax for type integer: "abc"`},
			Report{Code: "22P02", Message: `invalid input syntax for type integer`}},
		{"another's word", plain, Report{Code: "22P02", Message: `invalid input syntax for type integer: "xyz"`, Position: typed},
			Report{Code: "22P02", Message: `invalid input syntax for type integer`, Position: 27}},
		{"a type of a hidden table", plain, Report{Code: "22P02", Message: `invalid input value for enum secret.kind: "abc"`, Position: typed},
			Report{Code: "22P02", Message: `invalid text representation`, Position: 27}},
		{"names", plain, Report{Code: "42702", Message: `column reference "a" is ambiguous`}, Report{Code: "42702", Message: `column reference "a" is ambiguous`}},
		{"a name that may be read", plain, Report{Code: "42803", Message: `column "t.region" must appear in the GROUP BY clause or be used in an aggregate function`},
			Report{Code: "42803", Message: `column "t.region" must appear in the GROUP BY clause or be used in an aggregate function`}},
		{"a hidden name", plain, Report{Code: "42703", Message: `column "tax_id" does not exist`, Hint: `Perhaps you meant to reference the column "t.tax_id".`},
			Report{Code: "42703", Message: `undefined column`}},
		{"a hint", plain, Report{Code: "42883", Message: "function a(integer, text[]) does not exist", Hint: "No function matches the given name and argument types. You might need to add explicit type casts."},
			Report{Code: "42883", Message: "function a(integer, text[]) does not exist", Hint: "No function matches the given name and argument types. You might need to add explicit type casts."}},
		{"a hint of another kind", plain, Report{Code: "22012", Message: "division by zero", Hint: "See row 7."}, Report{Code: "22012", Message: "division by zero"}},
		{"a table that the login may not read", plain, Report{Code: "42501", Message: "permission denied for table payroll"}, Report{Code: "42501", Message: "insufficient privilege"}},
		{"a constraint", nil, Report{Code: "23505", Message: `duplicate key value violates unique constraint "secret_key"`}, Report{Code: "23505", Message: "unique violation"}},
		{"another language", plain, Report{Code: "22012", Message: "Division durch Null"}, Report{Code: "22012", Message: "division by zero"}},
		{"an unheard-of state", plain, Report{Code: "22ZZZ", Message: "secret"}, Report{Code: "22ZZZ", Message: "data exception"}},
		{"no class", plain, Report{Code: "ZZZZZ", Message: "secret"}, Report{Code: "ZZZZZ", Message: "error"}},
		{"no state", nil, Report{Message: "secret"}, Report{Message: "error"}},
		{"something behind it", plain, Report{Code: "22012", Message: "division by zero\nsecret"}, Report{Code: "22012", Message: "division by zero"}},
		{"two lines for a name", plain, Report{Code: "42702", Message: "column reference \"a\nsecret\" is ambiguous"}, Report{Code: "42702", Message: "ambiguous column"}},
	} {
		if got := c.own.Error(c.in); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestRenamed(t *testing.T) {
	own := &Own{Client: `FETCH "Foo"`, Sent: "FETCH gen_1", Renamed: func(n string) string {
		if n == "Foo" {
			return "gen_1"
		}
		return n
	}}
	if got := own.Error(Report{Code: "34000", Message: `cursor "gen_1" does not exist`}); got.Message != `cursor "Foo" does not exist` {
		t.Error(got)
	}
}

func TestNotice(t *testing.T) {
	own := &Own{Client: "BEGIN", Sent: "BEGIN"}
	if r, ok := own.Notice(Report{Code: "25001", Message: "there is already a transaction in progress"}); !ok || r.Message == "" {
		t.Error(r, ok)
	}
	for _, r := range []Report{{Code: "00000", Message: "secret"}, {Code: "01000", Message: "secret"}, {Code: "25001", Message: "secret"},
		{Code: "42622", Message: `identifier "secret" will be truncated to "secre"x`}} {
		if got, ok := own.Notice(r); ok && strings.Contains(got.Message, "secret") {
			t.Error(r, got)
		}
	}
}

// FuzzError wants no word in what is shown that is neither the client's nor in
// the lists.
func FuzzError(f *testing.F) {
	vocabulary := map[string]bool{}
	word := regexp.MustCompile(`[\pL\pN_]+`)
	for _, text := range []string{messagesText, hintsText, conditionsText, typesText, keywordsText, regexesText, "error"} {
		for _, w := range word.FindAllString(text, -1) {
			vocabulary[w] = true
		}
	}
	for _, line := range lines(messagesText) {
		code, message, _ := strings.Cut(line, "\t")
		message, _, _ = strings.Cut(message, "\t")
		for _, fill := range []string{"hidden", "a", "integer", "hidden(3)", "a.hidden", `"hidden"`, "integer[], hidden", "text) hidden ("} {
			f.Add(code, slotExpr.ReplaceAllString(message, strings.ReplaceAll(fill, "$", "$$")), "hidden", 15)
		}
	}
	f.Fuzz(func(t *testing.T, code, message, hint string, position int) {
		const client = "SELECT a FROM b WHERE c = 'd'"
		own := &Own{Client: client, Sent: "SELECT a FROM (SELECT a, hidden FROM s.b) b WHERE c = 'd'"}
		got := own.Error(Report{Code: code, Message: message, Hint: hint, Position: position})
		for _, w := range word.FindAllString(got.Message+" "+got.Hint, -1) {
			if !vocabulary[w] && !strings.Contains(client, w) && strings.Trim(w, "0123456789") != "" {
				t.Errorf("%q is neither the client's nor ours: %+v", w, got)
			}
		}
		if got.Position < 0 || got.Position > len(client) {
			t.Errorf("outside the text: %+v", got)
		}
	})
}
