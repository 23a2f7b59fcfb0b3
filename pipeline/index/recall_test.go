package index

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// tuningSet is where the tuning questions are beside the project. It need not
// be there: the other tests hold the same behaviour on schemas of our own.
const tuningSet = "../../../shared/questions/tuning"

// needing is a question and the tables that its right answer reads.
type needing struct {
	schema, question, synonym string
	tables                    []string
}

// ask is the question in one of its forms: as it was asked first, or with
// other words than the schema's.
func (q needing) ask(form string) string {
	if form == "synonyms" {
		return q.synonym
	}
	return q.question
}

// TestRecall measures how many of the tables that a question needs are among
// the eight retrieved, where one database holds the tables of all 44 databases
// of the set, each as a schema. Schemas that are numbered don't help to find
// anything. What is asked in other words than the schema's is for an embedder
// that knows synonyms; here it has a floor of its own.
func TestRecall(t *testing.T) {
	if _, err := os.Stat(tuningSet); err != nil {
		t.Logf("no questions at %s", tuningSet)
		return
	}
	questions := readNeeding(t)
	named := tuningSnapshot(t)
	for naming, snapshot := range map[string]*catalog.Snapshot{"named": named, "numbered": numbered(named)} {
		x := Build(snapshot, nil)
		for form, floor := range map[string]float64{"question": 0.95, "synonyms": 0.90} {
			found, needed := 0, 0
			for _, q := range questions {
				got := x.Tables(q.ask(form), 8)
				for _, table := range q.tables {
					needed++
					if slices.ContainsFunc(got, func(g *catalog.Table) bool {
						return g == snapshot.Table(catalog.Name{Schema: schemaName(naming, named, q.schema), Table: table})
					}) {
						found++
					}
				}
			}
			recall := float64(found) / float64(needed)
			t.Logf("%s schemas, %s: %d of %d needed tables are among 8, %.4f", naming, form, found, needed, recall)
			if recall < floor {
				t.Errorf("%s schemas, %s: recall %.4f is under %.2f", naming, form, recall, floor)
			}
		}
	}
}

// schemaName is what a schema is called in the snapshot of that naming.
func schemaName(naming string, named *catalog.Snapshot, schema string) string {
	if naming == "named" {
		return schema
	}
	return fmt.Sprintf("s%d", slices.Index(schemas(named), schema))
}

func schemas(s *catalog.Snapshot) []string {
	var out []string
	for _, t := range s.Tables {
		out = append(out, t.Name.Schema)
	}
	return slices.Compact(out)
}

// numbered is the snapshot with numbers for the schemas' names.
func numbered(s *catalog.Snapshot) *catalog.Snapshot {
	var tables []*catalog.Table
	for _, t := range s.Tables {
		u := *t
		u.Name.Schema = schemaName("numbered", s, t.Name.Schema)
		u.ForeignKeys = nil
		for _, k := range t.ForeignKeys {
			l := *k
			l.Ref.Schema = schemaName("numbered", s, k.Ref.Schema)
			u.ForeignKeys = append(u.ForeignKeys, &l)
		}
		tables = append(tables, &u)
	}
	slices.SortFunc(tables, func(a, b *catalog.Table) int { return a.Name.Compare(b.Name) })
	return catalog.NewSnapshot(s.Database, s.ServerVersion, tables, nil)
}

func readNeeding(t *testing.T) []needing {
	t.Helper()
	f, err := os.Open(filepath.Join(tuningSet, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	var out []needing
	for lines.Scan() {
		var q struct {
			DB       string `json:"db"`
			Question string `json:"question"`
			Synonym  string `json:"synonym_question"`
			Gold     string `json:"gold_sql"`
		}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		out = append(out, needing{q.DB, q.Question, q.Synonym, tablesRead(t, q.Gold)})
	}
	return out
}

func tablesRead(t *testing.T, sql string) []string {
	t.Helper()
	tree, err := stmt.ParseOne(sql, stmt.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []string
	_ = stmt.Walk(tree, func(m protoreflect.Message, _ stmt.Path) error {
		if r, ok := m.Interface().(*pg_query.RangeVar); ok && !slices.Contains(out, r.Relname) {
			out = append(out, r.Relname)
		}
		return nil
	})
	return out
}

// tuningSnapshot is one database that holds the set's databases as schemas.
func tuningSnapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	server := postgres.ForTest(t)
	dsn := server.DSN(server.CreateDatabase(t))
	dumps, _ := filepath.Glob(filepath.Join(tuningSet, "*.sql"))
	args := []string{"-q", "-v", "ON_ERROR_STOP=1", "-o", os.DevNull, "-d", dsn}
	for _, dump := range dumps {
		name := pgx.Identifier{filepath.Base(dump[:len(dump)-len(".sql")])}.Sanitize()
		args = append(args, "-f", dump, "-c", "ALTER SCHEMA public RENAME TO "+name, "-c", "CREATE SCHEMA public")
	}
	if out, err := exec.Command("psql", append(args, "-c", "ANALYZE")...).CombinedOutput(); err != nil {
		t.Fatalf("load the tuning databases: %v\n%s", err, out)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	s, err := catalog.Read(t.Context(), conn, catalog.Options{Samples: true})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
