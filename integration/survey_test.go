package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"github.com/pgask/pgask/integration/gold"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/integration/score"
)

// survey asks a folder's questions as a governed user, by the wire, with no
// planner but the built-in one.
type survey struct {
	dir       string
	questions []gold.Question
	ways      map[string]way
	databases string // as pgask.yaml has them
}

// way leads to a database: through pgask as a governed user, and direct.
type way struct{ through, direct string }

// sampleCompany is the one database that has no dump: its user finn sees both
// tenants.
const sampleCompany = "acme"

// surveyors is how many ask at once.
const surveyors = 2

// newSurvey loads the questions' databases and starts a pgask in front of them.
// Its user may see everything, and no cap cuts an answer.
func newSurvey(t *testing.T, dir string, questions []gold.Question) *survey {
	t.Helper()
	s := &survey{dir: dir, questions: questions, ways: map[string]way{}}
	server := postgres.ForTest(t)
	var settings strings.Builder
	var loaders errgroup.Group
	loaders.SetLimit(surveyors)
	for _, db := range gold.Databases(questions) {
		if db == sampleCompany {
			f := acme(t)
			s.ways[db] = way{f.Through("finn"), f.Server.DSN(f.Database)}
			continue
		}
		dsn := server.DSN(server.CreateDatabase(t))
		s.ways[db] = way{direct: dsn}
		fmt.Fprintf(&settings, "  %s: {dsn: %s}\n", quoted(db), quoted(dsn))
		loaders.Go(func() error { return gold.Load(t.Context(), dsn, dir, db) })
	}
	if err := loaders.Wait(); err != nil {
		t.Fatal(err)
	}
	s.databases = settings.String()
	s.serve(t, "planner: {order: [builtin]}")
	return s
}

// serve starts a pgask in front of the databases, with these settings besides.
func (s *survey) serve(t *testing.T, settings string) {
	t.Helper()
	p := serveFiles(t, settings+"\ndatabases:\n"+s.databases, map[string]string{
		"policy.yaml": "version: 1\nroles:\n  analyst:\n    mode: governed\n    ask: true\n    tables: {allow: [\"*.*\"]}\n" +
			"    limits: {rows: 0, explain_rows: 0}\n",
		"users.yaml": fmt.Sprintf("users:\n  - {name: analyst, password: %q, role: analyst}\n", verifier(t)),
	})
	for db, w := range s.ways {
		if db != sampleCompany {
			s.ways[db] = way{"postgres://analyst:analyst@" + p.addr + "/" + db + "?sslmode=disable", w.direct}
		}
	}
}

// bold is the survey with answers of any confidence.
func (s *survey) bold(t *testing.T) *survey {
	t.Helper()
	b := *s
	b.ways = maps.Clone(s.ways)
	b.serve(t, "planner: {order: [builtin], builtin: {min_confidence: 0}}\nabstain: {confidence: 0}")
	return &b
}

// wordings are the two texts of a question; one without a text in a wording isn't asked
// in it.
var wordings = []struct {
	name string
	text func(gold.Question) string
}{
	{"question", func(q gold.Question) string { return q.Question }},
	{"synonym_question", func(q gold.Question) string { return q.Synonym }},
}

// ask asks all questions in one wording. Results are in the questions' order.
func (s *survey) ask(t *testing.T, text func(gold.Question) string) []score.Result {
	t.Helper()
	var mu sync.Mutex
	found := map[string][]score.Result{}
	var askers errgroup.Group
	askers.SetLimit(surveyors)
	for _, db := range gold.Databases(s.questions) {
		askers.Go(func() error {
			results, err := s.askDatabase(t.Context(), db, text)
			mu.Lock()
			defer mu.Unlock()
			found[db] = results
			return err
		})
	}
	if err := askers.Wait(); err != nil {
		t.Fatal(err)
	}
	var out []score.Result
	for _, db := range gold.Databases(s.questions) {
		out = append(out, found[db]...)
	}
	return out
}

// askDatabase asks the questions of one database over one connection.
func (s *survey) askDatabase(ctx context.Context, db string, text func(gold.Question) string) ([]score.Result, error) {
	through, err := pgconn.Connect(ctx, s.ways[db].through)
	if err != nil {
		return nil, err
	}
	defer through.Close(ctx)
	direct, err := pgconn.Connect(ctx, s.ways[db].direct)
	if err != nil {
		return nil, err
	}
	defer direct.Close(ctx)
	var out []score.Result
	for _, q := range s.questions {
		if q.DB != db || text(q) == "" {
			continue
		}
		r, err := askOne(ctx, through, direct, q, text(q))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", db, text(q), err)
		}
		out = append(out, r)
	}
	return out, nil
}

// askOne asks one question and compares. direct is a connection on which the golden statement
// runs as it stands.
func askOne(ctx context.Context, through, direct *pgconn.PgConn, q gold.Question, text string) (score.Result, error) {
	constructs, err := q.Constructs()
	if err != nil {
		return score.Result{}, err
	}
	r := score.Result{DB: q.DB, Question: text, Constructs: constructs, Unanswerable: q.Unanswerable()}
	literal := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	start := time.Now()
	rows, err := gold.Rows(ctx, through, "ASK "+literal)
	r.MS = float64(time.Since(start).Microseconds()) / 1000
	var refusal *pgconn.PgError
	switch {
	case errors.As(err, &refusal):
		r.Code, r.Message, r.Detail = refusal.Code, refusal.Message, refusal.Detail
		r.Outcome = score.Declined
		if q.Unanswerable() {
			r.Outcome = score.Refused
		}
		return r, nil
	case err != nil:
		return r, err
	}
	if r.Confidence, err = confidence(ctx, through, literal); err != nil {
		return r, err
	}
	if q.Rows == nil && !q.Unanswerable() {
		if q.Rows, err = gold.Rows(ctx, direct, q.SQL); err != nil {
			return r, err
		}
	}
	if !q.Unanswerable() && q.SameTurned(rows) {
		r.Outcome = score.Right
		return r, nil
	}
	r.Outcome, r.Gold = score.Wrong, q.SQL
	shown, err := gold.Rows(ctx, through, "ASK SQL "+literal)
	if err != nil {
		return r, err
	}
	r.SQL = *shown[0][0]
	if !q.Unanswerable() {
		r.Tied, err = gold.Admits(ctx, direct, q, rows)
	}
	return r, err
}

// confidence is what the plan's annotations say of it.
func confidence(ctx context.Context, through *pgconn.PgConn, literal string) (float64, error) {
	rows, err := gold.Rows(ctx, through, "ASK PLAN "+literal)
	if err != nil {
		return 0, err
	}
	var annotations struct {
		Confidence float64 `json:"confidence"`
	}
	err = json.Unmarshal([]byte(*rows[0][1]), &annotations)
	return annotations.Confidence, err
}
