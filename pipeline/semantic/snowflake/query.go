package snowflake

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// query takes over a verified query as a curated one.
func (im *importer) query(q query) {
	id := identifier(q.Name)
	if id == "" {
		id = identifier(q.Question)
	}
	text, err := im.postgres(q)
	if err != nil {
		im.Note(q.At, "verified query "+id, "%v", err)
		return
	}
	im.Query(q.At, foreign.Query{ID: id, Question: q.Question, SQL: text})
}

func identifier(name string) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(name), "_"), "_")
}

// postgres is a query's SQL over the base tables.
func (im *importer) postgres(q query) (string, error) {
	switch {
	case strings.TrimSpace(q.Question) == "" || strings.ContainsAny(q.Question, "{}"):
		return "", errors.New("its question can't be one of a curated query, where {name} stands for a value")
	case foreign.Templated(q.SQL):
		return "", errors.New("its sql holds a template")
	}
	n, names, err := stmt.ParseNamed(strings.TrimRight(strings.TrimSpace(q.SQL), ";"), stmt.DefaultLimits())
	switch {
	case err != nil:
		return "", fmt.Errorf("its sql isn't Postgres's: %w", err)
	case len(names) > 0 || n.GetSelectStmt() == nil:
		return "", errors.New("its sql isn't a SELECT without places for values")
	}
	if n, err = translate(n); err != nil {
		return "", err
	}
	if err := foreign.Known(n); err != nil {
		return "", err
	}
	own, named := ctes(n), map[string]bool{}
	for _, parts := range foreign.References(n) {
		if len(parts) > 0 {
			named[parts[len(parts)-1]] = true
		}
	}
	n, err = stmt.Rewrite(n, func(x *pg_query.Node) (*pg_query.Node, error) {
		if r := x.GetRangeVar(); r != nil && (r.Schemaname != "" || !own[r.Relname]) {
			return im.source(r, named)
		}
		return x, nil
	})
	if err != nil {
		return "", err
	}
	text, err := stmt.Print(n)
	return stmt.Pretty(text), err
}

// ctes are the names that a query gives to parts of itself.
func ctes(n *pg_query.Node) map[string]bool {
	out := map[string]bool{}
	_ = stmt.Walk(n, func(m protoreflect.Message, _ stmt.Path) error { // the function never fails
		if c, ok := m.Interface().(*pg_query.CommonTableExpr); ok {
			out[c.Ctename] = true
		}
		return nil
	})
	return out
}

// source is what a query reads that names these columns: a logical table's columns under their names, or a base table.
func (im *importer) source(r *pg_query.RangeVar, named map[string]bool) (*pg_query.Node, error) {
	alias := r.Alias
	if alias == nil {
		alias = stmt.AliasOf(r.Relname)
	}
	if t := im.tables[strings.TrimPrefix(r.Relname, "__")]; t != nil && r.Schemaname == "" {
		return t.query(alias, named)
	}
	for _, t := range im.Tables {
		if r.Relname == fold(t.Base.Table) && r.Schemaname == fold(t.Base.Schema) && (r.Catalogname == "" || r.Catalogname == fold(t.Base.Database)) {
			return t.read(alias), nil
		}
	}
	return nil, fmt.Errorf("it reads %s, which isn't one of the model's tables", r.Relname)
}

// read is the base table.
func (t *table) read(alias *pg_query.Alias) *pg_query.Node {
	n := stmt.Table(t.schema, fold(t.Base.Table), "")
	if alias.Aliasname != fold(t.Base.Table) || len(alias.Colnames) > 0 {
		n.GetRangeVar().Alias = alias
	}
	return n
}

// query is a logical table: the base table where its columns are that table's, else what computes them.
// Named are the columns that are read, of whichever table.
func (t *table) query(alias *pg_query.Alias, named map[string]bool) (*pg_query.Node, error) {
	var targets []*pg_query.Node
	same := true
	for _, c := range t.logical() {
		n, err := t.column(c)
		if err == nil {
			err = foreign.Check(n, false)
		}
		switch {
		case err != nil && named[fold(c.Name)]:
			return nil, fmt.Errorf("it reads %s.%s: %w", t.Name, c.Name, err)
		case err != nil:
			continue
		}
		as := fold(c.Name)
		if name, plain := foreign.Plain(n); plain && name == as {
			as = ""
		}
		same = same && as == ""
		targets = append(targets, stmt.Target(n, as))
	}
	if same {
		return t.read(alias), nil
	}
	from := stmt.Table(t.schema, fold(t.Base.Table), "")
	n := stmt.Subselect(stmt.SelectNode(&pg_query.SelectStmt{TargetList: targets, FromClause: []*pg_query.Node{from}}), alias.Aliasname)
	n.GetRangeSubselect().Alias = alias
	return n, nil
}
