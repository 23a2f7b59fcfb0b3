package plan

import "github.com/pgask/pgask/pipeline/catalog"

// column resolves alias.column or column.
func (c *checker) column(e *Expr, at string, env env) *typed {
	at += "/column"
	parts, ok := splitName(e.Column)
	if !ok || len(parts) > 2 {
		c.faultf(stageNames, CodeColumn, at, "%q is not a column name: write alias.column", e.Column)
		return nil
	}
	if len(parts) == 2 {
		r := c.visible(parts[0], env)
		if r == nil && c.broken[parts[0].text] {
			return nil
		}
		if r == nil && c.outer != nil && c.outer.names(parts[0], c.outerEnv) {
			return c.outerColumn(e, parts, at)
		}
		if r == nil {
			f := c.faultf(stageNames, CodeAlias, at, "no table of the plan is called %s here", parts[0].text)
			f.Nearest = nearest(parts[0].text, c.aliases(env))
			return nil
		}
		if col := findColumn(r.table, parts[1]); col != nil {
			return c.columnOf(r, col)
		}
		c.noColumn(e.Column, parts[1], []*rel{r}, at)
		return nil
	}
	return c.bareColumn(e.Column, parts[0], at, env)
}

func (c *checker) bareColumn(spelled string, p part, at string, env env) *typed {
	var found *rel
	var in []*rel
	for _, r := range c.rels {
		if !sees(env.host, r) {
			continue
		}
		in = append(in, r)
		col := findColumn(r.table, p)
		if col == nil {
			continue
		}
		if found != nil {
			f := c.faultf(stageNames, CodeAmbiguous, at, "column %s is in several tables of the plan", spelled)
			f.Nearest = []string{ColumnName(found.alias, findColumn(found.table, p).Name), ColumnName(r.alias, col.Name)}
			return nil
		}
		found = r
	}
	if found == nil && c.drill != nil && p.text == metricTime && env.host == nil {
		return c.metricDate()
	}
	if found == nil {
		if len(c.broken) == 0 {
			c.noColumn(spelled, p, in, at)
		}
		return nil
	}
	return c.columnOf(found, findColumn(found.table, p))
}

func (c *checker) noColumn(spelled string, p part, in []*rel, at string) {
	f := c.faultf(stageNames, CodeColumn, at, "there is no column %s", spelled)
	var names []string
	full := map[string]string{}
	for _, r := range in {
		for _, col := range r.table.Columns {
			names = append(names, col.Name)
			full[col.Name] = ColumnName(r.alias, col.Name)
		}
	}
	for _, n := range nearest(p.text, names) {
		f.Nearest = append(f.Nearest, full[n])
	}
	if len(f.Nearest) == 1 {
		f.Repair = Repair{{"replace", at, f.Nearest[0]}}
	}
}

func (c *checker) columnOf(r *rel, col *catalog.Column) *typed {
	c.use(r, []string{col.Name})
	t := &typed{expr: Expr{Column: ColumnName(r.alias, col.Name)}, tree: columnNode(r.alias, col.Name), column: col, rel: r}
	if r.query != nil {
		t.typ = r.query.column(col.Name).typ
	} else {
		t.typ = typeOf(c.Catalog, col.Type)
	}
	return t
}

// use remembers that columns are read.
func (c *checker) use(r *rel, columns []string) {
	if c.used[r] == nil {
		c.used[r] = map[string]bool{}
	}
	for _, col := range columns {
		c.used[r][col] = true
	}
}

func (c *checker) visible(p part, env env) *rel {
	for _, r := range c.rels {
		if p.is(r.alias) && sees(env.host, r) {
			return r
		}
	}
	return nil
}

func (c *checker) aliases(env env) []string {
	var out []string
	for _, r := range c.rels {
		if sees(env.host, r) {
			out = append(out, r.alias)
		}
	}
	return out
}

func findColumn(t *catalog.Table, p part) *catalog.Column {
	if col := t.Column(p.text); col != nil {
		return col
	}
	for _, col := range t.Columns {
		if p.is(col.Name) {
			return col
		}
	}
	return nil
}
