package integration

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
)

// readmeShop is a database as README.md's files are for.
const readmeShop = `
CREATE TABLE shops (id int PRIMARY KEY, name text);
CREATE TABLE sales (id int PRIMARY KEY, shop_id int REFERENCES shops, book_id int, sold_at timestamptz, pieces int, price numeric, buyer_email text);
CREATE TABLE stock (shop_id int REFERENCES shops, month date, pieces int, PRIMARY KEY (shop_id, month));
CREATE TABLE wages (id int, pay numeric);
INSERT INTO shops VALUES (1, 'North'), (2, 'South');
INSERT INTO sales SELECT i, i % 2 + 1, i, '2026-01-01', i, 1, 'a@example.com' FROM generate_series(1, 5000) i;
CREATE ROLE shop_reader LOGIN PASSWORD 'secret';
GRANT SELECT ON sales, shops, stock TO shop_reader;
ANALYZE`

// TestReadmeFiles: the files with which README.md has people begin are in order, with the semantic.yaml of
// docs/metrics.md too, and explain prints what README.md says it does.
func TestReadmeFiles(t *testing.T) {
	text := content(t, readme)
	dir := t.TempDir()
	blocks := regexp.MustCompile("(?s)```yaml\n# (\\w+\\.yaml)[^\n]*\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) != 4 {
		t.Fatalf("%d files", len(blocks))
	}
	dsn := regexp.MustCompile(`"postgres://[^"]*"`)
	shop := readmeDatabase(t)
	for _, b := range blocks {
		file := strings.ReplaceAll(dsn.ReplaceAllLiteralString(b[2], shop), "SCRAM-SHA-256$4096:…", verifier(t))
		if err := os.WriteFile(filepath.Join(dir, b[1]), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pgask := func(args ...string) string {
		out, err := exec.Command(program(), append(args[:1:1], append([]string{"--config", filepath.Join(dir, "pgask.yaml")}, args[1:]...)...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", args[0], err, out)
		}
		return string(out)
	}
	if out := pgask("check", "--offline"); !strings.Contains(out, "0 faults, 0 warnings") {
		t.Error(out)
	}
	pgask("check")
	explained := regexp.MustCompile(`(?s)--user sara '(SELECT [^']*)'[^\n]*\n(shop: .*?;)\n`).FindStringSubmatch(text)
	if out := pgask("explain", "--user", "sara", explained[1]); strings.TrimSpace(out) != explained[2] {
		t.Errorf("explain prints\n%s", out)
	}
	var meant string
	for _, b := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(content(t, "../docs/metrics.md"), -1) {
		meant += b[1]
	}
	edit(t, filepath.Join(dir, "semantic.yaml"), func(string) string { return meant })
	if out := pgask("check"); strings.Contains(out, "semantic.yaml") {
		t.Error(out)
	}
}

// readmeDatabase is the dsn of a database as readmeShop makes it, in quotes.
func readmeDatabase(t *testing.T) string {
	t.Helper()
	server := postgres.ForTest(t)
	name := server.CreateDatabase(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := pgx.Connect(ctx, server.DSN(name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(ctx, readmeShop); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec(context.Background(), "DROP OWNED BY shop_reader; DROP ROLE shop_reader"); err != nil {
			t.Error(err)
		}
		_ = db.Close(context.Background())
	})
	return `"` + server.UserDSN(name, "shop_reader", "secret") + `"`
}

// content is the text of a file.
func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
