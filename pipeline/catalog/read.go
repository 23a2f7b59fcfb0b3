package catalog

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Querier is what Read needs of a connection: a *pgx.Conn, a pool or a
// transaction. A transaction of isolation level repeatable read gives one
// consistent snapshot; without one, DDL between two queries may show in half.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Options say what Read reads besides the schema.
type Options struct {
	// Samples turns value samples on: they are read with the connection's
	// own rights.
	Samples bool
	// SampleFor, when set, tells which columns may be sampled.
	SampleFor func(t *Table, c *Column) bool
	// Limits bound the samples; zero fields take the defaults.
	Limits Limits
}

// Read makes a snapshot of the database behind a connection.
func Read(ctx context.Context, conn Querier, o Options) (*Snapshot, error) {
	r := &reader{ctx: ctx, conn: conn, tables: map[uint32]*Table{}}
	for _, step := range []struct {
		name string
		run  func() error
	}{{"server", r.identity}, {"types", r.types}, {"relations", r.relations}, {"columns", r.columns},
		{"keys", r.keys}, {"foreign keys", r.foreignKeys}, {"estimates", r.partitionedRows}, {"statistics", r.distinct},
		{"system relations", r.system}, {"schemas", r.schemas}, {"indexes", r.indexes}, {"constraints", r.constraints},
		{"functions", r.functions}, {"additions to pg_catalog", r.added}, {"type objects", r.typeObjects},
		{"functions of types", r.typeCode}} {
		if err := step.run(); err != nil {
			return nil, fmt.Errorf("read catalog: %s: %w", step.name, err)
		}
	}
	s := NewSnapshot(r.database, r.server, r.list, r.userTypes).With(r.objects)
	if !o.Samples {
		return s, nil
	}
	samples, err := ReadSamples(ctx, conn, s, o)
	if err != nil {
		return nil, fmt.Errorf("read samples: %w", err)
	}
	return WithSamples(s, samples), nil
}

// Fingerprint is a text that changes when the schema does. It costs a few
// milliseconds, so that a snapshot's age can be checked often.
func Fingerprint(ctx context.Context, conn Querier) (string, error) {
	rows, err := conn.Query(ctx, fingerprintQuery)
	if err != nil {
		return "", fmt.Errorf("fingerprint catalog: %w", err)
	}
	f, err := pgx.CollectExactlyOneRow(rows, pgx.RowTo[string])
	if err != nil {
		return "", fmt.Errorf("fingerprint catalog: %w", err)
	}
	return f, nil
}

// reader collects one snapshot.
type reader struct {
	ctx       context.Context
	conn      Querier
	database  string
	server    int
	tables    map[uint32]*Table
	list      []*Table
	userTypes []UserType
	objects   Objects
}

// each runs a query and calls f for every row, whose values are then in the
// targets.
func (r *reader) each(sql string, targets []any, f func()) error {
	rows, err := r.conn.Query(r.ctx, sql)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, targets, func() error { f(); return nil })
	return err
}

func (r *reader) identity() error {
	return r.each(identityQuery, []any{&r.database, &r.server}, func() {})
}

func (r *reader) types() error {
	var t UserType
	var kind, category string
	return r.each(typesQuery, []any{&t.OID, &t.Schema, &t.Name, &kind, &t.Labels,
		&t.Base.OID, &t.Base.Schema, &t.Base.Name, &t.Base.SQL, &category}, func() {
		u := t
		u.Kind, u.Base.Category = kind[0], first(category)
		u.Base.SQL = spelled(u.Base)
		u.Labels = slices.Clone(t.Labels)
		t.Labels = nil
		r.userTypes = append(r.userTypes, u)
	})
}

func (r *reader) relations() error {
	var t Table
	var kind string
	return r.each(relationsQuery, []any{&t.OID, &t.Name.Schema, &t.Name.Table, &kind, &t.Partition, &t.Comment,
		&t.Rows, &t.Parent.Schema, &t.Parent.Table}, func() {
		u := t
		u.Kind = Kind(kind[0])
		r.tables[u.OID] = &u
		r.list = append(r.list, &u)
	})
}

