package integration

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestSmith plays statements that sqlsmith made up over the attacks' database,
// as the governed user: whatever comes back holds no secret, pgask has no
// trouble of its own, and Postgres never hears the name of a relation that the
// user may not read. PGASK_SMITH names a file of more of them, one a line:
//
//	sqlsmith --dry-run --exclude-catalog --target=… --max-queries=…
func TestSmith(t *testing.T) {
	w := ownAttacks().world(t)
	before := w.log(t)
	file := os.Getenv("PGASK_SMITH")
	if file == "" {
		file = filepath.Join("testdata", "attacks", "smith.sql")
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	count := map[string]int{}
	var conn *pgx.Conn
	for n := 0; lines.Scan(); n++ {
		if conn == nil || conn.IsClosed() || conn.PgConn().TxStatus() != 'I' {
			conn = w.governed(t)
			defer conn.Close(context.Background())
		}
		got := send(conn, lines.Text(), []string{"simple", "extended"}[n%2])
		count[sqlState(got.Err)]++
		if code := sqlState(got.Err); code == "XX000" || got.Err != nil && len(code) != 5 {
			t.Errorf("%v\n%s", got.Err, lines.Text())
		}
		if word, row := w.suite.secretIn([]answer{got}); word != "" {
			t.Errorf("%q is in %q\n%s", word, row, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("outcomes: %v", count)
	if count["success"] == 0 {
		t.Error("nothing was answered")
	}
	heard := strings.TrimPrefix(w.log(t), before)
	for line := range strings.Lines(heard) {
		for _, name := range []string{"wages", "office", `"Members"`, "all_loans", "fees_by_branch", "far_members", "pin_of", "every_member"} {
			if strings.Contains(line, name) {
				t.Errorf("Postgres heard of %s: %s", name, line)
			}
		}
	}
}

// log is Postgres's log so far.
func (w *attackWorld) log(t *testing.T) string {
	t.Helper()
	text, err := w.server.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return text
}
