package snowflake

import (
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// table takes over a table and its columns.
func (im *importer) table(t *table) {
	_, base, _ := strings.Cut(t.base, ".")
	out := foreign.Table{Table: t.base, Description: t.Description, Columns: map[string]foreign.Column{},
		Synonyms: foreign.Words(foreign.Spoken(base), append([]string{foreign.Spoken(t.Name)}, t.Synonyms...)...)}
	for _, c := range t.logical() {
		if c.Aggregation == "" { // else its words are a metric's
			im.column(t, c, &out)
		}
	}
	im.Table(out)
	for _, f := range t.Filters {
		im.Note(f.At, "filter "+f.Name, "a condition has no name of its own; a metric's filter holds it, or a column of a view")
	}
	if len(t.Key.Columns) > 0 {
		im.key(t)
	}
}

func (im *importer) column(t *table, c *column, out *foreign.Table) {
	n, err := t.column(c)
	if err != nil {
		im.Note(c.At, "column "+c.Name, "%v", err)
		return
	}
	name, plain := foreign.Plain(n)
	if !plain {
		im.computed(t, c, n)
		return
	}
	words := foreign.Column{Description: c.Description, Synonyms: foreign.Words(foreign.Spoken(name), append([]string{foreign.Spoken(c.Name)}, c.Synonyms...)...)}
	if words.Description != "" || len(words.Synonyms) > 0 {
		out.Columns[configs.Spell(name)] = words
	}
}

// computed takes over a column that isn't one of the base table's. What is private stands only in what is made of it.
func (im *importer) computed(t *table, c *column, n *pg_query.Node) {
	if c.Access == private {
		return
	}
	err := foreign.Check(n, false)
	text := ""
	if err == nil {
		text, err = stmt.PrintExpr(n)
	}
	if err != nil {
		im.Note(c.At, "column "+c.Name, "%v", err)
		return
	}
	im.Dimension(c.At, foreign.Dimension{Name: c.called, Description: c.Description, Table: t.base, Expr: text,
		Synonyms: foreign.Words(c.called, append([]string{foreign.Spoken(c.called)}, c.Synonyms...)...)}, n)
}

// expr is the column's expression; its name where it has none.
func (c *column) expr() string {
	if strings.TrimSpace(c.Expr) == "" {
		return c.Name
	}
	return c.Expr
}