func (r *reader) columns() error {
	var table uint32
	var c Column
	var attnum int16
	var category string
	err := r.each(columnsQuery, []any{&table, &c.Name, &attnum, &c.NotNull, &c.Generated, &c.Comment,
		&c.Type.OID, &c.Type.Schema, &c.Type.Name, &c.Type.SQL, &category, &c.Collation}, func() {
		t := r.tables[table]
		if t == nil {
			return // made since the relations were read
		}
		d := c
		d.Attnum, d.Type.Category = int(attnum), first(category)
		d.Type.SQL = spelled(d.Type)
		d.Values = r.labels(d.Type)
		d.AllValues = len(d.Values) > 0
		t.Columns = append(t.Columns, &d)
	})
	return err
}

// spelled is a type's spelling under any search_path: format_type leaves the
// schema out where the type is in the path.
func spelled(t Type) string {
	if t.Schema == "pg_catalog" || t.Schema == "" || t.Category == 'A' {
		return t.SQL
	}
	return identifier(t.Schema) + "." + identifier(t.Name)
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// identifier quotes a name where it isn't plain. A plain name that is a
// reserved word stays bare: this spelling is for people.
func identifier(s string) string {
	if plainName.MatchString(s) {
		return s
	}
	return quoteIdent(s)
}

// labels are an enum's, also of a domain over one.
func (r *reader) labels(t Type) []string {
	for range len(r.userTypes) {
		i := slices.IndexFunc(r.userTypes, func(u UserType) bool { return u.OID == t.OID })
		switch {
		case i < 0:
			return nil
		case r.userTypes[i].Kind != 'd':
			return r.userTypes[i].Labels
		}
		t = r.userTypes[i].Base
	}
	return nil
}

func (r *reader) keys() error {
	var table uint32
	var primary bool
	var columns []string
	return r.each(keysQuery, []any{&table, &primary, &columns}, func() {
		t := r.tables[table]
		switch {
		case t == nil:
		case primary:
			t.PrimaryKey = slices.Clone(columns)
		default:
			t.Unique = append(t.Unique, slices.Clone(columns))
		}
	})
}

func (r *reader) foreignKeys() error {
	var table uint32
	var f ForeignKey
	return r.each(foreignKeysQuery, []any{&table, &f.Name, &f.Ref.Schema, &f.Ref.Table, &f.Columns, &f.RefColumns}, func() {
		if t := r.tables[table]; t != nil {
			g := f
			g.Columns, g.RefColumns = slices.Clone(f.Columns), slices.Clone(f.RefColumns)
			t.ForeignKeys = append(t.ForeignKeys, &g)
		}
	})
}

func (r *reader) distinct() error {
	byName := map[Name]*Table{}
	for _, t := range r.list {
		byName[t.Name] = t
	}
	var n Name
	var column string
	var distinct float64
	return r.each(distinctQuery, []any{&n.Schema, &n.Table, &column, &distinct}, func() {
		t := byName[n]
		if t == nil || t.Column(column) == nil {
			return
		}
		if distinct < 0 {
			distinct = -distinct * max(t.Rows, 0)
		}
		t.Column(column).Distinct = distinct
	})
}

// partitionedRows adds up the partitions of a table whose own estimate
// ANALYZE never made.
func (r *reader) partitionedRows() error {
	for range 8 { // partitions may be partitioned
		for _, t := range r.list {
			if t.Kind != KindPartitioned || t.Rows >= 0 {
				continue
			}
			sum, known := 0.0, false
			for _, p := range r.list {
				if p.Partition && p.Parent == t.Name {
					sum, known = sum+max(p.Rows, 0), known || p.Rows >= 0
				}
			}
			if known {
				t.Rows = sum
			}
		}
	}
	return nil
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// quoteIdent quotes a name for SQL, always.
func quoteIdent(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
