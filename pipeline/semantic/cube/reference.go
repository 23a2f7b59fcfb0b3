package cube

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/semantic/foreign"
	"github.com/pgask/pgask/pipeline/stmt"
)

// maxText bounds what an expression may become when the members that it names stand in it.
const maxText = 1 << 14

// aMetric qualifies measures where they stand as columns of their metrics' names; no cube is called so.
const aMetric = "a metric"

// expression is SQL without references.
type expression struct {
	n *pg_query.Node
	// of are the cubes whose columns it names, each once. Those columns are bare where it is one.
	of []*cube
	// metrics tells that it names measures.
	metrics bool
}

// resolver puts what references stand for in their place.
type resolver struct {
	im *importer
	// inline has measures stand in an expression by what they aggregate.
	inline bool
	within []string
	err    error
}

// resolve gives a text of a cube's as SQL over the columns of cubes' tables. Names without braces are its own columns.
func (im *importer) resolve(c *cube, text string, inline bool) (expression, error) {
	r := &resolver{im: im, inline: inline}
	text = r.text(c, text)
	if r.err != nil {
		return expression{}, r.err
	}
	n, err := foreign.Parse(text)
	if err != nil {
		return expression{}, err
	}
	out := expression{}
	out.n, err = im.columns(c, n, func(at *cube, column string) *pg_query.Node {
		if out.metrics = out.metrics || at == nil; at != nil && !slices.Contains(out.of, at) {
			out.of = append(out.of, at)
		}
		return stmt.Column(column)
	})
	return out, err
}

// columns visits the columns of an expression that a cube has: f says what stands for each. It gets no cube with a metric.
func (im *importer) columns(c *cube, n *pg_query.Node, f func(at *cube, column string) *pg_query.Node) (*pg_query.Node, error) {
	return stmt.Rewrite(n, func(x *pg_query.Node) (*pg_query.Node, error) {
		if x.GetColumnRef() == nil {
			return x, nil
		}
		switch parts := foreign.Parts(x.GetColumnRef()); {
		case len(parts) == 1:
			return f(c, parts[0]), nil
		case len(parts) == 2 && parts[0] == aMetric:
			return f(nil, parts[1]), nil
		case len(parts) == 2 && im.cubes[parts[0]] != nil:
			return f(im.cubes[parts[0]], parts[1]), nil
		default:
			return nil, fmt.Errorf("it names %s, which is no column of a cube that was taken over", strings.Join(parts, "."))
		}
	})
}

// reference is {CUBE}, {cube}, {member} or {cube.member}, with the column where .column is behind it.
var reference = regexp.MustCompile(`\{\s*([^{}]*?)\s*\}(\s*\.\s*(?:"(?:[^"]|"")*"|[A-Za-z_]\w*))?`)

func (r *resolver) fail(format string, args ...any) string {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
	return ""
}

// text is a cube's text without references.
func (r *resolver) text(c *cube, text string) string {
	switch {
	case foreign.Templated(text):
		return r.fail("it holds a template")
	case strings.Contains(text, `\{`):
		return r.fail("it holds braces of its own")
	}
	out := reference.ReplaceAllStringFunc(text, func(found string) string {
		if r.err != nil {
			return ""
		}
		m := reference.FindStringSubmatch(found)
		return r.one(c, strings.Split(m[1], "."), m[2])
	})
	if len(out) > maxText {
		return r.fail("it names too much that is made of other things")
	}
	return out
}

// one is what a reference stands for; behind is the .column that follows it.
func (r *resolver) one(c *cube, parts []string, behind string) string {
	name, at := parts[len(parts)-1], r.im.cube(c, parts[0])
	switch {
	case len(parts) == 1 && at != nil && behind != "":
		return configs.Spell(at.Name) + behind
	case len(parts) == 1 && c.has(name):
		return r.member(c, name) + behind
	case len(parts) == 2 && at != nil && at.has(name):
		return r.member(at, name) + behind
	}
	return r.fail("it names {%s}, which is no member of a cube that was taken over", strings.Join(parts, "."))
}

// cube finds a cube by its name, or the one that speaks of itself.
func (im *importer) cube(own *cube, name string) *cube {
	if name == "CUBE" {
		return own
	}
	return im.cubes[name]
}

func (c *cube) has(name string) bool { return c.dimensions[name] != nil || c.measures[name] != nil }

// member is a dimension's expression, or a measure.
func (r *resolver) member(c *cube, name string) string {
	key := c.Name + "." + name
	if slices.Contains(r.within, key) {
		return r.fail("it is made of itself: %s", strings.Join(append(r.within, key), " → "))
	}
	if len(r.within) == foreign.MaxDepth {
		return r.fail("it is made of more than %d others, one within another", foreign.MaxDepth)
	}
	m := c.measures[name]
	if m != nil && !r.inline {
		return configs.Spell(aMetric) + "." + configs.Spell(m.called)
	}
	r.within = append(r.within, key)
	defer func() { r.within = r.within[:len(r.within)-1] }()
	sql, err := "", error(nil)
	switch {
	case m == nil:
		sql, err = c.dimensions[name].sql()
	case len(m.Filters) > 0:
		err = errors.New("it has filters of its own; give what stands beside it a name, and calculate with both")
	default:
		sql, err = m.aggregate()
	}
	if err != nil {
		return r.fail("%s: %w", key, err)
	}
	return r.qualified(c, r.text(c, sql))
}

// qualified is a member's text with the name of its cube before its columns, as it may stand in others.
func (r *resolver) qualified(c *cube, text string) string {
	if r.err != nil {
		return ""
	}
	n, err := foreign.Parse(text)
	if err == nil {
		n, err = r.im.columns(c, n, func(at *cube, column string) *pg_query.Node {
			if at == nil {
				return stmt.Column(aMetric, column)
			}
			return stmt.Column(at.Name, column)
		})
	}
	if err != nil {
		return r.fail("%w", err)
	}
	out, err := stmt.PrintExpr(n)
	if err != nil {
		return r.fail("%w", err)
	}
	if n.GetColumnRef() != nil {
		return out
	}
	return "(" + out + ")"
}

// only tells whether an expression is one over the columns of a cube.
func (e expression) only(c *cube) bool { return len(e.of) == 0 || len(e.of) == 1 && e.of[0] == c }
