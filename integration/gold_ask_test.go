package integration

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"github.com/pgask/pgask/integration/gold"
	"github.com/pgask/pgask/integration/postgres"
)

const (
	// askFloor is the share of the tuning questions that must get the right rows
	// with a model that always gives the right plan, a little under what has been
	// reached.
	askFloor = 0.99
	// wideTables is how many tables the questions' database is filled up to.
	wideTables = 1000
	// replayed says that one question in so many is asked again.
	replayed = 4
	// askMedian is what half of them may take without a model, by a program that
	// doesn't look for races.
	askMedian = 5 * time.Millisecond
)

// goldModel answers every question with the plan of its golden statement.
type goldModel struct {
	plans map[string]string // by question, as asked
}

// newGoldModel converts the set. A question without a plan has no answer.
func newGoldModel(t *testing.T, s *gold.Set) *goldModel {
	t.Helper()
	m := &goldModel{plans: map[string]string{}}
	for _, q := range s.Questions {
		p, err := s.Plan(q)
		if err != nil {
			continue
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		m.plans[goldText(q)] = string(text)
	}
	return m
}

// goldText is a question's text. It names the database, since several are asked
// for the number of their artists.
func goldText(q gold.Question) string { return q.Question + " (" + q.DB + ")" }

func (m *goldModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || len(request.Messages) == 0 {
		http.Error(w, "not a request", http.StatusBadRequest)
		return
	}
	_, tail, _ := strings.Cut(request.Messages[len(request.Messages)-1].Content, "[QUESTION]\n")
	var question string
	if err := json.Unmarshal([]byte(tail), &question); err != nil {
		http.Error(w, "no question", http.StatusBadRequest)
		return
	}
	if p := m.plans[question]; p != "" {
		planned(p)(w)
		return
	}
	http.Error(w, "no plan", http.StatusTeapot)
}

// serveGold runs a pgask whose questions all go to the model, with a user who
// may see everything and whom no cap cuts. It takes no samples: how many there
// is time for differs, and with them what is recorded.
func serveGold(t *testing.T, s *gold.Set, dsn, llm string) *proxy {
	t.Helper()
	var semantic strings.Builder
	semantic.WriteString("relationships:\n")
	for _, r := range s.Relationships {
		fmt.Fprintf(&semantic, "  - {from: %s, to: %s, cardinality: %s}\n",
			r.From.Schema+"."+r.From.Table+"."+r.From.Column, r.To.Schema+"."+r.To.Table+"."+r.To.Column, r.Cardinality)
	}
	return serveFiles(t, fmt.Sprintf("databases:\n  tuning: {dsn: %s}\nplanner: {order: [model]}\nindex: {samples: false}\nllm: %s\n", quoted(dsn), llm), map[string]string{
		"semantic.yaml": semantic.String(),
		"policy.yaml": "version: 1\nroles:\n  analyst:\n    mode: governed\n    ask: true\n    tables: {allow: [\"*.*\"]}\n" +
			"    limits: {rows: 0, explain_rows: 0}\n",
		"users.yaml": fmt.Sprintf("users:\n  - {name: analyst, password: %q, role: analyst}\n", verifier(t)),
	})
}

// widen makes empty tables until there are as many as want.
func widen(t *testing.T, s *gold.Set, want int) {
	t.Helper()
	var sql strings.Builder
	for i := len(s.Catalog.Tables); i < want; i++ {
		fmt.Fprintf(&sql, "CREATE SCHEMA IF NOT EXISTS plant_%d;", i/20)
		fmt.Fprintf(&sql, "CREATE TABLE plant_%d.gauge_%d (id bigint PRIMARY KEY, label text, reading numeric, taken_at timestamptz);", i/20, i)
	}
	if _, err := gold.Rows(t.Context(), s.Conn.PgConn(), sql.String()); err != nil {
		t.Fatal(err)
	}
}

// TestGoldAsked asks the tuning questions on a database with 1,000 tables, with
// a model that knows the answers: all over HTTP, recorded, then some replayed.
// The times of the second pass are all that an answer takes but for the model.
func TestGoldAsked(t *testing.T) {
	dir, there := gold.Dir("..")
	if !there {
		t.Logf("no questions at %s", dir)
		return
	}
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	s, err := gold.Open(t.Context(), dir, dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Conn.Close(context.Background()) })
	widen(t, s, wideTables)
	model := httptest.NewServer(newGoldModel(t, s))
	t.Cleanup(model.Close)
	record := filepath.Join(t.TempDir(), "recordings")
	a := &asking{set: s, wrong: map[string][]string{}}
	a.all(t, serveGold(t, s, dsn, fmt.Sprintf("{base_url: %q, model: gold, record: %q}", model.URL, record)), 1, 2)
	a.report(t)
	a = &asking{set: s, wrong: map[string][]string{}}
	a.all(t, serveGold(t, s, dsn, fmt.Sprintf("{model: gold, replay: %q}", record)), replayed, 1)
	a.report(t)
	if median := a.took[len(a.took)/2]; median > askMedian && !raced(t) {
		t.Errorf("half of the answers take longer than %v, the bound is %v", median, askMedian)
	}
}

