package pgvector

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/index"
)

// warehouse is the schema of n tables of six columns, whose names are made of
// syllables.
func warehouse(n int) *catalog.Snapshot {
	syllables := []string{"ka", "lor", "min", "ter", "sal", "ven", "dor", "pri", "qua", "stu"}
	word := func(i int) string { return syllables[i%10] + syllables[i/10%10] + syllables[i/100%10] }
	var tables []*catalog.Table
	for i := range n {
		t := &catalog.Table{Name: catalog.Name{Schema: "sales", Table: fmt.Sprintf("t%04d_%s", i, word(i*7))}, Kind: catalog.KindTable, OID: uint32(20000 + i)}
		for c := range 6 {
			t.Columns = append(t.Columns, &catalog.Column{Name: word(i*c+c) + "_" + word(c*31+i), Attnum: c + 1, Type: catalog.Type{SQL: "text", Category: 'S'}})
		}
		tables = append(tables, t)
	}
	return catalog.NewSnapshot("warehouse", 150000, tables, nil)
}

// counting is the built-in embedder that counts what it is asked for.
type counting struct {
	*index.Lexical
	documents atomic.Int64
	name      string
	wider     bool
}

func (c *counting) Name() string { return c.Lexical.Name() + c.name }

func (c *counting) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	c.documents.Add(int64(len(texts)))
	out, err := c.Lexical.Documents(ctx, texts)
	for i := range out {
		if c.wider {
			out[i] = append(out[i], 0.5)
		}
	}
	return out, err
}

// edition is a snapshot's, with an embedder for questions about it.
func editionOf(s *catalog.Snapshot) (index.Edition, *counting) {
	chunks := index.Chunks(s, nil)
	e := &counting{Lexical: index.NewLexical(index.Texts(chunks))}
	return index.NewEdition("acme", e, chunks), e
}

