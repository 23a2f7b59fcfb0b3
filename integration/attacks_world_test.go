package integration

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
)

// attackWorld is the database of a suite behind a pgask of its own.
type attackWorld struct {
	suite    attackSuite
	server   *postgres.Server
	database string
	proxy    *proxy
	mark     string               // a word that is nowhere else; every text sent through pgask is marked with it
	refused  map[string]bool      // marks of texts that were refused
	sessions map[string]*pgx.Conn // shared by attacks of one text
}

func (s attackSuite) world(t *testing.T) *attackWorld {
	t.Helper()
	w := &attackWorld{suite: s, server: postgres.ForTest(t), mark: "m" + strings.ToLower(rand.Text()), refused: map[string]bool{},
		sessions: map[string]*pgx.Conn{}}
	w.database = w.server.CreateDatabase(t)
	admin := connect(t, w.server.DSN(w.database))
	for _, file := range []string{"schema.sql", "rls.sql"} {
		load(t, admin, filepath.Join(s.dir, file))
	}
	w.proxy = w.serve(t)
	return w
}

// load runs a file, without psql's own commands.
func load(t *testing.T, conn *pgx.Conn, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, `\`) {
			b.WriteString(line)
		}
	}
	if _, err := conn.PgConn().Exec(t.Context(), b.String()).ReadAll(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// serve runs pgask; the governed user is analyst.
func (w *attackWorld) serve(t *testing.T) *proxy {
	t.Helper()
	policy, err := os.ReadFile(w.suite.policy)
	if err != nil {
		t.Fatal(err)
	}
	dsn := quoted(w.server.UserDSN(w.database, w.suite.backend, "not checked"))
	return serveFiles(t, "databases:\n  attacked: {dsn: "+dsn+", pool: {mode: session, size: 20}}\naudit: {path: audit.jsonl}\n", map[string]string{
		"policy.yaml": string(policy),
		"users.yaml":  fmt.Sprintf("users:\n  - {name: analyst, password: %q, role: analyst, attributes: %s}\n", verifier(t), w.suite.attributes),
	})
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string can always be encoded
	return string(b)
}

// verifier hashes the password "analyst" with the program itself.
func verifier(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(program(), "users", "hash")
	cmd.Stdin = strings.NewReader("analyst\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pgask users hash: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// governed is a session of the governed user through pgask.
func (w *attackWorld) governed(t *testing.T) *pgx.Conn {
	t.Helper()
	u := url.URL{Scheme: "postgres", User: url.UserPassword("analyst", "analyst"), Host: w.proxy.addr, Path: "/attacked", RawQuery: "sslmode=disable"}
	return open(t, u.String())
}

// direct is a session of the oracle.
func (w *attackWorld) direct(t *testing.T) *pgx.Conn {
	t.Helper()
	return open(t, w.server.UserDSN(w.database, w.suite.oracle, "not checked"))
}

// session is a session for one attack. An attack of several texts has one of
// its own; the others share one, for as long as it is idle.
func (w *attackWorld) session(t *testing.T, a attack, name string, open func(*testing.T) *pgx.Conn) (conn *pgx.Conn, done func()) {
	t.Helper()
	if len(a.texts()) > 1 {
		conn = open(t)
		return conn, func() { _ = conn.Close(context.Background()) }
	}
	conn = w.sessions[name]
	if conn == nil || conn.IsClosed() || conn.PgConn().TxStatus() != 'I' {
		conn = open(t)
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		w.sessions[name] = conn
	}
	return conn, func() {}
}

// open connects; the caller closes.
func open(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// silence looks into Postgres's log for the marks of refused texts.
func (w *attackWorld) silence(t *testing.T) {
	t.Helper()
	admin := connect(t, w.server.DSN(w.database))
	if _, err := admin.PgConn().Exec(context.Background(), "SELECT 'seen "+w.mark+"_last'").ReadAll(); err != nil {
		t.Fatal(err)
	}
	log, err := w.server.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log, "seen "+w.mark+"_last") || !strings.Contains(log, "denied_") {
		t.Error("the log doesn't have what arrived")
	}
	for line := range strings.Lines(log) {
		i := strings.Index(line, "/* "+w.mark)
		if i < 0 {
			continue
		}
		mark, _, _ := strings.Cut(line[i+3:], " ")
		if w.refused[mark] {
			t.Errorf("refused, and arrived all the same: %s", line)
		}
	}
}
