package plan

import (
	"fmt"
	"strconv"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/semantic"
)

// checker carries one plan through all checks. It collects faults instead of
// stopping at the first, and builds the tree on the way: what it can't build
// it has refused.
type checker struct {
	Context
	given  *Plan
	faults []*Rejection
	// rels are the block's relations in order, those of semi and anti joins
	// included.
	rels []*rel
	// sums are all uses of aggregates and metrics, for the measure checks.
	sums []*measureUse
	// used are the columns that were read, by relation.
	used map[*rel]map[string]bool
	// broken are the aliases of tables that could not be resolved.
	broken     map[string]bool
	nodes      int
	qualifiers []string
}

// rel is one relation of the block and the join that brought it in.
type rel struct {
	alias string
	table *catalog.Table
	at    string // its place in the plan
	kind  string // "" for the first, else the join's
	// parent is the relation it joins to, along key; toOne tells that a row
	// of parent has at most one partner here, fromOne the reverse.
	parent         *rel
	key            *semantic.Relationship
	toOne, fromOne bool
	// forward tells that parent is the From side of key.
	forward bool
	// host is the semi or anti joined relation in whose EXISTS it stands;
	// nil in the outer block. A semi or anti joined relation hosts itself.
	host *rel
	// nullable tells that a left join can leave it without a row.
	nullable bool
	where    *typed
	// added tells that a metric's filter brought it in.
	added bool
}

func (r *rel) exists() bool { return r.kind == "semi" || r.kind == "anti" }

// faultf adds a fault and returns it, so that nearest names, a repair or a hint
// can be set.
func (c *checker) faultf(s stage, code Code, at, format string, args ...any) *Rejection {
	r := &Rejection{stage: s, Code: code, Path: at, Message: fmt.Sprintf(format, args...)}
	c.faults = append(c.faults, r)
	return r
}

// table resolves a relation's name; a bare one must be unique.
func (c *checker) table(spelled, at string) *catalog.Table {
	if spelled == "" {
		c.faultf(stageStructure, CodeMissing, at, "a table's name is missing")
		return nil
	}
	parts, ok := splitName(spelled)
	var found []*catalog.Table
	for _, t := range c.Catalog.Tables {
		switch {
		case spelled == t.Name.Table,
			ok && len(parts) == 1 && parts[0].is(t.Name.Table),
			ok && len(parts) == 2 && parts[0].is(t.Name.Schema) && parts[1].is(t.Name.Table):
			found = append(found, t)
		}
	}
	switch len(found) {
	case 1:
		return found[0]
	case 0:
		r := c.faultf(stageNames, CodeTable, at, "there is no table %s", spelled)
		r.Nearest = c.nearestTables(spelled, parts)
		if len(r.Nearest) == 1 {
			r.Repair = Repair{{"replace", at, r.Nearest[0]}}
		}
	default:
		r := c.faultf(stageNames, CodeAmbiguous, at, "table %s is in several schemas", spelled)
		for _, t := range found {
			r.Nearest = append(r.Nearest, TableName(t.Name))
		}
	}
	return nil
}

func (c *checker) nearestTables(spelled string, parts []part) []string {
	if len(parts) > 0 {
		spelled = parts[len(parts)-1].text
	}
	var bare []string
	for _, t := range c.Catalog.Tables {
		bare = append(bare, t.Name.Table)
	}
	var out []string
	for _, near := range nearest(spelled, bare) {
		for _, t := range c.Catalog.Tables {
			if t.Name.Table == near && len(out) < 5 {
				out = append(out, TableName(t.Name))
			}
		}
	}
	return out
}

// declare adds a relation under its alias.
func (c *checker) declare(r *rel, as string) {
	r.alias = as
	if as == "" {
		r.alias = r.table.Name.Table
	}
	if len(r.alias) > 63 {
		c.faultf(stageStructure, CodeWrongShape, r.at+"/as", "alias %.20s… is longer than 63 bytes", r.alias)
	}
	if c.rel(r.alias) != nil {
		f := c.faultf(stageNames, CodeAliasUsed, r.at, "alias %s is used twice; give the second table an alias of its own", r.alias)
		f.Repair = Repair{{"add", r.at + "/as", c.freshAlias(r.alias)}}
		r.alias = c.freshAlias(r.alias)
	}
	c.rels = append(c.rels, r)
}

func (c *checker) freshAlias(base string) string {
	for i := 2; ; i++ {
		if alias := base + strconv.Itoa(i); c.rel(alias) == nil {
			return alias
		}
	}
}

func (c *checker) rel(alias string) *rel {
	for _, r := range c.rels {
		if r.alias == alias {
			return r
		}
	}
	return nil
}

// sees tells whether an expression that stands in the EXISTS of host (nil:
// the outer block) may name the columns of r.
func sees(host, r *rel) bool {
	for h := host; ; h = h.parent.host {
		if r.host == h {
			return true
		}
		if h == nil {
			return false
		}
	}
}

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
	return &typed{expr: Expr{Column: ColumnName(r.alias, col.Name)}, tree: columnNode(r.alias, col.Name),
		typ: typeOf(c.Catalog, col.Type), column: col, rel: r}
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
