package integration

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// recorded is one message that a tool sent to a Postgres without a proxy.
type recorded struct {
	session  string // the backend that it was sent to
	extended bool
	name     string // the prepared statement's, if it had one
	text     string
	params   []string
	fails    bool // it, or one after it that was not recorded, failed then
}

var plainName = regexp.MustCompile(`^\w+$`)

// readRecorded reads a file of recorded statements: a comment line that says
// how a statement came, the statement, and its parameters in another comment.
func readRecorded(t *testing.T, path string) []recorded {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	head := regexp.MustCompile(`^-- \[(\w+) ?(.*)\] backend=(\d+)`)
	param := regexp.MustCompile(`\$\d+ = '((?:[^']|'')*)'`)
	var out []recorded
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		m := head.FindStringSubmatch(line)
		switch {
		case m != nil:
			out = append(out, recorded{session: m[3], extended: m[1] == "extended"})
			if plainName.MatchString(m[2]) {
				out[len(out)-1].name = m[2]
			}
		case strings.HasPrefix(line, "-- parameters:"):
			for _, p := range param.FindAllStringSubmatch(line, -1) {
				out[len(out)-1].params = append(out[len(out)-1].params, strings.ReplaceAll(p[1], "''", "'"))
			}
		case strings.HasPrefix(line, "-- ERROR:"):
			out[len(out)-1].fails = true
		case strings.HasPrefix(line, "-- "):
		case len(out) > 0:
			out[len(out)-1].text += line + "\n"
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// recordedRefusals are the statements of tools that a governed user may not
// run, by kind. Everything else that was recorded works.
var recordedRefusals = []struct {
	kind, pattern, state string
}{
	{"locks", `^LOCK TABLE`, "42501"},
	{"changes settings", `^SET (synchronize_seqscans|lock_timeout|idle_in_transaction_session_timeout|statement_timeout|row_security)`, "42501"},
	{"changes settings by function", `^SELECT (pg_catalog\.)?set_config\((name|'search_path'),`, "42501"},
	{"keeps a cursor beyond its transaction", `cursor with hold`, "0A000"},
	{"listens and notifies", `^listen `, "42501"},
	{"copies a denied column", `^copy sales\.customers \(.*\bssn\b`, "42501"},
	{"reads a sequence", `^SELECT last_value, is_called`, "42501"},
	{"waits", `pg_sleep`, "42501"},
}

// TestRecorded plays what tools sent, as a governed user over a database made
// like the one they looked at. Nothing that reads is refused, and no answer
// holds the name or a value of anything hidden.
func TestRecorded(t *testing.T) {
	shared := os.Getenv("PGASK_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	files, err := filepath.Glob(filepath.Join(shared, "clients", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Glob(filepath.Join("testdata", "recorded", "clients", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("testdata", "recorded")
	suite := attackSuite{dir: dir, policy: filepath.Join(dir, "policy.yaml"), backend: "shop_login", attributes: "{}"}
	p := &recordedPlay{world: suite.world(t), used: map[string]bool{}, prepared: map[string]bool{}}
	p.secrets = regexp.MustCompile(`(?i)hushed|\bssn\b|shop_login|^postgres$|` + p.world.database)
	p.findObjects(t)
	for _, file := range append(own, files...) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) { p.play(t, readRecorded(t, file)) })
	}
	for _, r := range recordedRefusals {
		if len(files) > 0 && !p.used[r.kind] {
			t.Errorf("no tool %s", r.kind)
		}
	}
}

// recordedPlay plays recorded sessions.
type recordedPlay struct {
	world   *attackWorld
	direct  *pgx.Conn // a superuser's, without pgask
	secrets *regexp.Regexp
	objects *strings.Replacer
	used    map[string]bool // kinds of refusals
	// prepared are the statements of the sessions that are being played.
	prepared map[string]bool
}

