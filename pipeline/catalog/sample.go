package catalog

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Limits bound what is sampled of a column. Zero fields take the defaults.
type Limits struct {
	// All is the most distinct values that are all kept, default 50.
	All int
	// Top is how many of the most frequent are kept otherwise, default 5.
	Top int
	// Rows is how many rows of a table are looked at, default 200,000.
	Rows int
	// Length is the longest value worth keeping, in bytes, default 64: what is
	// longer is prose.
	Length int
}

func (l Limits) orDefault() Limits {
	for _, x := range []struct {
		field *int
		value int
	}{{&l.All, 50}, {&l.Top, 5}, {&l.Rows, 200_000}, {&l.Length, 64}} {
		if *x.field <= 0 {
			*x.field = x.value
		}
	}
	return l
}

// SampleKind is what of a column is worth knowing.
type SampleKind int

// The kinds of sample.
const (
	SampleNone   SampleKind = iota
	SampleValues            // the values people name in questions
	SampleRange             // the least and the greatest
)

// Sample is what was seen of a column.
type Sample struct {
	Table  Name
	Column string
	// Values are the most frequent first; All tells that there are no others.
	Values []string
	All    bool
	// Min and Max are empty for a column without values.
	Min, Max string
}

// SampleQuery is one question about a column's values. Whoever may run its SQL
// (as it is, or scoped for a role) gives the rows to Values or Range.
type SampleQuery struct {
	Table  Name
	Column string
	Kind   SampleKind
	// SQL is a single SELECT over this table alone. Values: value and count,
	// both text or null; range: least and greatest.
	SQL string
	// Whole tells that the SQL looks at all rows.
	Whole  bool
	key    bool
	rows   string // a SELECT of the values, each as v
	limits Limits
}

// KindOf tells what of a column is worth sampling: values of text, the range of
// dates and of numbers that are no keys. Text keys count, since short ones are
// names that people say (a region's code); long lists of them aren't kept. An
// enum's labels are known, unless somebody may see a part of the rows only.
func KindOf(t *Table, c *Column) SampleKind {
	if c.Type.Category == 'S' {
		return SampleValues
	}
	if t.isKey(c.Name) {
		return SampleNone
	}
	switch c.Type.Category {
	case 'E':
		if len(c.Values) == 0 {
			return SampleValues
		}
	case 'D':
		return SampleRange
	case 'N':
		if strings.HasPrefix(c.Type.Name, "reg") || c.Type.Name == "oid" {
			return SampleNone
		}
		return SampleRange
	}
	return SampleNone
}

// isKey tells whether the column identifies rows: its own or another table's.
func (t *Table) isKey(column string) bool {
	if slices.Contains(t.PrimaryKey, column) && (len(t.PrimaryKey) == 1 || !isMoment(t.Column(column))) {
		return true
	}
	for _, u := range t.Unique {
		if len(u) == 1 && u[0] == column {
			return true
		}
	}
	return slices.ContainsFunc(t.ForeignKeys, func(f *ForeignKey) bool { return slices.Contains(f.Columns, column) })
}

func isMoment(c *Column) bool { return c != nil && c.Type.Category == 'D' }

// SampleQueries are the questions about a table's columns that want allows
// (nil: all), in column order.
func SampleQueries(t *Table, want func(*Table, *Column) bool, l Limits) []SampleQuery {
	var out []SampleQuery
	for _, c := range t.Columns {
		kind := KindOf(t, c)
		if kind == SampleNone || want != nil && !want(t, c) {
			continue
		}
		rows := fmt.Sprintf("SELECT s.%s AS v FROM %s.%s AS s", quoteIdent(c.Name), quoteIdent(t.Name.Schema), quoteIdent(t.Name.Table))
		out = append(out, sampleQuery(t, c.Name, kind, rows, l.orDefault()))
	}
	return out
}

// SampleExpression is the question about what is computed of a table's rows as if that were
// a column of it. The rows are a SELECT over the table alone, of one column v. False
// where nothing is worth knowing.
func SampleExpression(t *Table, c *Column, rows string, l Limits) (SampleQuery, bool) {
	kind := KindOf(t, c)
	return sampleQuery(t, c.Name, kind, rows, l.orDefault()), kind != SampleNone
}

func sampleQuery(t *Table, column string, kind SampleKind, rows string, l Limits) SampleQuery {
	q := SampleQuery{Table: t.Name, Column: column, Kind: kind, rows: rows, limits: l}
	q.key = t.isKey(column)
	q.Whole = t.Rows >= 0 && t.Rows*1.5 < float64(l.Rows)
	from := fmt.Sprintf("(%s LIMIT %d) AS x", rows, l.Rows)
	if kind == SampleRange {
		q.SQL = fmt.Sprintf("SELECT min(x.v)::text, max(x.v)::text FROM %s", from)
		return q
	}
	q.SQL = fmt.Sprintf("SELECT x.v::text, count(*)::text FROM %s WHERE x.v IS NOT NULL GROUP BY x.v ORDER BY count(*) DESC, x.v LIMIT %d", from, l.All+1)
	return q
}

