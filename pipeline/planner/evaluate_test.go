package planner

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/gold"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// The environment of an evaluation: a folder with questions.jsonl and a dump of
// each database, and a file that gets what became of each question.
const (
	questionsEnv = "PGASK_QUESTIONS"
	reportEnv    = "PGASK_QUESTIONS_REPORT"
)

// floors are a little under what the tuning set has reached, by form: right
// answers, and how many may be wrong. (A tie under a LIMIT falls as the server
// pleases.) A change that does better raises them.
var floors = map[string]score{
	"question":         {right: 490, wrong: 22},
	"synonym_question": {right: 190, wrong: 13},
}

// sampleLimits index more values than a proxy does by default, since the
// questions name them.
var sampleLimits = catalog.Limits{All: 500}

// score counts what became of the questions of one database, or of all.
type score struct{ right, wrong, refused int }

func (s score) log(t *testing.T, name string) {
	answered := s.right + s.wrong
	t.Logf("%-28s %4d asked %4d right %3d wrong  precision %.3f  coverage %.3f", name, answered+s.refused, s.right, s.wrong,
		float64(s.right)/float64(max(1, answered)), float64(answered)/float64(max(1, answered+s.refused)))
}

// TestEvaluate measures precision and coverage on a set of questions with
// known rows, in both forms, and holds the tuning set to its floors.
func TestEvaluate(t *testing.T) {
	dir, there := os.Getenv(questionsEnv), true
	held := dir == ""
	if held {
		dir, there = gold.Dir("../..")
	}
	if !there {
		t.Logf("no set of questions at %s, and %s names none", dir, questionsEnv)
		return
	}
	e := &evaluation{t: t, dir: dir, server: postgres.ForTest(t), planner: NewBuiltin(), databases: map[string]*evaluated{}}
	if path := os.Getenv(reportEnv); path != "" {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		e.report = f
	}
	questions, err := gold.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for form, floor := range floors {
		e.scores = map[string]score{}
		for _, q := range questions {
			if form == "synonym_question" {
				q.Question = q.Synonym
			}
			e.ask(q)
		}
		t.Log(form)
		if all := e.log(); held && (all.right < floor.right || all.wrong > floor.wrong) {
			t.Errorf("%s: %d right and %d wrong, the floor is %d right and at most %d wrong", form, all.right, all.wrong, floor.right, floor.wrong)
		}
	}
}

// evaluation is one run over a set.
type evaluation struct {
	t         *testing.T
	dir       string
	server    *postgres.Server
	planner   *Builtin
	databases map[string]*evaluated
	scores    map[string]score
	report    *os.File
}

// evaluated is one database of the set, loaded.
type evaluated struct {
	conn     *pgx.Conn
	catalog  *catalog.Snapshot
	semantic *semantic.Model
}

// database loads a dump the first time it is asked for.
func (e *evaluation) database(name string) *evaluated {
	if d := e.databases[name]; d != nil {
		return d
	}
	ctx := context.Background()
	db := e.server.CreateDatabase(e.t)
	cmd := exec.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-o", os.DevNull, "-d", e.server.DSN(db), "-f", filepath.Join(e.dir, name+".sql"))
	if out, err := cmd.CombinedOutput(); err != nil {
		e.t.Fatalf("load %s: %v\n%s", name, err, out)
	}
	conn, err := pgx.Connect(ctx, e.server.DSN(db))
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { conn.Close(ctx) })
	snapshot, err := catalog.Read(ctx, conn, catalog.Options{Samples: true, Limits: sampleLimits})
	if err != nil {
		e.t.Fatal(err)
	}
	model, _ := semantic.Build(configs.Semantic{}, snapshot)
	d := &evaluated{conn: conn, catalog: snapshot, semantic: model}
	e.databases[name] = d
	return d
}

// ask asks one question and compares the rows.
func (e *evaluation) ask(q gold.Question) {
	d := e.database(q.DB)
	p, err := e.planner.Plan(context.Background(), Input{Question: q.Question, Catalog: d.catalog, Semantic: d.semantic})
	s := e.scores[q.DB]
	defer func() { e.scores[q.DB] = s }()
	if err != nil {
		s.refused++
		e.write("refused", q, err.Error())
		return
	}
	sql, err := stmt.Print(plan.Compile(p.Checked))
	if err != nil {
		e.t.Fatal(err)
	}
	got, err := gold.Rows(context.Background(), d.conn.PgConn(), sql)
	if err != nil {
		e.t.Fatalf("%s: %v", sql, err)
	}
	if q.SameTurned(got) {
		s.right++
		e.write("right", q, sql)
		return
	}
	s.wrong++
	e.write("wrong", q, sql)
}

func (e *evaluation) write(outcome string, q gold.Question, detail string) {
	if e.report != nil {
		_ = json.NewEncoder(e.report).Encode(map[string]string{"outcome": outcome, "db": q.DB, "question": q.Question, "detail": detail, "gold": q.SQL})
	}
}

func (e *evaluation) log() score {
	var all score
	names := make([]string, 0, len(e.scores))
	for n, s := range e.scores {
		names = append(names, n)
		all.right, all.wrong, all.refused = all.right+s.right, all.wrong+s.wrong, all.refused+s.refused
	}
	sort.Strings(names)
	for _, n := range names {
		e.scores[n].log(e.t, n)
	}
	all.log(e.t, "all")
	return all
}
