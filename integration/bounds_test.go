package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// outsized are texts that would take a parser's stack or somebody's memory. All
// must be refused.
func outsized() map[string]string {
	r := strings.Repeat
	list := func(n int, item string) string {
		return strings.Join(strings.SplitAfter(r(item+"\n", n), "\n")[:n], ",") // item, item …
	}
	numbered := func(n int, format string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, i+1)
		}
		return strings.Join(all, ", ")
	}
	return map[string]string{
		"47 KiB of 1+1":            "SELECT 1" + r("+1", 24_000),
		"100,000 parentheses":      "SELECT " + r("(", 100_000) + "1" + r(")", 100_000),
		"unclosed parentheses":     "SELECT " + r("(", 100_000),
		"700 KiB of UNION":         "SELECT 1" + r(" UNION SELECT 1", 48_000),
		"10 MB list":               "SELECT id FROM titles WHERE id IN (1" + r(",1", 5<<20) + ")",
		"invalid UTF-8":            "SELECT '\xff\xfe'",
		"cut UTF-8":                "SELECT id FROM titles -- \xc3",
		"overlong UTF-8":           "SELECT '\xc0\xa7'",
		"NUL":                      "SELECT 1\x00; SELECT * FROM wages",
		"NUL in a literal":         "SELECT 'a\x00b'",
		"deep joins":               "SELECT 1 FROM titles" + r(" JOIN titles", 10_000) + r(" ON true", 10_000),
		"joins in a row":           "SELECT 1 FROM titles" + r(" CROSS JOIN titles", 10_000),
		"joins in parentheses":     "SELECT 1 FROM " + r("(", 20_000) + "titles" + r(" CROSS JOIN titles)", 20_000),
		"deep CASE":                "SELECT " + r("CASE WHEN true THEN ", 10_000) + "1" + r(" END", 10_000),
		"deep sub-selects":         "SELECT " + r("(SELECT ", 20_000) + "1" + r(")", 20_000),
		"deep FROM":                "SELECT 1 FROM " + r("(SELECT 1 FROM ", 10_000) + "titles" + r(") x", 10_000),
		"10,000 WITH queries":      "WITH " + numbered(10_000, "c%d AS (SELECT 1)") + " SELECT 1",
		"nested WITH":              r("WITH c AS (", 10_000) + "SELECT 1" + r(") SELECT 1", 10_000),
		"deep arrays":              "SELECT ARRAY" + r("[", 50_000) + "1" + r("]", 50_000),
		"deep subscripts":          "SELECT " + r("a[", 50_000) + "1" + r("]", 50_000),
		"deep rows":                "SELECT " + r("(1, ", 50_000) + "1" + r(")", 50_000),
		"an identifier of 2 MB":    "SELECT " + r("a", 2<<20) + " FROM titles",
		"a quoted one of 900 KB":   `SELECT "` + r("a", 900_000) + `" FROM titles`,
		"200,000 names":            "SELECT " + list(200_000, "id") + " FROM titles",
		"65,535 parameters":        "SELECT id FROM titles WHERE id IN (" + numbered(65_535, "$%d") + ")",
		"parameter 65,536":         "SELECT $65536",
		"parameter of 20 digits":   "SELECT $99999999999999999999",
		"NOT":                      "SELECT " + r("NOT ", 100_000) + "true",
		"minus":                    "SELECT " + r("- ", 100_000) + "1",
		"casts":                    "SELECT 1" + r("::int", 50_000),
		"operators":                "SELECT 1 " + r("+-", 400_000) + " 1",
		"comments":                 r("/*", 400_000),
		"closed comments":          r("/**/", 200_000) + "SELECT 1",
		"statements":               r("SELECT 1;", 50_000),
		"doubling columns":         "SELECT * FROM " + r("(SELECT *, * FROM ", 40) + "titles" + r(") x", 40),
		"functions in functions":   "SELECT " + r("abs(", 30_000) + "1" + r(")", 30_000),
		"EXISTS in EXISTS":         "SELECT " + r("EXISTS (SELECT 1 WHERE ", 10_000) + "true" + r(")", 10_000),
		"grouping sets":            "SELECT 1 FROM titles GROUP BY " + r("GROUPING SETS (", 20_000) + "id" + r(")", 20_000),
		"a deep prepared one":      "PREPARE p AS SELECT 1" + r("+1", 24_000),
		"a deep cursor":            "DECLARE c CURSOR FOR SELECT " + r("(", 100_000) + "1" + r(")", 100_000),
		"a deep argument":          "EXECUTE p(" + r("(", 100_000) + "1" + r(")", 100_000) + ")",
		"a deep COPY":              "COPY (SELECT 1" + r(" UNION SELECT 1", 48_000) + ") TO STDOUT",
		"a deep EXPLAIN":           "EXPLAIN SELECT 1" + r("+1", 24_000),
		"a question of 2 MB":       "ASK '" + r("revenue ", 250_000) + "'",
		"a number of a million 9s": "SELECT " + r("9", 1_000_000) + " FROM wages",
	}
}

// TestBounds sends outsized texts by both protocols: each is refused with an
// error, the process lives, and another session is served all the while. How
// long each took is in the log of a verbose run.
func TestBounds(t *testing.T) {
	w := ownAttacks().world(t)
	stop := serveMeanwhile(t, w.governed(t))
	longest, at := time.Duration(0), ""
	for name, text := range outsized() {
		for _, protocol := range []string{"simple", "extended"} {
			conn := w.governed(t)
			began := time.Now()
			got := send(conn, text, protocol)
			took := time.Since(began)
			if took > longest {
				longest, at = took, name+", "+protocol
			}
			t.Logf("%s, %s: %s in %s", name, protocol, sqlState(got.Err), took.Round(time.Millisecond))
			if code := sqlState(got.Err); len(code) != 5 || code == "XX000" {
				t.Errorf("%s, %s: %v", name, protocol, got.Err)
			}
			_ = conn.Close(context.Background())
		}
	}
	t.Logf("the longest took %s: %s", longest.Round(time.Millisecond), at)
	if n := stop(); n == 0 {
		t.Error("nobody else was served")
	}
}

// serveMeanwhile sends statements of another session until it is stopped, which
// tells how many were answered.
func serveMeanwhile(t *testing.T, conn *pgx.Conn) (stop func() int) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		n := 0
		defer func() { done <- n }()
		for ctx.Err() == nil {
			if a := send(conn, "SELECT count(*) FROM titles", "simple"); a.Err != nil {
				t.Errorf("the other session: %v", a.Err)
				return
			}
			n++
		}
	}()
	return func() int {
		cancel()
		return <-done
	}
}
