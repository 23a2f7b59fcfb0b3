package plan

import (
	"fmt"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/pipeline/stmt"
)

// dimension checks the use of a registered expression. It stands for the rows of its table's
// relation in the plan as a column does.
func (c *checker) dimension(e *Expr, at string, env env) *typed {
	at += "/dimension"
	d, alias := c.dimensionCalled(e.Dimension)
	if d == nil {
		c.noDimension(e.Dimension, at)
		return nil
	}
	r := c.dimensionRel(d, alias, at, env)
	if r == nil {
		return nil
	}
	t := &typed{expr: Expr{Dimension: ColumnName(r.alias, d.Name)}, typ: typeOf(c.Catalog, d.Column.Type)}
	for _, name := range semantic.Columns(d.Expr) {
		col := r.table.Column(name)
		if col == nil { // a search shows no embedding
			c.faultf(stageNames, CodeColumn, at, "dimension %s reads %s, which %s doesn't show", d.Name, name, r.alias)
			return nil
		}
		part := c.columnOf(r, col)
		part.at = at
		t.parts = append(t.parts, part)
	}
	if t.tree = c.dimensionTree(d, r, at); t.tree == nil {
		return nil
	}
	return t
}

// dated is what a period is about: a column, or a dimension where none is called so.
func (c *checker) dated(spelled, at string, env env) *typed {
	d, alias := c.dimensionCalled(spelled)
	there := false
	for _, r := range c.rels {
		switch {
		case d == nil || !sees(env.host, r):
		case alias == nil && r.table.Column(d.Name) != nil:
			d = nil
		case r.query == nil && r.table.Name == d.Table && (alias == nil || alias.is(r.alias)):
			there = true
		}
	}
	if d != nil && there {
		return c.dimension(&Expr{Dimension: spelled}, at, env)
	}
	return c.column(&Expr{Column: spelled}, at, env)
}

// dimensionCalled finds a dimension by its name, or by alias.name; the alias is nil where none is said.
func (c *checker) dimensionCalled(spelled string) (*semantic.Dimension, *part) {
	if d := c.Semantic.Dimension(spelled); d != nil {
		return d, nil
	}
	parts, ok := splitName(spelled)
	if !ok || len(parts) > 2 {
		return nil, nil
	}
	for _, d := range c.Semantic.Dimensions {
		switch {
		case !parts[len(parts)-1].is(d.Name):
		case len(parts) == 2:
			return d, &parts[0]
		default:
			return d, nil
		}
	}
	return nil, nil
}

// noDimension names those that may have been meant.
func (c *checker) noDimension(spelled, at string) {
	f := c.faultf(stageNames, CodeDimension, at, "there is no dimension %s", spelled)
	if parts, ok := splitName(spelled); ok {
		spelled = parts[len(parts)-1].text
	}
	var names []string
	for _, d := range c.Semantic.Dimensions {
		names = append(names, d.Name)
		if d.Called(spelled) { // order_size for order size
			f.Repair, f.Safe = Repair{{"replace", at, d.Name}}, true
		}
	}
	f.Nearest = nearest(spelled, names)
}

// dimensionRel is the relation that the dimension is of.
func (c *checker) dimensionRel(d *semantic.Dimension, alias *part, at string, env env) *rel {
	var found []*rel
	for _, r := range c.rels {
		if r.query == nil && r.table.Name == d.Table && sees(env.host, r) && (alias == nil || alias.is(r.alias)) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		return found[0]
	case len(found) > 1:
		f := c.faultf(stageNames, CodeAmbiguous, at, "dimension %s is of %s, which is in the plan %d times", d.Name, TableName(d.Table), len(found))
		for _, r := range found {
			f.Nearest = append(f.Nearest, ColumnName(r.alias, d.Name))
		}
	case alias != nil && !c.broken[alias.text]:
		c.faultf(stageNames, CodeAlias, at, "no table of the plan that is %s is called %s here", TableName(d.Table), alias.text)
	case alias == nil && len(c.broken) == 0:
		f := c.faultf(stageNames, CodeDimensionJoin, at, "dimension %s is of %s, which the plan doesn't join here", d.Name, TableName(d.Table))
		if env.host == nil {
			f.Repair = c.bringing(d)
			f.Safe = f.Repair != nil
		}
	}
	return nil
}