// raced tells whether the program was built with the race detector.
func raced(t *testing.T) bool {
	t.Helper()
	info, err := buildinfo.ReadFile(program())
	if err != nil {
		t.Fatal(err)
	}
	return slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// asking asks a set.
type asking struct {
	set *gold.Set
	mu  sync.Mutex
	// right counts right answers, tied those of them that have other rows of
	// equal sort keys; wrong holds the others by error.
	right, tied int
	wrong       map[string][]string
	took        []time.Duration
}

// all asks one question in so many, as many at once as there are clients.
func (a *asking) all(t *testing.T, p *proxy, step, clients int) {
	t.Helper()
	next := make(chan gold.Question)
	var workers errgroup.Group
	for range clients {
		conn, err := pgconn.Connect(t.Context(), "postgres://analyst:analyst@"+p.addr+"/tuning?sslmode=disable")
		if err != nil {
			t.Fatal(err)
		}
		workers.Go(func() error {
			defer conn.Close(t.Context())
			for q := range next {
				start := time.Now()
				rows, err := gold.Rows(t.Context(), conn, "ASK '"+strings.ReplaceAll(goldText(q), "'", "''")+"'")
				a.judge(t, q, rows, err, time.Since(start))
			}
			return nil
		})
	}
	for i := 0; i < len(a.set.Questions); i += step {
		next <- a.set.Questions[i]
	}
	close(next)
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
}

func (a *asking) judge(t *testing.T, q gold.Question, rows [][]*string, err error, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.took = append(a.took, took)
	var coded *pgconn.PgError
	switch {
	case asError(err, &coded):
		a.wrong[coded.Code] = append(a.wrong[coded.Code], q.SQL+": "+coded.Message+"; "+coded.Detail)
		return
	case err != nil:
		t.Fatalf("%s: %v", q.Question, err)
	case q.Same(rows):
		a.right++
		return
	}
	admitted, err := a.set.Admits(t.Context(), q, rows)
	switch {
	case err != nil:
		t.Errorf("%s: %v", q.SQL, err)
	case admitted:
		a.right, a.tied = a.right+1, a.tied+1
	default:
		a.wrong["wrong rows"] = append(a.wrong["wrong rows"], q.SQL)
	}
}

// report says what became of the questions and holds them to the floor.
func (a *asking) report(t *testing.T) {
	t.Helper()
	for _, why := range slices.Sorted(maps.Keys(a.wrong)) {
		t.Logf("%s: %d, such as %s", why, len(a.wrong[why]), a.wrong[why][0])
	}
	slices.Sort(a.took)
	at := func(share float64) time.Duration {
		return a.took[int(share*float64(len(a.took)-1))].Round(10 * time.Microsecond)
	}
	share := float64(a.right) / float64(len(a.took))
	t.Logf("%d of %d (%.2f %%) get the right rows, %d of them others of those that ties allow; p50 %v, p90 %v, p99 %v",
		a.right, len(a.took), 100*share, a.tied, at(0.5), at(0.9), at(0.99))
	if share < askFloor {
		t.Errorf("the floor is %.0f %%", 100*askFloor)
	}
}
