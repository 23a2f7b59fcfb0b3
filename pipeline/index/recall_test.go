package index

import (
	"fmt"
	"slices"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/integration/gold"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// needing is a question and the tables that its right answer reads.
type needing struct {
	question, synonym string
	tables            []catalog.Name
}

// first is how the question was asked first, other the same in other words than
// the schema's.
func (q needing) first() string { return q.question }
func (q needing) other() string { return q.synonym }

// TestRecall measures how many of the tables that a question needs are among
// the eight retrieved, where one database holds the tables of all 44 databases
// of the set, each as a schema. Schemas that are numbered don't help to find
// anything. What is asked in other words than the schema's is for an embedder
// that knows synonyms; here it has a floor of its own.
func TestRecall(t *testing.T) {
	dir, there := gold.Dir("../..")
	if !there {
		t.Logf("no questions at %s", dir)
		return
	}
	questions, named := tuningSet(t, dir)
	anonymous := numbered(named)
	for _, c := range []struct {
		name     string
		snapshot *catalog.Snapshot
		ask      func(needing) string
		near     func(string) []Near
		each     int // one of so many questions is asked: comparing vectors takes long
		floor    float64
	}{
		{"schemas by name, words", named, needing.first, nowhere, 1, 0.97},
		{"schemas by name, words and vectors", named, needing.first, embedded(t, named), 8, 0.96},
		{"schemas by number, words", anonymous, needing.first, nowhere, 1, 0.96},
		{"schemas by name, synonyms, words", named, needing.other, nowhere, 1, 0.90},
	} {
		x := Build(c.snapshot, nil)
		found, needed := 0, 0
		for i := 0; i < len(questions); i += c.each {
			q := questions[i]
			got := x.Tables(c.ask(q), c.near(c.ask(q)), 8)
			for _, table := range q.tables {
				needed++
				if slices.ContainsFunc(got, func(g *catalog.Table) bool { return g.OID == named.Table(table).OID }) {
					found++
				}
			}
		}
		recall := float64(found) / float64(needed)
		t.Logf("%s: %d of %d needed tables are among 8, %.4f", c.name, found, needed, recall)
		if recall < c.floor {
			t.Errorf("%s: recall %.4f is under %.3f", c.name, recall, c.floor)
		}
	}
}

func nowhere(string) []Near { return nil }

// embedded finds chunks as a store with the built-in embedder does.
func embedded(t *testing.T, s *catalog.Snapshot) func(question string) []Near {
	t.Helper()
	chunks := Chunks(s, nil)
	e, store := NewLexical(Texts(chunks)), NewMemory()
	if _, err := store.Update(t.Context(), NewEdition("tuning", e, chunks), e); err != nil {
		t.Fatal(err)
	}
	return func(question string) []Near {
		v, err := e.Query(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		near, err := store.Search(t.Context(), Query{Database: "tuning", Embedder: e.Name(), Vector: v, Most: 100})
		if err != nil {
			t.Fatal(err)
		}
		return near
	}
}

// numbered is the snapshot with numbers for the schemas' names.
func numbered(s *catalog.Snapshot) *catalog.Snapshot {
	numbers := map[string]string{}
	for _, t := range s.Tables {
		if numbers[t.Name.Schema] == "" {
			numbers[t.Name.Schema] = fmt.Sprintf("s%d", len(numbers))
		}
	}
	var tables []*catalog.Table
	for _, t := range s.Tables {
		u := *t
		u.Name.Schema = numbers[t.Name.Schema]
		u.ForeignKeys = nil
		for _, k := range t.ForeignKeys {
			l := *k
			l.Ref.Schema = numbers[k.Ref.Schema]
			u.ForeignKeys = append(u.ForeignKeys, &l)
		}
		tables = append(tables, &u)
	}
	slices.SortFunc(tables, func(a, b *catalog.Table) int { return a.Name.Compare(b.Name) })
	return catalog.NewSnapshot(s.Database, s.ServerVersion, tables, nil)
}

func tablesRead(t *testing.T, schema, sql string) []catalog.Name {
	t.Helper()
	tree, err := stmt.ParseOne(sql, stmt.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	var out []catalog.Name
	_ = stmt.Walk(tree, func(m protoreflect.Message, _ stmt.Path) error {
		if r, ok := m.Interface().(*pg_query.RangeVar); ok {
			if n := (catalog.Name{Schema: schema, Table: r.Relname}); !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
		return nil
	})
	return out
}

// tuningSet is the questions, and one database that holds the set's databases as
// schemas.
func tuningSet(t *testing.T, dir string) ([]needing, *catalog.Snapshot) {
	t.Helper()
	server := postgres.ForTest(t)
	set, err := gold.Open(t.Context(), dir, server.DSN(server.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Conn.Close(t.Context())
	if _, err := set.Conn.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	snapshot, err := catalog.Read(t.Context(), set.Conn, catalog.Options{Samples: true})
	if err != nil {
		t.Fatal(err)
	}
	var questions []needing
	for _, q := range set.Questions {
		questions = append(questions, needing{q.Question, q.Synonym, tablesRead(t, q.DB, q.SQL)})
	}
	return questions, snapshot
}
