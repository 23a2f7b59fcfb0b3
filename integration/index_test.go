package integration

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/cmd/pgask/demo/company"
	"github.com/pgask/pgask/integration/postgres"
)

// meanings is a model server whose embeddings know that purchasers are
// customers, and whose plans count the table that a schema shows for the question.
type meanings struct {
	*httptest.Server
	mu       sync.Mutex
	embedded int // texts
	prompts  []string
	down     bool
}

func newMeanings(t *testing.T) *meanings {
	m := &meanings{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		var body struct {
			Input    []string
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		switch {
		case m.down:
			http.Error(w, "down", http.StatusServiceUnavailable)
		case r.URL.Path == "/v1/embeddings":
			m.embedded += len(body.Input)
			m.embed(w, body.Input)
		default:
			m.prompts = append(m.prompts, body.Messages[0].Content+body.Messages[1].Content)
			table := "public.t0001"
			for _, name := range []string{"public.customers", "public.zebra_census"} {
				if strings.Contains(body.Messages[0].Content, `"table":"`+name+`"`) {
					table = name
				}
			}
			planned(`{"version":1,"from":{"table":"` + table + `"},"select":[{"expr":{"aggregate":{"func":"count"}},"as":"n"}]}`)(w)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// embed gives texts of one meaning one direction, and others some other.
func (m *meanings) embed(w http.ResponseWriter, texts []string) {
	var data []any
	for i, text := range texts {
		v := make([]float64, 66)
		for place, words := range [][]string{{"customer", "purchaser"}, {"zebra", "striped"}} {
			for _, word := range words {
				if strings.Contains(text, word) {
					v[place] = 1
				}
			}
		}
		for place, bits := 2, sha256.Sum256([]byte(text)); place < len(v); place++ {
			v[place] = 0.1 * float64(int(bits[place/8])>>(place%8)&1*2-1)
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "usage": map[string]any{"prompt_tokens": len(texts)}})
}

// told are the prompts since the last look, and how many texts were embedded.
func (m *meanings) told() (prompts []string, embedded int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	prompts, embedded = m.prompts, m.embedded
	m.prompts, m.embedded = nil, 0
	return prompts, embedded
}

// wide makes a database of a thousand tables and three that mean something.
func wide(t *testing.T, server *postgres.Server) string {
	t.Helper()
	name := server.CreateDatabase(t)
	conn := connect(t, server.DSN(name))
	for _, sql := range []string{
		`DO $$ BEGIN FOR i IN 1..1000 LOOP EXECUTE format('CREATE TABLE t%s (id int, c1 text, c2 text)', lpad(i::text, 4, '0')); END LOOP; END $$`,
		`CREATE TABLE customers AS SELECT 7 AS id FROM generate_series(1, 7)`,
		`CREATE TABLE purchaser_secrets (purchaser_id int)`,
		`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ` + company.Proxy + `, ` + company.Reader,
		`ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO ` + company.Proxy + `, ` + company.Reader,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// sharing is a pgask over the wide database, with its vectors at dsn.
func sharing(t *testing.T, database, dsn string, m *meanings) *fixture {
	t.Helper()
	f := unstarted(t, func(text string) string {
		text = strings.ReplaceAll(text, "/"+acme(t).Database, "/"+database)
		return strings.Replace(text, demoPlanner, "order: [model], cache: false", 1) +
			fmt.Sprintf("\nllm: {base_url: %q, model: scripted}\nembeddings: {provider: openai, model: meanings}\nindex: {store: pgvector, dsn: %q, samples: false}\n", m.URL+"/v1", dsn)
	})
	dir := filepath.Dir(f.Config)
	edit(t, filepath.Join(dir, "policy.yaml"), func(text string) string {
		return strings.ReplaceAll(text, "deny: [public.payroll]", "deny: [public.payroll, public.purchaser_secrets]")
	})
	edit(t, filepath.Join(dir, "semantic.yaml"), func(string) string { return "{}\n" })
	return f
}

func (f *fixture) launch(t *testing.T) {
	t.Helper()
	var err error
	if f.Proxy, err = startServe(f.Config, f.Proxy.addr); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) halt(t *testing.T) {
	t.Helper()
	if err := f.Proxy.stop(); err != nil {
		t.Error(err)
	}
}

// buildIndex runs pgask index and gives what it prints.
func buildIndex(t *testing.T, f *fixture) string {
	t.Helper()
	out, err := exec.Command(program(), "index", "--config", f.Config).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

const purchasers = "ASK 'how many purchasers are there'"

// TestSharedIndex has an index of a thousand tables in Postgres that two instances
// search by meaning: one restarts while the other answers, a table comes, a
// forbidden one stays unknown, and without the index words still find what they name.
func TestSharedIndex(t *testing.T) {
	server, m := acme(t).Server, newMeanings(t)
	database, store := wide(t, server), server.DSN(server.CreateDatabase(t))
	a, b := sharing(t, database, store, m), sharing(t, database, store, m)
	if out := buildIndex(t, a); !strings.Contains(out, "acme: 1002 tables, 4004 chunks, 4004 new texts") {
		t.Errorf("index printed %s", out)
	}
	m.told()
	if out := buildIndex(t, b); !strings.Contains(out, "up to date already") {
		t.Errorf("index printed %s", out)
	}
	a.launch(t)
	b.launch(t)
	counts := func(conn *pgx.Conn, question, want string) {
		t.Helper()
		if got := table(t, conn, question); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %s", question, got, want)
		}
	}
	atA, atB := a.Connect(t, "finn"), b.Connect(t, "finn")
	counts(atA, purchasers, "7")
	counts(atB, purchasers, "7")
	prompts, embedded := m.told()
	if embedded != 2 {
		t.Errorf("%d texts were embedded, want the two questions", embedded)
	}
	for _, p := range prompts {
		if strings.Contains(p, "purchaser_secrets") || strings.Contains(p, "purchaser_id") {
			t.Error("the prompt tells of a forbidden table")
		}
	}
	if steps := strings.Join(table(t, atA, strings.Replace(purchasers, "ASK", "ASK EXPLAIN", 1)), "\n"); !strings.Contains(steps, "8 of 1001 tables, by words and 100 near chunks") {
		t.Errorf("explained as\n%s", steps)
	}

	a.halt(t)
	counts(atB, purchasers, "7")
	a.launch(t)
	atA = a.Connect(t, "finn")
	m.told()
	counts(atA, purchasers, "7")
	if _, embedded := m.told(); embedded != 1 {
		t.Errorf("%d texts were embedded after a restart", embedded)
	}

	if _, err := connect(t, server.DSN(database)).Exec(t.Context(), "CREATE TABLE zebra_census AS SELECT 1 AS id FROM generate_series(1, 3)"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { // until it is noticed and indexed
		got, err := tryTable(atB, "ASK 'how many striped animals'")
		return err == nil && len(got) == 1 && got[0] == "3"
	})
	for _, series := range []string{`pgask_index_builds_total{database="acme",outcome="built"} 1`, `pgask_index_chunks{database="acme"} 4006`, `pgask_index_embedded_total{database="acme"} 2`} {
		if !strings.Contains(metrics(t, b), "\n"+series+"\n") {
			t.Errorf("metrics lack %s", series)
		}
	}
	a.halt(t)
	b.halt(t)
}

// TestIndexDown has a shared index that can't be reached: check warns, and
// questions are answered by words.
func TestIndexDown(t *testing.T) {
	m := newMeanings(t)
	f := sharing(t, wide(t, acme(t).Server), "postgres://u:very-secret@127.0.0.1:1/none?connect_timeout=2", m)
	out, err := exec.Command(program(), "check", "--config", f.Config).CombinedOutput()
	if !strings.Contains(string(out), "index.dsn: tables are found by their words alone") || strings.Contains(string(out), "very-secret") {
		t.Errorf("check: %v\n%s", err, out)
	}
	if out, err := exec.Command(program(), "index", "--config", f.Config).CombinedOutput(); err == nil || strings.Contains(string(out), "very-secret") {
		t.Errorf("index: %v\n%s", err, out)
	}
	f.launch(t)
	defer f.halt(t)
	if got := table(t, f.Connect(t, "finn"), "ASK 'how many customers'"); len(got) != 1 || got[0] != "7" {
		t.Errorf("by words: %v", got)
	}
	if text := metrics(t, f); !strings.Contains(text, `pgask_index_searches_total{database="acme",outcome="failed"} 1`) {
		t.Error("the failed search isn't counted")
	}
	m.mu.Lock()
	m.down = true
	m.mu.Unlock()
	if e := failure(t, f.Connect(t, "finn"), purchasers); e.Code != "PA002" && e.Code != "PA009" {
		t.Errorf("without provider and index: %s %s", e.Code, e.Message)
	}
}