func newStore(t *testing.T, database string) *Store {
	t.Helper()
	s, err := New(postgres.ForTest(t).DSN(database))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func newDatabase(t *testing.T) string { return postgres.ForTest(t).CreateDatabase(t) }

func mustUpdate(t *testing.T, s index.Store, ed index.Edition, e index.Embedder) index.Built {
	t.Helper()
	built, err := s.Update(t.Context(), ed, e)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

func searchFor(ctx context.Context, s index.Store, e index.Embedder, question string, most int, tables []catalog.Name) ([]index.Near, error) {
	v, err := e.Query(ctx, question)
	if err != nil {
		return nil, err
	}
	return s.Search(ctx, index.Query{Database: "acme", Embedder: e.Name(), Vector: v, Tables: tables, Most: most})
}

func find(t *testing.T, s index.Store, e index.Embedder, question string, most int, tables []catalog.Name) []index.Near {
	t.Helper()
	near, err := searchFor(t.Context(), s, e, question, most, tables)
	if err != nil {
		t.Fatal(err)
	}
	return near
}

// tablesOf are the chunks' tables.
func tablesOf(near []index.Near) map[catalog.Name]bool {
	out := map[catalog.Name]bool{}
	for _, n := range near {
		out[n.Table] = true
	}
	return out
}

// A thousand tables are built, searched, and rebuilt while others search. What
// the index finds is what a comparison with every chunk finds, but for what HNSW
// misses.
func TestThousandTables(t *testing.T) {
	s, memory := newStore(t, newDatabase(t)), index.NewMemory()
	snapshot := warehouse(1000)
	ed, e := editionOf(snapshot)
	if near := find(t, s, e, "anything", 8, nil); near != nil {
		t.Fatalf("an empty store found %v", near)
	}
	if built := mustUpdate(t, s, ed, e); !built.Changed || built.Chunks != 7000 || built.Embedded == 0 {
		t.Fatalf("built %+v", built)
	}
	mustUpdate(t, memory, ed, e)
	questions := make([]string, 20)
	for i := range questions {
		table := snapshot.Tables[i*47]
		questions[i] = table.Name.Table + " by " + table.Columns[3].Name
	}
	compare := func(within []catalog.Name) {
		found, wanted := 0, 0
		for _, q := range questions {
			got := tablesOf(find(t, s, e, q, 10, within))
			for n := range tablesOf(find(t, memory, e, q, 10, within)) {
				wanted++
				if got[n] {
					found++
				}
			}
		}
		if float64(found) < 0.95*float64(wanted) {
			t.Errorf("%d of %d of the nearest tables are found", found, wanted)
		}
		t.Logf("%d of %d of the nearest tables are found", found, wanted)
	}
	compare(nil)
	var few []catalog.Name
	for _, table := range snapshot.Tables[900:910] {
		few = append(few, table.Name)
	}
	compare(few)
	if near := find(t, s, e, questions[0], 10, []catalog.Name{}); near != nil {
		t.Errorf("who sees nothing found %v", near)
	}
	rebuildInUse(t, s, e, questions)
}

// rebuildInUse changes a table and rebuilds while others search.
func rebuildInUse(t *testing.T, s *Store, e *counting, questions []string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var searchers sync.WaitGroup
	var searches atomic.Int64
	for i := range 2 {
		searchers.Go(func() {
			for n := i; ctx.Err() == nil; n++ {
				near, err := searchFor(context.WithoutCancel(ctx), s, e, questions[n%len(questions)], 10, nil)
				if err != nil || len(near) != 10 {
					t.Errorf("during a rebuild: %d chunks, %v", len(near), err)
					return
				}
				searches.Add(1)
			}
		})
	}
	changed := warehouse(1000)
	changed.Tables[1].Comment = "zebras"
	ed, fresh := editionOf(changed)
	before := searches.Load()
	if built := mustUpdate(t, s, ed, fresh); !built.Changed || built.Embedded != 1 || fresh.documents.Load() != 1 {
		t.Errorf("rebuilt %+v with %d texts embedded", built, fresh.documents.Load())
	}
	if searches.Load() == before {
		t.Error("nobody could search during the rebuild")
	}
	stop()
	searchers.Wait()
	if near := find(t, s, fresh, "zebras", 1, nil); len(near) != 1 || near[0].Table != changed.Tables[1].Name {
		t.Errorf("the new edition finds %v", near)
	}
}

func TestUpdate(t *testing.T) {
	database := newDatabase(t)
	s := newStore(t, database)
	ed, e := editionOf(warehouse(20))
	mustUpdate(t, s, ed, e)
	t.Run("what is there isn't made again", func(t *testing.T) {
		e.documents.Store(0)
		if built := mustUpdate(t, s, ed, e); built.Changed || e.documents.Load() != 0 {
			t.Errorf("%+v with %d texts embedded", built, e.documents.Load())
		}
	})
	t.Run("by another instance neither", func(t *testing.T) {
		other := newStore(t, database)
		if built := mustUpdate(t, other, ed, e); built.Changed {
			t.Errorf("%+v", built)
		}
		if near := find(t, other, e, "t0007", 1, nil); len(near) != 1 || !strings.HasPrefix(near[0].Table.Table, "t0007") {
			t.Errorf("found %v", near)
		}
	})
	t.Run("all instances at once make one", func(t *testing.T) {
		fresh := newDatabase(t)
		var changed atomic.Int64
		var all sync.WaitGroup
		for range 4 {
			s := newStore(t, fresh)
			all.Go(func() {
				built, err := s.Update(t.Context(), ed, e)
				if err != nil {
					t.Error(err)
				}
				if built.Changed {
					changed.Add(1)
				}
			})
		}
		all.Wait()
		if changed.Load() != 1 {
			t.Errorf("%d made it", changed.Load())
		}
	})
	t.Run("what one that died left behind is dropped", func(t *testing.T) {
		conn := connect(t, database)
		exec(t, conn, `INSERT INTO pgask.index_editions (id, database, digest, embedder, dimensions, chunks) OVERRIDING SYSTEM VALUE VALUES (99, 'acme', 'x', 'x', 3, 0)`)
		exec(t, conn, `CREATE TABLE pgask.index_edition_99 (kind text)`)
		next, e := editionOf(warehouse(21))
		mustUpdate(t, s, next, e)
		var tables int
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_class WHERE relname LIKE 'index\_edition\_%' AND relkind = 'r'`).Scan(&tables); err != nil || tables != 1 {
			t.Errorf("%d tables are left, %v", tables, err)
		}
	})
	t.Run("another embedder embeds all", func(t *testing.T) {
		ed, _ := editionOf(warehouse(20))
		other := &counting{Lexical: e.Lexical, name: "-other"}
		ed = index.NewEdition("acme", other, ed.Chunks)
		if built := mustUpdate(t, s, ed, other); built.Embedded != len(index.Texts(ed.Chunks)) {
			t.Errorf("%+v", built)
		}
		if near := find(t, s, e, "t0007", 1, nil); near != nil {
			t.Errorf("vectors of two embedders were compared: %v", near)
		}
		other.wider = true
		chunks := append(ed.Chunks[:len(ed.Chunks):len(ed.Chunks)], index.Chunk{Kind: index.KindTable, Table: catalog.Name{Schema: "s", Table: "new"}, Text: "new"})
		if built := mustUpdate(t, s, index.NewEdition("acme", other, chunks), other); built.Embedded != len(index.Texts(chunks)) {
			t.Errorf("vectors of another length: %+v", built)
		}
	})
	t.Run("an embedder that fails changes nothing", func(t *testing.T) {
		before := find(t, s, &counting{Lexical: e.Lexical, name: "-other"}, "t0007", 3, nil)
		next, _ := editionOf(warehouse(30))
		if _, err := s.Update(t.Context(), next, broken{e}); err == nil || !strings.Contains(err.Error(), "no vectors today") {
			t.Errorf("got %v", err)
		}
		if after := find(t, s, &counting{Lexical: e.Lexical, name: "-other"}, "t0007", 3, nil); len(after) != len(before) {
			t.Errorf("%v became %v", before, after)
		}
	})
	t.Run("no chunks", func(t *testing.T) {
		empty := index.NewEdition("empty", e, nil)
		if built := mustUpdate(t, s, empty, e); !built.Changed {
			t.Errorf("%+v", built)
		}
	})
}

type broken struct{ *counting }

func (broken) Documents(context.Context, []string) ([][]float32, error) {
	return nil, fmt.Errorf("no vectors today")
}

func TestLikeness(t *testing.T) {
	s, memory := newStore(t, newDatabase(t)), index.NewMemory()
	ed, e := editionOf(warehouse(10))
	mustUpdate(t, s, ed, e)
	mustUpdate(t, memory, ed, e)
	got, want := find(t, s, e, "t0003", 5, nil), find(t, memory, e, "t0003", 5, nil)
	for i := range want {
		if math.Abs(got[i].Likeness-want[i].Likeness) > 0.01 {
			t.Errorf("%d: %v, want %v", i, got[i], want[i])
		}
	}
}

func TestCheck(t *testing.T) {
	server := postgres.ForTest(t)
	database := newDatabase(t)
	admin := connect(t, database)
	role := "index_login_" + database
	exec(t, admin, "CREATE ROLE "+role+" LOGIN PASSWORD 'x'")
	t.Cleanup(func() {
		exec(t, admin, "DROP OWNED BY "+role)
		exec(t, admin, "DROP ROLE "+role)
	})
	weak, err := New(server.UserDSN(database, role, "x"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(weak.Close)
	want := func(part string) {
		t.Helper()
		if err := weak.Check(t.Context()); err == nil && part != "" || err != nil && (part == "" || !strings.Contains(err.Error(), part)) {
			t.Errorf("got %v, want %q", err, part)
		}
	}
	want("CREATE on the database")
	exec(t, admin, "GRANT CREATE ON DATABASE "+database+" TO "+role)
	want("")
	ed, e := editionOf(warehouse(3))
	mustUpdate(t, newStore(t, database), ed, e)
	want("CREATE on the schema pgask")
	if _, err := New("postgres://%"); err == nil || strings.Contains(err.Error(), "%") {
		t.Errorf("got %v", err)
	}
	nowhere, err := New("postgres://u:secret@127.0.0.1:1/db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nowhere.Close)
	if err := nowhere.Check(t.Context()); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func connect(t *testing.T, database string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), postgres.ForTest(t).DSN(database))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}
