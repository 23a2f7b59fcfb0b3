package gold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// Set is a set of questions, with their databases loaded as schemas of one.
type Set struct {
	Questions []Question
	// Conn is the superuser's session in the database.
	Conn    *pgx.Conn
	Catalog *catalog.Snapshot
	// Relationships are the joins of the golden statements that no foreign key
	// declares; Semantic is a model that has them.
	Relationships []configs.Relationship
	Semantic      *semantic.Model
}

// Open reads the folder's questions.jsonl and runs its dumps (a file DB.sql for
// each database) in the empty database of the DSN. The caller closes Conn.
func Open(ctx context.Context, dir, dsn string) (*Set, error) {
	questions, err := Read(dir)
	if err != nil {
		return nil, fmt.Errorf("the questions that plans are measured by: %w", err)
	}
	if err := load(ctx, dsn, dir, questions); err != nil {
		return nil, err
	}
	s := &Set{Questions: questions}
	if s.Conn, err = pgx.Connect(ctx, dsn); err != nil {
		return nil, err
	}
	if err := s.understand(ctx); err != nil {
		return nil, errors.Join(err, s.Conn.Close(ctx))
	}
	return s, nil
}

// understand reads the schema, and what the statements add to it.
func (s *Set) understand(ctx context.Context) error {
	var err error
	if s.Catalog, err = catalog.Read(ctx, s.Conn, catalog.Options{}); err != nil {
		return err
	}
	if s.Relationships, err = relationships(ctx, s.Conn, s.Questions, s.Catalog); err != nil {
		return err
	}
	s.Semantic, _ = semantic.Build(configs.Semantic{Relationships: s.Relationships}, s.Catalog)
	return nil
}

// meta are the lines of a dump that only psql understands.
var meta = regexp.MustCompile(`(?m)^\\.*$`)

// load runs the dumps, each into a schema of its database's name, on a
// connection of its own: they change its settings.
func load(ctx context.Context, dsn, dir string, questions []Question) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, db := range Databases(questions) {
		if err := run(ctx, conn, dir, db, "; ALTER SCHEMA public RENAME TO "+pgx.Identifier{db}.Sanitize()+"; CREATE SCHEMA public"); err != nil {
			return err
		}
	}
	return nil
}

// Load runs the dump of one of the folder's databases in the empty database of
// the DSN.
func Load(ctx context.Context, dsn, dir, db string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return run(ctx, conn, dir, db, "")
}

// run runs a dump and the statements that go behind it.
func run(ctx context.Context, conn *pgx.Conn, dir, db, behind string) error {
	script, err := os.ReadFile(filepath.Join(dir, db+".sql"))
	if err != nil {
		return err
	}
	if _, err = Rows(ctx, conn.PgConn(), meta.ReplaceAllString(string(script), "")+behind); err != nil {
		return fmt.Errorf("load %s: %w", db, err)
	}
	return nil
}

// Rows runs statements and gives the rows of the last in text form, nil for
// null.
func Rows(ctx context.Context, conn *pgconn.PgConn, sql string) ([][]*string, error) {
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, err
	}
	var out [][]*string
	for _, values := range results[len(results)-1].Rows {
		row := make([]*string, len(values))
		for i, v := range values {
			if v != nil {
				s := string(v)
				row[i] = &s
			}
		}
		out = append(out, row)
	}
	return out, nil
}