// bringing is the repair that joins a dimension's table, where there is just one way. Each of its
// steps is many-to-one and keeps rows without a partner, so that no row is lost or repeated.
func (c *checker) bringing(d *semantic.Dimension) Repair {
	var from *rel
	var way []*semantic.Relationship
	for _, r := range c.rels {
		if r.host != nil || r.query != nil {
			continue
		}
		for _, path := range c.Semantic.Paths(r.table.Name, d.Table) {
			if slices.ContainsFunc(path, func(k *semantic.Relationship) bool { return c.joined(k) }) {
				continue
			}
			if way != nil {
				return nil
			}
			from, way = r, path
		}
	}
	if way == nil {
		return nil
	}
	joins := slices.Clone(c.given.Joins)
	to := from.alias
	for _, k := range way {
		j := Join{Table: TableName(k.To), As: k.To.Table, Kind: "left", To: Ident(to), Key: k.Name}
		if c.taken(j.As) {
			j.As = c.freshAlias(j.As)
		}
		joins, to = append(joins, j), j.As
	}
	return Repair{{"add", c.base + "/joins", joins}}
}

// joined tells whether what a relationship leads to is in the block already, from where another way starts.
func (c *checker) joined(k *semantic.Relationship) bool {
	return slices.ContainsFunc(c.rels, func(r *rel) bool { return r.host == nil && r.query == nil && r.table.Name == k.To })
}

// dimensionTree is the dimension's expression over its relation. Of a row that an outer join leaves
// missing it is null, as a column is, whatever the expression makes of nulls.
func (c *checker) dimensionTree(d *semantic.Dimension, r *rel, at string) *pg_query.Node {
	tree := divisible(qualify(d.Expr, r.alias))
	if !c.fitsTree(tree, maxExprTree, at) {
		return nil
	}
	if !r.nullable || nullOfNulls(d.Expr) {
		return tree
	}
	present := presentColumn(r.table)
	if present == "" {
		f := c.faultf(stageStructure, CodeUnsupported, at, "dimension %s may have a value where %s has no row, and the table has no column that every row has", d.Name, r.alias)
		f.Hint = fmt.Sprintf("ask for %s alone", TableName(d.Table))
		return nil
	}
	return whenNode(nullTestNode(columnNode(r.alias, present), pg_query.NullTestType_IS_NOT_NULL), tree)
}

// dimensionName is the bare name of a checked dimension.
func dimensionName(t *typed) string {
	parts, _ := splitName(t.expr.Dimension) // ColumnName has made it
	return parts[len(parts)-1].text
}

// divisible makes divisions by zero null.
func divisible(tree *pg_query.Node) *pg_query.Node {
	out, err := stmt.Rewrite(tree, func(n *pg_query.Node) (*pg_query.Node, error) {
		if e := n.GetAExpr(); e != nil && isDivision(e) && e.Rexpr.GetAConst() == nil {
			e.Rexpr = nullIfNode(e.Rexpr, intNode(0))
		}
		return n, nil
	})
	if err != nil {
		panic("plan: divide: " + err.Error()) // the function above never fails
	}
	return out
}

// nullOfNulls tells whether an expression is certainly null where all of its columns are.
func nullOfNulls(n *pg_query.Node) bool {
	switch x := n.GetNode().(type) {
	case *pg_query.Node_ColumnRef:
		return true
	case *pg_query.Node_TypeCast:
		return nullOfNulls(x.TypeCast.Arg)
	case *pg_query.Node_AExpr:
		if x.AExpr.Kind != pg_query.A_Expr_Kind_AEXPR_OP {
			return x.AExpr.Kind == pg_query.A_Expr_Kind_AEXPR_NULLIF && nullOfNulls(x.AExpr.Lexpr)
		}
		return nullOfNulls(x.AExpr.Rexpr) || x.AExpr.Lexpr != nil && nullOfNulls(x.AExpr.Lexpr)
	case *pg_query.Node_FuncCall:
		name := x.FuncCall.Funcname[len(x.FuncCall.Funcname)-1].GetString_().GetSval()
		return !slices.Contains([]string{"concat", "concat_ws", "format"}, name) && slices.ContainsFunc(x.FuncCall.Args, nullOfNulls)
	}
	return false
}
