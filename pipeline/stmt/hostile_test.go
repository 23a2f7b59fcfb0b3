package stmt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const childVariable = "PGASK_STMT_HOSTILE_CHILD"

// TestMain runs the hostile texts when it is the child of TestHostileTexts:
// what it looks for, the end of the process, can't be seen from inside.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		hostileChild()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// shapes build texts that are n levels deep, or n tokens long, in every way
// that the grammar has.
func shapes() map[string]func(n int) string {
	r := strings.Repeat
	return map[string]func(int) string{
		"plus":      func(n int) string { return "SELECT 1" + r("+1", n) },
		"minus":     func(n int) string { return "SELECT " + r("- ", n) + "a" },
		"operator":  func(n int) string { return "SELECT " + r("@ ", n) + "a" },
		"qualified": func(n int) string { return "SELECT " + r("OPERATOR(pg_catalog.-) ", n) + "a" },
		"not":       func(n int) string { return "SELECT " + r("NOT ", n) + "a" },
		"cast":      func(n int) string { return "SELECT a" + r("::int", n) },
		"union":     func(n int) string { return "SELECT 1" + r(" UNION SELECT 1", n) },
		"values":    func(n int) string { return "VALUES (1)" + r(" UNION ALL VALUES (1)", n) },
		"except":    func(n int) string { return r("(SELECT 1 EXCEPT ", n) + "SELECT 1" + r(")", n) },
		"join":      func(n int) string { return "SELECT 1 FROM a" + r(" JOIN b ON true", n) },
		"cross":     func(n int) string { return "SELECT 1 FROM a" + r(" CROSS JOIN b", n) },
		"joinright": func(n int) string { return "SELECT 1 FROM a" + r(" JOIN b", n) + r(" ON true", n) },
		"paren":     func(n int) string { return "SELECT " + r("(", n) + "1" + r(")", n) },
		"open":      func(n int) string { return "SELECT " + r("(", n) },
		"row":       func(n int) string { return "SELECT " + r("(1,", n) + "1" + r(")", n) },
		"sub":       func(n int) string { return "SELECT " + r("(SELECT ", n) + "1" + r(")", n) },
		"from":      func(n int) string { return "SELECT 1 FROM " + r("(SELECT 1 FROM ", n) + "t" + r(") s", n) },
		"table":     func(n int) string { return "SELECT 1 FROM " + r("(", n) + "a CROSS JOIN b" + r(" CROSS JOIN c)", n) },
		"lateral":   func(n int) string { return "SELECT 1 FROM a" + r(" JOIN (SELECT 1 FROM a", n) + r(") s ON true", n) },
		"cte":       func(n int) string { return r("WITH a AS (", n) + "SELECT 1" + r(") SELECT 1", n) },
		"case":      func(n int) string { return "SELECT " + r("CASE WHEN a THEN ", n) + "1" + r(" END", n) },
		"caseelse":  func(n int) string { return "SELECT " + r("CASE a WHEN b THEN 1 ELSE ", n) + "1" + r(" END", n) },
		"func":      func(n int) string { return "SELECT " + r("f(", n) + "1" + r(")", n) },
		"coalesce":  func(n int) string { return "SELECT " + r("coalesce(a,", n) + "1" + r(")", n) },
		"window":    func(n int) string { return "SELECT " + r("sum(a) OVER (ORDER BY ", n) + "1" + r(")", n) },
		"aggorder":  func(n int) string { return "SELECT " + r("f(a ORDER BY ", n) + "1" + r(")", n) },
		"within":    func(n int) string { return "SELECT " + r("f(1) WITHIN GROUP (ORDER BY ", n) + "1" + r(")", n) },
		"named":     func(n int) string { return "SELECT " + r("f(a => ", n) + "1" + r(")", n) },
		"xml":       func(n int) string { return "SELECT " + r("xmlforest(", n) + "1" + r(" AS a)", n) },
		"json":      func(n int) string { return "SELECT " + r("json_object('a': ", n) + "1" + r(")", n) },
		"jsonarray": func(n int) string { return "SELECT " + r("json_array(", n) + "1" + r(")", n) },
		"grouping":  func(n int) string { return "SELECT 1 GROUP BY " + r("GROUPING SETS (", n) + "a" + r(")", n) },
		"filter":    func(n int) string { return "SELECT " + r("sum(a) FILTER (WHERE ", n) + "true" + r(")", n) },
		"collate":   func(n int) string { return "SELECT a" + r(` COLLATE "C"`, n) },
		"mix":       func(n int) string { return "SELECT " + r("(a AND ", n) + "b" + r(" OR c)", n) },
		"between":   func(n int) string { return "SELECT " + r("a BETWEEN b AND NOT ", n) + "c" },
		"distinct":  func(n int) string { return "SELECT " + r("a IS DISTINCT FROM NOT ", n) + "c" },
		"exists":    func(n int) string { return "SELECT " + r("EXISTS (SELECT 1 WHERE ", n) + "true" + r(")", n) },
		"insub":     func(n int) string { return "SELECT " + r("a IN (SELECT a WHERE ", n) + "true" + r(")", n) },
		"any":       func(n int) string { return "SELECT " + r("a = ANY (ARRAY[", n) + "true" + r("])", n) },
		"subscript": func(n int) string { return "SELECT " + r("a[", n) + "1" + r("]", n) },
		"array":     func(n int) string { return "SELECT ARRAY" + r("[", n) + "1" + r("]", n) },
		"at":        func(n int) string { return "SELECT a" + r(" AT TIME ZONE b", n) },
		"isnull":    func(n int) string { return "SELECT a" + r(" ISNULL", n) },
		"like":      func(n int) string { return "SELECT " + r("a LIKE NOT ", n) + "a" },
		"explain":   func(n int) string { return r("EXPLAIN ", n) + "SELECT 1" },
		"prepare":   func(n int) string { return r("PREPARE a AS ", n) + "SELECT 1" },
		"semicolon": func(n int) string { return r("SELECT 1;", n) },
		"empty":     func(n int) string { return r(";", n) },
		"dots":      func(n int) string { return "SELECT a" + r(".b", n) },
		"in":        func(n int) string { return "SELECT a IN (1" + r(",1", n) + ")" },
		"comment":   func(n int) string { return r("/*", n) + r("*/", n) + "SELECT 1" },
		"spaced":    func(n int) string { return r("/* */ ", n) + "SELECT 1" },
		"nested":    func(n int) string { return r("/*", n) },
		"signs":     func(n int) string { return "SELECT a" + r("+-", n) + "a" },
		"ops":       func(n int) string { return "SELECT a" + r("+-@", n) + "a" },
		"dollars":   func(n int) string { return "SELECT " + r("$a", n) },
		"quotes":    func(n int) string { return "SELECT " + r("'a'\n", n) },
		"comments":  func(n int) string { return r("/**/", n) + "SELECT 1" },
		"schema":    func(n int) string { return r("CREATE SCHEMA a ", n) + "SELECT 1" },
		"partition": func(n int) string { return "SELECT 1 FROM " + r("ROWS FROM (f(", n) + "1" + r("))", n) },
		"and":       func(n int) string { return "SELECT a" + r(" AND a", n) },
		"andright":  func(n int) string { return "SELECT " + r("a AND (", n) + "a" + r(")", n) },
	}
}