// Range is the question for the range of the same column; for text whose
// values turned out to be dates.
func (q SampleQuery) Range() SampleQuery {
	t := &Table{Name: q.Table, Rows: -1}
	r := sampleQuery(t, q.Column, SampleRange, q.rows, q.limits)
	r.Whole = q.Whole
	return r
}

// Read makes a sample of the query's rows, values in text form and nil for null.
func (q SampleQuery) Read(rows [][]*string) Sample {
	s := Sample{Table: q.Table, Column: q.Column}
	if q.Kind == SampleRange {
		if len(rows) == 1 && len(rows[0]) == 2 && rows[0][0] != nil && rows[0][1] != nil {
			s.Min, s.Max = *rows[0][0], *rows[0][1]
		}
		return s
	}
	for _, r := range rows {
		if len(r) > 0 && r[0] != nil {
			s.Values = append(s.Values, *r[0])
		}
	}
	if slices.ContainsFunc(s.Values, func(v string) bool { return len(v) > q.limits.Length }) {
		s.Values = nil // prose: nobody names it in a question, and it may hold anything
		return s
	}
	if len(s.Values) > q.limits.All && q.key {
		s.Values = nil // five of many keys say nothing
		return s
	}
	if len(s.Values) > q.limits.All {
		s.Values = s.Values[:q.limits.Top]
		return s
	}
	s.All = q.Whole && len(s.Values) > 0
	return s
}

var isoDate = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?$`)

// Dates tells whether all values of a sample are ISO dates or months, which
// sort as text the way they do as dates.
func (s Sample) Dates() bool {
	return len(s.Values) > 0 && !slices.ContainsFunc(s.Values, func(v string) bool {
		return !isoDate.MatchString(v) || len(v) != len(s.Values[0])
	})
}

// ReadSamples asks all sample queries of a snapshot over one connection, with
// its own rights. A table that it may not read has no samples; inside a
// transaction its error would end the others' too, so there must be none.
func ReadSamples(ctx context.Context, conn Querier, s *Snapshot, o Options) ([]Sample, error) {
	var out []Sample
	for _, t := range s.Tables {
		if t.Partition {
			continue // its parent's samples hold for it
		}
		for _, q := range SampleQueries(t, o.SampleFor, o.Limits) {
			sample, err := q.Ask(func(sql string) ([][]*string, error) { return TextRows(ctx, conn, sql) })
			if err != nil && ctx.Err() != nil {
				return nil, err
			}
			if err != nil {
				break // no rights on the table, or a view that fails
			}
			out = append(out, sample)
		}
	}
	return out, nil
}

// Ask makes a sample by running the query, and where the values turn out to be
// dates, the one for their range: a range that can't be read is left out. run
// gives a statement's rows as TextRows does; it may scope the SQL first.
func (q SampleQuery) Ask(run func(sql string) ([][]*string, error)) (Sample, error) {
	rows, err := run(q.SQL)
	if err != nil {
		return Sample{}, fmt.Errorf("sample %s.%s: %w", q.Table.Table, q.Column, err)
	}
	s := q.Read(rows)
	if q.Kind != SampleValues || !s.Dates() {
		return s, nil
	}
	if rows, err = run(q.Range().SQL); err == nil {
		r := q.Range().Read(rows)
		s.Min, s.Max = r.Min, r.Max
	}
	return s, nil
}

// TextRows runs a statement of two text columns.
func TextRows(ctx context.Context, conn Querier, sql string) ([][]*string, error) {
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]*string, error) {
		out := make([]*string, 2)
		return out, row.Scan(&out[0], &out[1])
	})
}

// WithSamples is the snapshot with samples in its columns. Tables without
// samples are shared with the old one, which stays as it is.
func WithSamples(s *Snapshot, samples []Sample) *Snapshot {
	byTable := map[Name][]Sample{}
	for _, x := range samples {
		byTable[x.Table] = append(byTable[x.Table], x)
	}
	tables := slices.Clone(s.Tables)
	for i, t := range tables {
		if list := byTable[t.Name]; len(list) > 0 {
			tables[i] = t.withSamples(list)
		}
	}
	out := *s
	out.Tables = tables
	out.byName = make(map[Name]*Table, len(tables))
	for _, t := range tables {
		out.byName[t.Name] = t
	}
	return &out
}

func (t *Table) withSamples(samples []Sample) *Table {
	u := *t
	u.Columns = slices.Clone(t.Columns)
	for i, c := range u.Columns {
		for _, x := range samples {
			if x.Column == c.Name {
				u.Columns[i] = u.Columns[i].WithSample(x)
			}
		}
	}
	return &u
}

// WithSample is the column with what was seen of it.
func (c *Column) WithSample(x Sample) *Column {
	d := *c
	if len(x.Values) > 0 {
		d.Values, d.AllValues = x.Values, x.All
	}
	if x.Min != "" || x.Max != "" {
		d.Min, d.Max = x.Min, x.Max
	}
	return &d
}
