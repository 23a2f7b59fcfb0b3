package policy

import (
	"slices"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// copyQuery is what can be typed where a table's COPY isn't taken.
const copyQuery = "Write COPY (SELECT …) TO STDOUT."

// copyTable makes a query of a table's COPY, as Postgres itself does where the
// table has row level security: of the table's own rows, without its children's.
func (j *judge) copyTable(c *pg_query.CopyStmt) error {
	if j.verify {
		return unsupported("COPY of a table", copyQuery)
	}
	g, d := j.view.resolve(c.Relation)
	switch {
	case d != nil:
		return located(d, c.Relation.Location)
	case g.system || g.table.Kind != catalog.KindTable: // of which Postgres takes the query only
		return unsupported("COPY of what isn't a plain table", copyQuery)
	}
	columns, d := j.copied(c, g)
	if d != nil {
		return located(d, c.Relation.Location)
	}
	from := stmt.Table(c.Relation.Schemaname, c.Relation.Relname, "")
	from.GetRangeVar().Inh, from.GetRangeVar().Location = false, c.Relation.Location
	s := &pg_query.SelectStmt{FromClause: []*pg_query.Node{from}}
	for _, name := range columns {
		s.TargetList = append(s.TargetList, stmt.Target(stmt.Column(name), ""))
	}
	c.Query, c.Relation, c.Attlist = stmt.SelectNode(s), nil, nil
	return nil
}

// copied are the columns that a COPY is about. Without a list they are all, but not
// those that are generated, unless the table has row level security: so a table
// that has any, or some that the role may not read, needs a list.
func (j *judge) copied(c *pg_query.CopyStmt, g *grant) ([]string, *Denied) {
	if len(c.Attlist) > 0 {
		return j.listed(c.Attlist, g)
	}
	var plain, spelled []string
	for _, c := range g.columns {
		if !c.column.Generated {
			plain, spelled = append(plain, c.column.Name), append(spelled, configs.Spell(c.column.Name))
		}
	}
	if len(plain) == 0 {
		return nil, unsupported("COPY of this table", copyQuery)
	}
	if len(plain) < len(g.table.Columns) {
		return nil, unsupported("COPY of this table without a list of columns",
			"COPY "+j.view.shortest(g.table.Name)+" ("+strings.Join(spelled, ", ")+") TO STDOUT")
	}
	return plain, nil
}

// listed are the columns of a list: the table's own, each once.
func (j *judge) listed(list []*pg_query.Node, g *grant) ([]string, *Denied) {
	in := &level{items: []*item{relationItem(g, nil)}}
	var names []string
	for _, n := range list {
		name := n.GetString_().GetSval()
		column := g.column(name)
		switch {
		case column == nil && g.denied[name]:
			return nil, j.view.deniedColumn("", name, in)
		case column == nil:
			return nil, j.view.unknownColumn("", name, in)
		case slices.Contains(names, name):
			return nil, deny("42701", "column %s specified more than once", configs.Spell(name))
		case column.column.Generated:
			return nil, deny("42P10", "column %s is a generated column", configs.Spell(name)).
				withDetail("Generated columns cannot be used in COPY.").withHint(copyQuery)
		}
		names = append(names, name)
	}
	return names, nil
}
