package policy_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgask/pgask/policy"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden judges the statements of testdata/*.txt. A file holds cases of the
// form
//
//	== analyst
//	SELECT …
//	-- approved SQL, or the refusal
//
// with empty lines between them.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) { golden(t, f) })
	}
}

func golden(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for i, c := range strings.Split(strings.TrimSpace(string(data)), "\n\n") {
		if i > 0 {
			got.WriteString("\n")
		}
		got.WriteString(oneCase(t, c, filepath.Base(file)))
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got.String() != string(data) {
		t.Errorf("%s differs; run with -update and look at the difference.\n%s", file, firstDifference(got.String(), string(data)))
	}
}

func oneCase(t *testing.T, c, file string) string {
	var role string
	var sql, out []string
	for _, line := range strings.Split(c, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			out = append(out, line)
		case strings.HasPrefix(line, "== "):
			role = line[3:]
			out = append(out, line)
		case strings.HasPrefix(line, "-- "):
		default:
			sql = append(sql, line)
			out = append(out, line)
		}
	}
	v := view(t, attributes, strings.Split(role, "+")...)
	o := policy.Options{Cap: true}
	if role == "regional" {
		o.OnTruncateError = "denied_0123456789abcdef0123456789abcdef"
	}
	if file == "gathered.txt" {
		o.Gather = &policy.ToldColumn{Name: "answer", Type: "text"}
		if role == "regional" {
			o.Gather = &policy.ToldColumn{Name: "spec", Type: "json"}
		}
	}
	a, err := authorize(v, strings.Join(sql, "\n"), o)
	return strings.Join(append(out, verdict(a, err)), "\n") + "\n"
}

func verdict(a policy.Approved, err error) string {
	if err == nil {
		return "-- " + a.SQL()
	}
	var d interface {
		SQLState() string
		Hint() string
	}
	if !errors.As(err, &d) {
		return fmt.Sprintf("-- ERROR %v", err)
	}
	text := fmt.Sprintf("-- %s %v", d.SQLState(), err)
	var denied *policy.Denied
	if errors.As(err, &denied) && denied.Detail() != "" {
		text += " | " + denied.Detail()
	}
	if d.Hint() != "" {
		text += " | " + d.Hint()
	}
	return text
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i >= len(y) || x[i] != y[i] {
			want := "(end)"
			if i < len(y) {
				want = y[i]
			}
			return fmt.Sprintf("line %d:\n got %s\nwant %s", i+1, x[i], want)
		}
	}
	return "the golden file is longer"
}
