package planner

import (
	"bufio"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/configs"
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

// tuningSet is where the tuning questions are beside the project. It need not
// be there: the goldens hold the same behaviour on questions of our own.
const tuningSet = "../../../shared/questions/tuning"

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

// asked is one line of questions.jsonl.
type asked struct {
	DB       string      `json:"db"`
	Question string      `json:"question"`
	Synonym  string      `json:"synonym_question"`
	Gold     string      `json:"gold_sql"`
	Ordered  bool        `json:"ordered"`
	Rows     [][]*string `json:"rows"`
}

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
	dir := os.Getenv(questionsEnv)
	held := dir == ""
	if held {
		dir = tuningSet
	}
	if _, err := os.Stat(dir); held && err != nil {
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
	for form, floor := range floors {
		e.scores = map[string]score{}
		for _, q := range readQuestions(t, filepath.Join(dir, "questions.jsonl"), form) {
			e.ask(q)
		}
		t.Log(form)
		if all := e.log(); held && (all.right < floor.right || all.wrong > floor.wrong) {
			t.Errorf("%s: %d right and %d wrong, the floor is %d right and at most %d wrong", form, all.right, all.wrong, floor.right, floor.wrong)
		}
	}
}

func readQuestions(t *testing.T, path, form string) []asked {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	var out []asked
	for lines.Scan() {
		var q asked
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		if form == "synonym_question" {
			q.Question = q.Synonym
		}
		out = append(out, q)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
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
func (e *evaluation) ask(q asked) {
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
	got, err := textRows(d.conn, sql)
	if err != nil {
		e.t.Fatalf("%s: %v", sql, err)
	}
	if sameRows(q.Rows, got, q.Ordered) {
		s.right++
		e.write("right", q, sql)
		return
	}
	s.wrong++
	e.write("wrong", q, sql)
}

func (e *evaluation) write(outcome string, q asked, detail string) {
	if e.report != nil {
		_ = json.NewEncoder(e.report).Encode(map[string]string{"outcome": outcome, "db": q.DB, "question": q.Question, "detail": detail, "gold": q.Gold})
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

// textRows runs a statement and gives its rows in text form, "" for null.
func textRows(conn *pgx.Conn, sql string) ([][]string, error) {
	rows, err := conn.Query(context.Background(), sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]string
	for rows.Next() {
		row := make([]string, len(rows.RawValues()))
		for i, v := range rows.RawValues() {
			row[i] = string(v)
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// sameRows compares rows as multisets, in order where the right ones are
// ordered; columns may stand in any order, numbers differ by 1e-4, and an empty
// text equals null.
func sameRows(want [][]*string, got [][]string, ordered bool) bool {
	if len(want) != len(got) {
		return false
	}
	a, b := make([]string, len(want)), make([]string, len(got))
	for i := range want {
		row := make([]string, len(want[i]))
		for k, v := range want[i] {
			if v != nil && *v != `\N` {
				row[k] = *v
			}
		}
		a[i], b[i] = canonical(row), canonical(got[i])
	}
	if !ordered {
		sort.Strings(a)
		sort.Strings(b)
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func canonical(row []string) string {
	out := make([]string, len(row))
	for i, v := range row {
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			v = strconv.FormatFloat(math.Round(f*1e4)/1e4, 'f', 4, 64)
		}
		out[i] = v
	}
	sort.Strings(out)
	return strings.Join(out, "\x1f")
}