// findObjects maps the OIDs that the recorded statements name to those of here.
func (p *recordedPlay) findObjects(t *testing.T) {
	t.Helper()
	p.direct = connect(t, p.world.server.DSN(p.world.database))
	var pairs []string
	for old, name := range map[string]string{"16729": "'sales.customers'::regclass", "16739": "'sales.orders'::regclass", "16755": "'sales.v_rev'::regclass",
		"16759": "'sales.m_rev'::regclass", "16741": "'sales.orders'::regtype", "16728": "'sales.customers_id_seq'::regclass", "16738": "'sales.orders_id_seq'::regclass"} {
		var oid uint32
		if err := p.direct.QueryRow(t.Context(), "SELECT "+name+"::oid").Scan(&oid); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, old, fmt.Sprint(oid))
	}
	p.objects = strings.NewReplacer(pairs...)
}

func (p *recordedPlay) play(t *testing.T, list []recorded) {
	sessions := map[string]*pgx.Conn{}
	clear(p.prepared)
	for _, r := range list {
		conn := sessions[r.session]
		if conn == nil {
			conn = p.world.governed(t)
			defer conn.Close(context.Background())
			sessions[r.session] = conn
		}
		p.one(t, conn.PgConn(), r)
	}
}

// one sends one message. After an error in a transaction it is rolled back, so
// that what follows can be tried, but for what needs the cursor that is missing.
func (p *recordedPlay) one(t *testing.T, conn *pgconn.PgConn, r recorded) {
	t.Helper()
	text := strings.TrimSuffix(strings.TrimSpace(p.objects.Replace(r.text)), ";")
	if needsHeld.MatchString(text) {
		return
	}
	results, err := p.send(conn, r, text)
	for _, result := range results {
		for _, row := range result.Rows {
			if word := p.secret(row); word != "" {
				t.Errorf("%s is in %q, the answer to\n%s", word, row, text)
			}
		}
	}
	if conn.TxStatus() == 'E' {
		if _, err := conn.Exec(context.Background(), "ROLLBACK").ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	i := slices.IndexFunc(recordedRefusals, func(k struct{ kind, pattern, state string }) bool {
		return regexp.MustCompile("(?is)" + k.pattern).MatchString(text)
	})
	switch {
	case i >= 0:
		p.used[recordedRefusals[i].kind] = true
		if sqlState(err) != recordedRefusals[i].state {
			t.Errorf("%s: %v, want %s\n%s", recordedRefusals[i].kind, err, recordedRefusals[i].state, text)
		}
	case err != nil && !r.fails && !p.foreign(text):
		t.Errorf("%v\n%s", err, text)
	}
}

// foreign tells that this version of Postgres doesn't know what the statement
// names: it was recorded with another.
func (p *recordedPlay) foreign(text string) bool {
	_, err := p.direct.PgConn().Prepare(context.Background(), "", text, nil)
	return slices.Contains([]string{"42703", "42P01", "42883"}, sqlState(err))
}

// needsHeld are statements that work on a cursor which a refused statement
// should have opened.
var needsHeld = regexp.MustCompile(`(?is)^(SAVEPOINT _EXEC_SVP_\w+;)?(fetch|close) .*"SQL_CUR`)

func (p *recordedPlay) send(conn *pgconn.PgConn, r recorded, text string) ([]*pgconn.Result, error) {
	ctx := context.Background()
	if !r.extended {
		return conn.Exec(ctx, text).ReadAll()
	}
	values := make([][]byte, len(r.params))
	for i, v := range r.params {
		values[i] = []byte(p.objects.Replace(v))
	}
	if r.name == "" {
		result := conn.ExecParams(ctx, text, values, nil, nil, nil).Read()
		return []*pgconn.Result{result}, result.Err
	}
	if !p.prepared[r.session+r.name] {
		if _, err := conn.Prepare(ctx, r.name, text, nil); err != nil {
			return nil, err
		}
		p.prepared[r.session+r.name] = true
	}
	result := conn.ExecPrepared(ctx, r.name, values, nil, nil).Read()
	return []*pgconn.Result{result}, result.Err
}

func (p *recordedPlay) secret(row [][]byte) string {
	for _, value := range row {
		if word := p.secrets.FindString(string(value)); word != "" {
			return word
		}
	}
	return ""
}
