package snowflake

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// maxNames bounds what one definition may become when those that it names stand in it.
const maxNames = 500

// resolve parses an expression over a table and puts what its names stand for in their place, so that it is one of
// the base table's columns. Within are the columns and metrics that it is part of: a column may be called as the one it is of.
func (t *table) resolve(text string, within ...any) (*pg_query.Node, error) {
	names := 0
	return t.resolved(text, &names, within)
}

func (t *table) resolved(text string, names *int, within []any) (*pg_query.Node, error) {
	n, err := foreign.Parse(text)
	if err != nil {
		return nil, err
	}
	if n, err = translate(n); err != nil {
		return nil, err
	}
	return stmt.Rewrite(n, func(x *pg_query.Node) (*pg_query.Node, error) {
		if x.GetColumnRef() == nil {
			return x, nil
		}
		name, err := t.own(foreign.Parts(x.GetColumnRef()))
		if err != nil {
			return nil, err
		}
		if *names++; *names > maxNames {
			return nil, errors.New("it names too much that is made of other things")
		}
		var of any // what the name stands for
		text := ""
		if c := t.columns[name]; c != nil {
			of, text = c, c.expr()
		} else if m := t.metrics[name]; m != nil {
			of, text = m, m.Expr
		}
		switch {
		case of == nil, len(within) > 0 && within[len(within)-1] == of:
			return stmt.Column(name), nil
		case slices.Contains(within, of):
			return nil, fmt.Errorf("%s is made of itself", name)
		}
		return t.resolved(text, names, append(slices.Clone(within), of))
	})
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
	n, err := t.resolve(c.expr(), c)
	if err != nil {
		return "", err
	}
	if column, plain := foreign.Plain(n); plain {
		return column, nil
	}
	return "", fmt.Errorf("%s is computed", name)
}
