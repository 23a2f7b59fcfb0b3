package cube

import (
	"errors"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// sql is a dimension's expression as the file has it.
func (d *dimension) sql() (string, error) {
	switch {
	case d.SubQuery:
		return "", errors.New("it is a measure of other rows")
	case d.Type == "geo":
		return "", errors.New("it is a place on a map, which no column is")
	case d.Case != nil:
		return d.cases(), nil
	case strings.TrimSpace(d.SQL) == "":
		return "", errors.New("it has no sql")
	}
	return d.SQL, nil
}

func (d *dimension) cases() string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range d.Case.When {
		b.WriteString(" WHEN " + w.SQL + " THEN " + literal(w.Label))
	}
	if d.Case.Else.Label != nil {
		b.WriteString(" ELSE " + literal(*d.Case.Else.Label))
	}
	return b.String() + " END"
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// dimension is what a dimension is over its cube's columns.
func (im *importer) dimension(c *cube, d *dimension) (*pg_query.Node, error) {
	sql, err := d.sql()
	if err != nil {
		return nil, err
	}
	r, err := im.resolve(c, sql, false)
	switch {
	case err != nil:
		return nil, err
	case r.metrics:
		return nil, errors.New("it is a measure of other rows")
	case !r.only(c):
		return nil, errors.New("it is of another cube's columns")
	}
	return r.n, nil
}

// computed takes over a dimension that isn't a column.
func (im *importer) computed(c *cube, d *dimension, n *pg_query.Node) error {
	if d.PrimaryKey {
		return errors.New("the key is computed")
	}
	if err := foreign.Check(n, false); err != nil {
		return err
	}
	text, err := stmt.PrintExpr(n)
	if err != nil {
		return err
	}
	im.Dimension(d.At, foreign.Dimension{Name: d.called, Description: d.Description, Table: c.table, Expr: text,
		Synonyms: foreign.Words(d.called, foreign.Spoken(d.called), strings.ToLower(d.Title))}, n)
	return nil
}
