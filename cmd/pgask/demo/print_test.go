package demo

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func row(values ...string) []*string {
	out := make([]*string, len(values))
	for i := range values {
		if values[i] != "NULL" {
			out[i] = &values[i]
		}
	}
	return out
}

// TestPrint holds the look of the tour.
func TestPrint(t *testing.T) {
	var out bytes.Buffer
	for _, p := range []printer{{w: &out}, {w: &out, color: true}} {
		p.say("What comes next.")
		p.statement("ana", "ASK 'orders per region'")
		p.notice(&pgconn.Notice{Severity: "NOTICE", Message: "answered by builtin"})
		p.result(rows{columns: []string{"region", "n"}, values: [][]*string{row("AMÉR", "1200"), row("EMEA", "7.5"), row("NULL", "-3")}})
		p.result(rows{columns: []string{"sql"}, values: [][]*string{row("SELECT 1\nFROM t", "builtin")}})
		p.result(rows{columns: strings.Fields("one two three four five six seven"), values: [][]*string{row("1", "2", "NULL", "4", "5", "6", "7")}})
		p.refusal(&pgconn.PgError{Severity: "ERROR", Code: "42501", Message: "not allowed", Detail: "a detail", Hint: "SELECT 1"})
		p.failure("3 rows, expected 2")
	}
	many := rows{columns: []string{"id"}}
	for range 20 {
		many.values = append(many.values, row("1"))
	}
	printer{w: &out}.result(many)
	const file = "testdata/print.txt"
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestDiffer(t *testing.T) {
	a := rows{values: [][]*string{row("EMEA", "1.50"), row("AMER", "2")}}
	for name, c := range map[string]struct {
		b       rows
		ordered bool
		same    bool
	}{
		"same":         {rows{values: [][]*string{row("EMEA", "1.5"), row("AMER", "2.0")}}, true, true},
		"other order":  {rows{values: [][]*string{row("AMER", "2"), row("EMEA", "1.5")}}, false, true},
		"order counts": {rows{values: [][]*string{row("AMER", "2"), row("EMEA", "1.5")}}, true, false},
		"other value":  {rows{values: [][]*string{row("EMEA", "1.51"), row("AMER", "2")}}, true, false},
		"null":         {rows{values: [][]*string{row("EMEA", "NULL"), row("AMER", "2")}}, true, false},
		"fewer":        {rows{values: [][]*string{row("EMEA", "1.5")}}, false, false},
		"more columns": {rows{values: [][]*string{row("EMEA", "1.5", "x"), row("AMER", "2")}}, false, false},
	} {
		if got := differ(c.b, a, c.ordered); (got == "") != c.same {
			t.Errorf("%s: %q", name, got)
		}
	}
}