// hostileChild parses and prints everything, in the depths that a first attack
// would take and in those just under the limits.
func hostileChild() {
	for name, shape := range shapes() {
		for _, n := range []int{120, 160, 240, 498, 24300} {
			hostile(fmt.Sprintf("%s %d", name, n), shape(n))
		}
	}
	hostile("parentheses", shapes()["paren"](100_000))
	hostile("700 KiB of unions", shapes()["union"](48_000))
	hostile("10 MB list", "SELECT a IN (1"+strings.Repeat(",1", 5<<20)+")")
	hostile("list under the limit", "SELECT a IN (1"+strings.Repeat(",1", 99_000)+")")
	fmt.Println("survived")
}

func hostile(name, text string) {
	if os.Getenv(childVariable) == "names" {
		fmt.Println(name)
	}
	statements, err := Parse(text, Limits{})
	var refused *Error
	switch {
	case errors.As(err, &refused):
		return
	case err != nil:
		fmt.Printf("%s: unexpected error %v\n", name, err)
		return
	}
	for _, s := range statements {
		if _, err := Print(s.Tree); err != nil {
			fmt.Printf("%s: parsed, not printed: %v\n", name, err)
		}
		_, _ = Asks(s.Tree)
	}
	_ = Pretty(text)
}

// TestHostileTexts runs the texts in processes of their own, with the stack that
// threads usually have and with an eighth of it.
func TestHostileTexts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, stack := range []string{"8192", "1024"} {
		t.Run(stack, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -S -s `+stack+` && exec "$0"`, self)
			cmd.Env = append(os.Environ(), childVariable+"=1")
			out, err := cmd.CombinedOutput()
			if err != nil || strings.TrimSpace(string(out)) != "survived" {
				t.Fatalf("%v: %.3000s", err, out)
			}
		})
	}
}

// TestLimitsAreNamed wants each limit's own message, with its number.
func TestLimitsAreNamed(t *testing.T) {
	s := shapes()
	for _, c := range []struct{ text, code, message string }{
		{"SELECT '" + strings.Repeat("x", 1<<20) + "'", "54000", "bytes, the limit is 1048576"},
		{s["comments"](24_300), "54000", "too many operator characters in a row"},
		{s["in"](200_000), "54000", "tokens, the limit is 200000"},
		{s["plus"](23_000), "54000", "tokens outside lists of literals, the limit is 8000"},
		{s["paren"](300), "54000", "brackets within brackets, the limit is 250"},
		{s["plus"](600), "54000", "operators, joins and set operations above one another, the limit is 500"},
		{s["sub"](130), "54000", "above one another, the limit is 500"},
		{"SELECT '\x00'", "22021", `invalid byte sequence for encoding "UTF8": 0x00`},
		{"SELECT '\xff'", "22021", `invalid byte sequence for encoding "UTF8": 0xff`},
	} {
		_, err := Parse(c.text, Limits{})
		var e *Error
		if !errors.As(err, &e) || e.SQLState() != c.code || !strings.Contains(e.Error(), c.message) {
			t.Errorf("%.30s…: %v, want %s %s", c.text, err, c.code, c.message)
		}
	}
}

// TestShortHoldsAll: what ParsePrinted doesn't scan is within the limits that
// count tokens, brackets and levels.
func TestShortHoldsAll(t *testing.T) {
	check := func(t rapid.TB, text string) {
		t.Helper()
		tokens, err := lex(text)
		if err != nil {
			return
		}
		if d := measure(tokens); max(len(tokens), countTokens(tokens), d.brackets, d.height) > len(text) {
			t.Errorf("%.60q: %d tokens, %d brackets and %d levels in %d bytes", text, len(tokens), d.brackets, d.height, len(text))
		}
	}
	for _, shape := range shapes() {
		for _, n := range []int{0, 1, 2, 50, 500} {
			check(t, shape(n))
		}
	}
	words := []string{"(", ")", "[", "]", "SELECT", "TABLE ", "VALUES", "CASE ", "END", "WHEN ", "BETWEEN ", "AND ", "ORDER ", "OVER(", "UNION ",
		"JOIN ", "NOT ", "JSON_ARRAY(", "-", "+", "*", "@", "::", "=", "IN(", "a", "1", ",", ";", ".", " ", "'a'", "$1", "/**/", "FROM ", "DISTINCT "}
	rapid.Check(t, func(t *rapid.T) {
		check(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 60).Draw(t, "words"), ""))
	})
}

// TestParsePrinted: it is ParseOne, scanned or not.
func TestParsePrinted(t *testing.T) {
	for name, shape := range shapes() {
		for _, n := range []int{1, 20, 100} {
			text := shape(n)
			want, err := ParseOne(text, Limits{})
			if err != nil {
				continue
			}
			for _, l := range []Limits{{}, {Tokens: 1 << 20, Depth: 1 << 20, Chain: 1 << 20}} {
				got, err := ParsePrinted(text, l)
				if err != nil || !Equal(got, want) {
					t.Errorf("%s %d: %v", name, n, err)
				}
			}
		}
	}
	for _, text := range []string{"", "SELECT 1; SELECT 2", "SELECT '\xff'", "SELECT '\x00'", "ASK 'how many'"} {
		if got, err := ParsePrinted(text, Limits{}); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestLongIsNotDeep wants texts that are long but flat to pass.
func TestLongIsNotDeep(t *testing.T) {
	s := shapes()
	for name, text := range map[string]string{
		"list":     s["in"](20_000),
		"and":      s["and"](2000),
		"rows":     "VALUES (1,'a')" + strings.Repeat(",(-2,'b')", 2000),
		"columns":  "SELECT a" + strings.Repeat(", a + b", 1500),
		"criteria": "SELECT 1 FROM t WHERE a = 1" + strings.Repeat(" OR a = 1 AND b = 2", 800),
		"union":    s["union"](400),
		"branches": "SELECT CASE" + strings.Repeat(" WHEN a = 1 THEN 2", 600) + " END",
	} {
		statements, err := Parse(text, Limits{})
		if err != nil || len(statements) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := Print(statements[0].Tree); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
