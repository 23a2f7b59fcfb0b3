package policy

import (
	"maps"
	"slices"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/stmt"
)

// onlyCatalogs tells that a statement reads nothing but system relations: it is
// not capped, since tools read them whole.
func (j *judge) onlyCatalogs() bool { return len(j.used) == 0 && len(j.systems) > 0 }

// asksOnlyWithheld refuses a statement that reads nothing but relations that
// are empty for the role, or one relation's columns that have no values: no rows
// or nulls would pass for an answer.
func (j *judge) asksOnlyWithheld() error {
	if !j.onlyCatalogs() {
		return nil
	}
	if len(j.systems) == 1 && j.withheldColumn != nil {
		return j.withheldColumn
	}
	names := slices.SortedFunc(maps.Keys(j.systems), compareNames)
	for _, n := range names {
		if !j.systems[n].withheld {
			return nil
		}
	}
	return j.view.deniedRelation(&pg_query.RangeVar{Relname: names[0].Table}, names[0], true)
}

// withheld tells whether a column is one that has no value.
func (c *column) withheld() bool {
	return c.src != nil && c.src.grant != nil && c.src.grant.withheldColumns[c.base]
}

// notesWithheld keeps the refusal of the first such column that is named, but
// for an argument of pg_options_to_table, which has no rows then.
func (j *judge) notesWithheld(n *pg_query.ColumnRef, c *column, qualifier string, l *level) {
	if c.withheld() && j.options == 0 && j.withheldColumn == nil {
		j.withheldColumn = located(j.view.deniedColumn(qualifier, c.name, l), n.Location)
	}
}

// joinsWithheld refuses to join by such a column.
func (j *judge) joinsWithheld(names []string, left, right []column, l *level) error {
	for _, c := range slices.Concat(left, right) {
		if c.withheld() && slices.Contains(names, c.name) {
			return j.view.deniedColumn("", c.name, l)
		}
	}
	return nil
}

// tableOID answers tableoid of a catalog's row, which a subselect doesn't
// have: tools ask for it to tell objects of different catalogs apart. It is
// null where an outer join has no row. nil for any other node.
func (j *judge) tableOID(n *pg_query.Node, l *level) *pg_query.Node {
	f := n.GetColumnRef().GetFields()
	if j.verify || len(f) == 0 || f[len(f)-1].GetString_().GetSval() != "tableoid" {
		return nil
	}
	it := j.tableOIDItem(n.GetColumnRef(), l)
	if it == nil || it.grant == nil || !it.grant.system || it.grant.table.Kind != catalog.KindTable || it.find("tableoid") != nil {
		return nil
	}
	name := it.name
	if it.rename != "" {
		name = it.rename
	}
	oid := stmt.Cast(stmt.StringConst(oidText(it.grant.table.OID)), typeNamed("oid"))
	there := stmt.Not(stmt.IsNull(stmt.Column(name, it.columns[0].name)))
	return &pg_query.Node{Node: &pg_query.Node_CaseExpr{CaseExpr: &pg_query.CaseExpr{Args: []*pg_query.Node{
		{Node: &pg_query.Node_CaseWhen{CaseWhen: &pg_query.CaseWhen{Expr: there, Result: oid}}}}}}}
}

// tableOIDItem is the item in FROM whose tableoid is meant: a qualified one's, or
// the only one there is.
func (j *judge) tableOIDItem(ref *pg_query.ColumnRef, l *level) *item {
	if len(ref.Fields) > 1 {
		it, _, err := j.qualifier(ref, l)
		if err != nil {
			return nil
		}
		return it
	}
	for at := l; at != nil; at = at.parent {
		if c, denied, open := at.local("tableoid"); c != nil || denied || open {
			return nil
		}
		if len(at.items) == 1 {
			return at.items[0]
		}
		if len(at.items) > 1 {
			return nil
		}
	}
	return nil
}
