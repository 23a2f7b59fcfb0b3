package snowflake

import (
	"errors"
	"fmt"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// maxNames bounds what one definition may become when those that it names stand in it.
const maxNames = 100

// resolution is what a column or metric is over the base table's columns.
type resolution struct {
	n     *pg_query.Node
	names int // how many definitions stand in it
	err   error
	open  bool // it is being found
}

func (t *table) column(c *column) (*pg_query.Node, error) { return t.found(c, c.expr(), 0).copy() }

func (t *table) metric(x *metric) (*pg_query.Node, error) { return t.found(x, x.Expr, 0).copy() }

func (r *resolution) copy() (*pg_query.Node, error) { return stmt.Clone(r.n), r.err }

// found is what a column or metric is, within so many others.
func (t *table) found(of any, text string, depth int) *resolution {
	r := t.resolutions[of]
	switch {
	case r == nil:
		r = &resolution{open: true}
		t.resolutions[of] = r
		r.n, r.names, r.err = t.resolve(text, of, depth)
		r.open = false
	case r.open:
		return &resolution{err: errors.New("something in it is made of itself")}
	}
	return r
}

// resolve parses an expression over a table and puts what its names stand for in their place, so that it is one of
// the base table's columns. Self is whose expression it is: a column may be called as the one that it is of.
func (t *table) resolve(text string, self any, depth int) (*pg_query.Node, int, error) {
	n, err := foreign.Parse(text)
	if err != nil {
		return nil, 0, err
	}
	if n, err = translate(n); err != nil {
		return nil, 0, err
	}
	names := 0
	n, err = stmt.Rewrite(n, func(x *pg_query.Node) (*pg_query.Node, error) {
		if x.GetColumnRef() == nil {
			return x, nil
		}
		name, err := t.own(foreign.Parts(x.GetColumnRef()))
		if err != nil {
			return nil, err
		}
		of, text := t.meaning(name)
		if of == nil || of == self {
			return stmt.Column(name), nil
		}
		if names++; names > maxNames || depth == maxNames {
			return nil, errTooMuch
		}
		r := t.found(of, text, depth+1)
		if names += r.names; r.err == nil && names > maxNames {
			return nil, errTooMuch
		}
		return r.copy()
	})
	return n, names, err
}

// errTooMuch is said of definitions that would fill pages.
var errTooMuch = errors.New("it names too much that is made of other things")

// meaning is the column or metric of a name, with its expression.
func (t *table) meaning(name string) (any, string) {
	if c := t.columns[name]; c != nil {
		return c, c.expr()
	}
	if m := t.metrics[name]; m != nil {
		return m, m.Expr
	}
	return nil, ""
}

// own is the name of one of the table's own columns or metrics.
func (t *table) own(parts []string) (string, error) {
	switch {
	case len(parts) == 1, len(parts) == 2 && (parts[0] == fold(t.Name) || parts[0] == fold(t.Base.Table)):
		return parts[len(parts)-1], nil
	case len(parts) == 0:
		return "", errors.New("a definition names its columns, * isn't one")
	}
	return "", fmt.Errorf("it names %s, which isn't of its own table", strings.Join(parts, "."))
}

// physical is the base table's column that a name stands for.
func (t *table) physical(name string) (string, error) {
	c := t.columns[fold(name)]
	if c == nil {
		return fold(name), nil
	}
	n, err := t.column(c)
	if err != nil {
		return "", err
	}
	if column, plain := foreign.Plain(n); plain {
		return column, nil
	}
	return "", fmt.Errorf("%s is computed", name)
}
