package snowflake

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// words are a metric's name and other words.
func (x *metric) words() foreign.Metric {
	return foreign.Metric{Name: x.called, Description: x.Description,
		Synonyms: foreign.Words(x.called, append([]string{foreign.Spoken(x.called)}, x.Synonyms...)...)}
}

// metrics takes over a table's own.
func (im *importer) metrics(t *table) {
	for _, x := range t.Metrics {
		if err := im.metric(t, x); err != nil {
			im.Note(x.At, "metric "+x.called, "%v", err)
		} else {
			im.shown(x)
		}
	}
}

// private is how a fact or a metric says that it stands only in others.
const private = "private_access"

// shown says of a metric that was hidden that it isn't any more.
func (im *importer) shown(x *metric) {
	if x.Access == private {
		im.Note(x.At, "metric "+x.called, "it is private there; here everybody sees it who may read what it is made of")
	}
}

func (im *importer) metric(t *table, x *metric) error {
	if made, expr, err := im.calculation(t, x); made || err != nil {
		if err == nil {
			im.Calculated(x.At, x.words(), expr)
		}
		return err
	}
	n, err := t.metric(x)
	if err != nil {
		return err
	}
	return im.measured(t, x, n)
}

// measured adds a metric whose expression is one over the base table.
func (im *importer) measured(t *table, x *metric, n *pg_query.Node) error {
	if err := foreign.Check(n, true); err != nil {
		return err
	}
	out, err := x.words(), error(nil)
	out.Table = t.base
	if out.Additivity, err = im.additivity(t, x, n); err != nil {
		return err
	}
	if out.Expr, err = stmt.PrintExpr(n); err != nil {
		return err
	}
	im.Metric(x.At, out)
	return nil
}

// calculation tells whether a metric is arithmetic over metrics only, and gives it with the names that those get.
func (im *importer) calculation(t *table, x *metric) (bool, *pg_query.Node, error) {
	n, err := foreign.Parse(x.Expr)
	if err != nil {
		return false, nil, err
	}
	if n, err = translate(n); err != nil {
		return false, nil, err
	}
	all, some := true, false
	n, err = stmt.Rewrite(n, func(y *pg_query.Node) (*pg_query.Node, error) {
		if y.GetColumnRef() == nil {
			return y, nil
		}
		if of := im.referred(t, foreign.Parts(y.GetColumnRef())); of != nil && of != x {
			some = true
			return stmt.Column(of.called), nil
		}
		all = false
		return y, nil
	})
	return all && some && len(semantic.Aggregates(n)) == 0, n, err
}

// referred is the metric that a name means, of a table's own or of that which it says; nil where it means something else.
func (im *importer) referred(t *table, parts []string) *metric {
	if len(parts) == 2 {
		t = im.tables[parts[0]]
	}
	if t != nil && len(parts) > 0 && t.columns[parts[len(parts)-1]] == nil {
		return t.metrics[parts[len(parts)-1]]
	}
	if len(parts) == 1 && t == nil {
		if i := slices.IndexFunc(im.Metrics, func(x *metric) bool { return fold(x.Name) == parts[0] }); i >= 0 {
			return im.Metrics[i]
		}
	}
	return nil
}

// across takes over a metric of the whole model: made of others, or of one table after all.
func (im *importer) across(x *metric) {
	err := im.acrossTables(x)
	if err != nil {
		im.Note(x.At, "metric "+x.called, "%v", err)
		return
	}
	im.shown(x)
}

func (im *importer) acrossTables(x *metric) error {
	made, expr, err := im.calculation(nil, x)
	switch {
	case err != nil:
		return err
	case made:
		im.Calculated(x.At, x.words(), expr)
		return nil
	}
	only, err := im.onlyTable(x)
	if err != nil {
		return err
	}
	n, _, err := only.resolve(x.Expr, x, 0)
	if err != nil {
		return err
	}
	return im.measured(only, x, n)
}

// onlyTable is the one table whose columns and metrics an expression names.
func (im *importer) onlyTable(x *metric) (*table, error) {
	n, err := foreign.Parse(x.Expr)
	if err != nil {
		return nil, err
	}
	var only *table
	for _, parts := range foreign.References(n) {
		if len(parts) != 2 || im.tables[parts[0]] == nil {
			return nil, fmt.Errorf("it names %s, which is no metric and no table's column", strings.Join(parts, "."))
		}
		if only != nil && only != im.tables[parts[0]] {
			return nil, errors.New("it aggregates columns of several tables: give each table's part a name of its own, and calculate with those")
		}
		only = im.tables[parts[0]]
	}
	if only == nil {
		return nil, errors.New("it names no metric")
	}
	return only, nil
}

// additivity is what a metric says, else what its expression shows. The last of the sorted rows counts.
func (im *importer) additivity(t *table, x *metric, n *pg_query.Node) (foreign.Additivity, error) {
	switch len(x.NonAdditive) {
	case 0:
		return foreign.KindOf(n), nil
	case 1:
	default:
		return foreign.Additivity{}, errors.New("it isn't additive over several dimensions, one behind another; here one column picks the time")
	}
	by := x.NonAdditive[0]
	if by.Table != "" && im.tables[fold(by.Table)] != t {
		return foreign.Additivity{}, fmt.Errorf("it isn't additive over %s.%s, which isn't of its own table", by.Table, by.Dimension)
	}
	c, err := t.physical(by.Dimension)
	if err != nil {
		return foreign.Additivity{}, fmt.Errorf("the time that picks its rows: %w", err)
	}
	out := foreign.Additivity{Kind: "semi", NotOver: []string{configs.Spell(c)}, Time: "last"}
	if strings.EqualFold(by.Sort, "descending") {
		out.Time = "first"
	}
	return out, nil
}
